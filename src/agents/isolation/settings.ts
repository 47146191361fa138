import { homedir, tmpdir } from "node:os";

/** How agents that run on this machine are kept apart from it, as the operator set it. */
export interface IsolationSettings {
  /** `auto` takes bubblewrap where the machine can run it; `bubblewrap` refuses to run an agent without it. */
  readonly mode: "auto" | "bubblewrap" | "none";
  /** Absolute paths that agents may read although they lie in a folder that is hidden from them. */
  readonly folders: readonly string[];
  /** Whether who defines an agent owns this machine: then what a definition names may be read too. */
  readonly local: boolean;
  /** What one trial may use at once. */
  readonly limits: TrialLimits;
}

/** Of the processes of one trial together. */
export interface TrialLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of its `/tmp`, which lies in memory. */
  readonly diskBytes: number;
}

/** Four times what a Node or Python agent with a large library uses; the numbers of processes and bytes likewise. */
export const DEFAULT_LIMITS: TrialLimits = { memoryBytes: 4 * 2 ** 30, processes: 512, diskBytes: 2 ** 30 };

/** What holds where nobody set anything, as in a local workspace. */
export const DEFAULT_ISOLATION: IsolationSettings = {
  mode: "auto",
  folders: [],
  local: true,
  limits: DEFAULT_LIMITS,
};

/** What a launcher keeps agents away from. */
export interface Guarded {
  /** Folders of the service itself: its data, its keys, its sockets. */
  readonly folders: readonly string[];
  /** Folders in which people and programs keep what is theirs. */
  readonly areas: readonly string[];
  /** Folders of the system: what of them only this user may read is hidden. */
  readonly searched: readonly string[];
}

/** What is guarded on this machine for a service with this data folder. */
export function guardedBy(dataDir: string | undefined): Guarded {
  return {
    folders: dataDir === undefined ? [] : [dataDir],
    areas: ["/tmp", "/var/tmp", "/run", "/home", "/root", tmpdir(), homedir()],
    searched: ["/etc", "/var"],
  };
}

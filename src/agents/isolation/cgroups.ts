import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TrialLimits } from "./settings.ts";
import type { Excess } from "./usage.ts";

/** What one trial may use, held by the kernel. */
export interface TrialGroup {
  /** Begins a command in the group. */
  readonly enter: readonly string[];
  /** Which limit the kernel has held it to: it ended a process for want of memory, or refused to start one. */
  excess(): Excess | undefined;
  /** Removes it, at the latest some seconds after its last process. */
  remove(): void;
}

/** A folder of a hierarchy in which groups are made, and what each is told: file names with the values for some limits. */
interface Hierarchy {
  readonly folder: string;
  readonly set: (limits: TrialLimits) => Readonly<Record<string, number>>;
  /** The files that count, and by which line. */
  readonly counts: Readonly<Record<string, { readonly line: RegExp; readonly of: Excess }>>;
}

/** Files in memory count too: those of `/tmp`, and those of `/dev/shm`. */
const allMemory = ({ memoryBytes, diskBytes }: TrialLimits) => memoryBytes + diskBytes + SHARED_MEMORY;
/** The size of the sandbox's `/dev/shm`, bytes. */
export const SHARED_MEMORY = 64 * 2 ** 20;
/** bubblewrap has one process outside, and the look that ends a flood wants to see one too many. */
const BESIDE = 2;
const REMOVES = 20;
const REMOVED_MS = 250;
/** A group is entered, or removed, well before it is so old. */
const LEFT_MS = 60_000;

/**
 * Control groups for trials, where this process may make them: beside its own group in version 2 (systemd's `Delegate=` with
 * `DelegateSubgroup=`), in its own group in version 1.
 */
export class TrialGroups {
  readonly #hierarchies: readonly Hierarchy[];

  private constructor(hierarchies: readonly Hierarchy[]) {
    this.#hierarchies = hierarchies;
  }

  /** Undefined where memory or processes cannot be limited so. `membership` and `mounts` are as /proc/self has them. */
  static open(membership = text("/proc/self/cgroup"), mounts = text("/proc/self/mountinfo")): TrialGroups | undefined {
    const groups = new TrialGroups(unified(membership, mounts) ?? separate(membership, mounts));
    if (groups.#hierarchies.length === 0) return undefined;
    groups.#sweep();
    try {
      groups.make({ memoryBytes: 2 ** 30, processes: 2, diskBytes: 0 }).remove();
      return groups;
    } catch {
      // They are another user's, or mounted read-only.
      return undefined;
    }
  }

  /** A group of its own for a trial. Throws where the kernel refuses one. */
  make(limits: TrialLimits): TrialGroup {
    // Process ids are of a namespace, and groups may be shared by several.
    const name = `${PREFIX}${randomUUID()}`;
    const folders = this.#hierarchies.map(({ folder }) => join(folder, name));
    for (const [i, { set }] of this.#hierarchies.entries()) {
      const folder = folders[i] ?? "";
      mkdirSync(folder);
      for (const [file, value] of Object.entries(set(limits))) writeFileSync(join(folder, file), String(value));
    }
    const script = `${folders.map((_, i) => `echo $$ >"$${i + 1}/cgroup.procs" && `).join("")}shift ${folders.length} && exec "$@"`;
    return {
      enter: ["/bin/sh", "-c", script, "sh", ...folders],
      excess: () =>
        this.#hierarchies
          .flatMap(({ counts }, i) =>
            Object.entries(counts).filter(([file, { line }]) => line.test(text(join(folders[i] ?? "", file)))),
          )
          .map(([, { of }]) => of)[0],
      remove: () => {
        for (const folder of folders) remove(folder);
      },
    };
  }

  /** Removes what launchers that were killed left: a group with a process in it stays. */
  #sweep(): void {
    for (const { folder } of this.#hierarchies)
      for (const name of entries(folder))
        if (name.startsWith(PREFIX) && ageOf(join(folder, name)) > LEFT_MS) remove(join(folder, name), 1);
  }
}

const PREFIX = "svc-trial-";
const KILLED = { line: /^oom_kill [1-9]/m, of: "memory" } as const;
const REFUSED = { line: /^max [1-9]/m, of: "processes" } as const;

/** Version 2: one folder that limits memory and processes of those in it. A group with processes has no groups below it. */
function unified(membership: string, mounts: string): Hierarchy[] | undefined {
  const [, own] = /^0::(.*)$/m.exec(membership) ?? [];
  const mount = mounted(mounts, "cgroup2");
  if (own === undefined || own === "/" || mount === undefined) return undefined;
  const folder = dirname(join(mount.at, own));
  try {
    writeFileSync(join(folder, "cgroup.subtree_control"), "+memory +pids");
  } catch {
    return undefined;
  }
  const set = (limits: TrialLimits) => ({
    "memory.max": allMemory(limits),
    "memory.oom.group": 1,
    "pids.max": limits.processes + BESIDE,
  });
  return [{ folder, set, counts: { "memory.events": KILLED, "pids.events": REFUSED } }];
}

/** Version 1: a hierarchy for memory and one for processes. */
function separate(membership: string, mounts: string): Hierarchy[] {
  const folderOf = (controller: string) => {
    const [, own] = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, "m").exec(membership) ?? [];
    const mount = mounted(mounts, "cgroup", controller);
    return own === undefined || mount === undefined ? undefined : join(mount.at, own);
  };
  const [memory, pids] = [folderOf("memory"), folderOf("pids")];
  if (memory === undefined || pids === undefined) return [];
  return [
    {
      folder: memory,
      set: (limits) => ({ "memory.limit_in_bytes": allMemory(limits) }),
      counts: { "memory.oom_control": KILLED },
    },
    {
      folder: pids,
      set: ({ processes }) => ({ "pids.max": processes + BESIDE }),
      counts: { "pids.events": REFUSED },
    },
  ];
}

/** Where a hierarchy is mounted, of a controller where one is named. */
function mounted(mounts: string, type: string, controller?: string): { readonly at: string } | undefined {
  for (const line of mounts.split("\n")) {
    const [left = "", right = ""] = line.split(" - ");
    const at = left.split(" ")[4];
    const [kind, , options = ""] = right.split(" ");
    const fits = controller === undefined || options.split(",").includes(controller);
    if (kind === type && fits && at !== undefined) return { at };
  }
  return undefined;
}

/** A group is removed once its last process has gone, a moment after the trial. */
function remove(folder: string, tries = REMOVES): void {
  try {
    rmdirSync(folder);
  } catch {
    if (tries > 1) setTimeout(() => remove(folder, tries - 1), REMOVED_MS).unref();
  }
}

function ageOf(folder: string): number {
  try {
    return Date.now() - statSync(folder).ctimeMs;
  } catch {
    return 0;
  }
}

function text(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

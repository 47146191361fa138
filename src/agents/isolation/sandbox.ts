import { execFile } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { AgentProcess } from "../agent-process.ts";
import { SHARED_MEMORY, type TrialGroup, TrialGroups } from "./cgroups.ts";
import { type TrialNetwork, TrialNetworks } from "./networks.ts";
import { ARGUMENTS, BEGIN, HOME } from "./script.ts";
import { type Guarded, guardedBy, type IsolationSettings } from "./settings.ts";
import { Usage } from "./usage.ts";
import { type Named, VisibleFolders } from "./visible-folders.ts";

/** How a process is started: `args` is what it reads from a descriptor of its own. */
export interface Start {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly args?: string;
}

/** What runs in a sandbox. */
export interface Inside {
  readonly command: readonly string[];
  /** The home of the sandbox when absent. */
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder of the service that the command works in a copy of. */
  readonly tree?: string | undefined;
  /** Files of the machine that it may read, wherever they lie. */
  readonly shown?: readonly string[];
  /** Folders of the service that it writes to. */
  readonly written?: readonly string[];
  /** What the definition names, for what it may read. */
  readonly named: Named;
  /** What begins in the sandbox; the command when absent. */
  readonly begin?: string;
  /** The network of the machine when absent. */
  readonly network?: TrialNetwork | undefined;
  /** What the kernel holds it to; nothing when absent. */
  readonly group?: TrialGroup | undefined;
}

/** What no program can be given: its arguments and its environment end at a NUL character. */
export class NulCharacter extends Error {
  constructor() {
    super("The agent's command, working folder or environment holds a NUL character, which no program can be given.");
    this.name = "NulCharacter";
  }
}

/** The longest that trying a sandbox may take, milliseconds. */
const TRIED_MS = 20_000;

/** A machine that can run agents in a sandbox. */
export class Sandbox {
  readonly networks: TrialNetworks;
  readonly usage = new Usage();
  /** Where this process may make control groups: the kernel then limits trials too, between two looks at them. */
  readonly #groups = TrialGroups.open();
  readonly settings: IsolationSettings;
  readonly #bubblewrap: string;
  readonly #places: VisibleFolders;
  #closedUsers = true;

  private constructor(bubblewrap: string, settings: IsolationSettings, guarded: Guarded) {
    this.#bubblewrap = bubblewrap;
    this.settings = settings;
    this.#places = new VisibleFolders(guarded, settings);
    this.networks = new TrialNetworks(bubblewrap);
  }

  /** Tries everything that a trial's sandbox takes. A string says in a sentence why it cannot be. */
  static async open(settings: IsolationSettings, guarded: Guarded): Promise<Sandbox | string> {
    if (settings.mode === "none") return "SVC_ISOLATION is none.";
    if (process.platform !== "linux") return "Sandboxes need Linux.";
    const bubblewrap = program("bwrap");
    if (bubblewrap === undefined)
      return "bubblewrap is not installed: install the package bubblewrap (the program bwrap).";
    if (program("nsenter") === undefined) return "nsenter is not installed: install the package util-linux.";
    let sandbox: Sandbox | undefined;
    try {
      sandbox = new Sandbox(bubblewrap, settings, guarded);
      const network = await sandbox.networks.open([]);
      network.release();
      // Older versions of bubblewrap cannot forbid namespaces within the sandbox.
      let failed = await sandbox.#tried(network);
      if (failed !== undefined) {
        sandbox.#closedUsers = false;
        failed = await sandbox.#tried(network);
      }
      if (failed === undefined) return sandbox;
      sandbox.close();
      return refused(failed);
    } catch (error) {
      sandbox?.close();
      return refused(error instanceof Error ? error.message : String(error));
    }
  }

  /** A control group for a trial; undefined where none can be made. */
  group(): TrialGroup | undefined {
    return this.#groups?.make(this.settings.limits);
  }

  /** How something is started in a sandbox of its own. */
  start(inside: Inside): Start {
    const { command, env, network, group, tree = "", begin = BEGIN } = inside;
    const shown = [...(tree === "" ? [] : [tree]), ...(inside.shown ?? [])];
    const values = Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? [] : ["--setenv", name, value],
    );
    const args = [
      ...this.#options(),
      ...this.#places.mounts(inside.named, shown, inside.written),
      ...["--dir", HOME, "--chdir", inside.cwd ?? HOME],
      ...["--clearenv", ...values],
    ];
    // A NUL also ends each argument here: what came after it would be options of bubblewrap, such as a mount of the machine.
    if ([...args, ...command].some((word) => word.includes("\0"))) throw new NulCharacter();
    return {
      command: [
        ...(group?.enter ?? []),
        ...(network?.enter ?? []),
        ...[this.#bubblewrap, "--args", String(ARGUMENTS), "--", "/bin/sh", "-c", begin, "sh", tree, ...command],
      ],
      // What the agent is given never reaches a program outside its sandbox.
      cwd: "/",
      env: { PATH: process.env.PATH, LANG: "C.UTF-8" },
      args: args.join("\0"),
    };
  }

  /** Ends a sandbox that uses more than it may; answers what stops that. Called when its first process has begun. */
  watch(agent: AgentProcess): () => void {
    const first = firstInside(agent.pid);
    const { limits } = this.settings;
    return first === undefined
      ? () => undefined
      : this.usage.watch(first, limits, (excess) => agent.exceed(excess, limits));
  }

  /** As `watch`, from when the process has begun. */
  watchFromStart(agent: AgentProcess): () => void {
    let ended = false;
    let stop: (() => void) | undefined;
    void agent.entered().then((entry) => {
      if (entry === "ready" && !ended) stop = this.watch(agent);
    });
    return () => {
      ended = true;
      stop?.();
    };
  }

  close(): void {
    this.networks.close();
  }

  #options(): string[] {
    const { diskBytes } = this.settings.limits;
    return [
      ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
      ...(this.#closedUsers ? ["--disable-userns"] : []),
      ...["--hostname", "trial", "--new-session", "--die-with-parent", "--cap-drop", "ALL"],
      ...[
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--size",
        String(SHARED_MEMORY),
        "--perms",
        "1777",
        "--tmpfs",
        "/dev/shm",
      ],
      ...["--remount-ro", "/dev", "--proc", "/proc"],
      ...["--size", String(diskBytes), "--perms", "1777", "--tmpfs", "/tmp"],
    ];
  }

  #tried(network: TrialNetwork): Promise<string | undefined> {
    const {
      command,
      env,
      args = "",
    } = this.start({ command: ["true"], env: {}, named: { command: [], env: {} }, network });
    const [file = "", ...rest] = command;
    // Where it ends well nothing needs to be written; the arguments are given as a shell does, through a file of their own.
    const options = { env, timeout: TRIED_MS };
    return new Promise((resolve) => {
      const script = `exec ${MARKED} "$0" "$@"`;
      const child = execFile("/bin/sh", ["-c", script, file, ...rest], options, (error, _out, said) =>
        resolve(error === null ? undefined : said || error.message),
      );
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(args);
    });
  }
}

/** The arguments come by standard input, and what is said of the beginning goes nowhere. */
const MARKED = `${ARGUMENTS}<&0 </dev/null 4>/dev/null`;

/** Why this machine cannot keep agents apart, in a sentence; undefined where it can. */
export async function whyNoSandbox(settings: IsolationSettings, dataDir: string): Promise<string | undefined> {
  const sandbox = await Sandbox.open(settings, guardedBy(dataDir));
  if (typeof sandbox === "string") return sandbox;
  sandbox.close();
  return undefined;
}

/** The first process in the sandbox that a process waits for. */
function firstInside(pid: number | undefined): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return children === "" ? undefined : Number(children.split(" ")[0]);
  } catch {
    return undefined;
  }
}

function program(name: string): string | undefined {
  return (process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function refused(said: string): string {
  const reason = said.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
  return `The kernel does not let this user make namespaces, which bubblewrap needs (${reason}).`;
}

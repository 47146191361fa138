import { readdirSync, readFileSync } from "node:fs";

/** A walk costs some milliseconds: whatever ended meanwhile shares it. */
const EVERY_MS = 500;
/** A process that is ended may have started another the moment before: each trial is looked for this often. */
const LOOKS = 3;
/** Near this end of their range process ids begin again from the bottom. */
const WRAP = 50_000;
const NAME = Buffer.from("SVC_TRIAL_MCP_TOKEN=");

interface Ended {
  readonly leader: number;
  searches: number;
}

/**
 * Ends what trials left running outside their process groups: on Linux every process that has the token of an ended trial
 * in the environment it was started with. One walk looks for all that have ended, soon after their end. A process that
 * was started with another environment is not found.
 */
export class Leftovers {
  readonly #ended = new Map<string, Ended>();
  #timer: NodeJS.Timeout | undefined;

  /** A trial whose first process was `leader` has ended: nothing older is looked at for it. */
  ended(token: string, leader: number): void {
    if (process.platform !== "linux" || token === "") return;
    this.#ended.set(token, { leader, searches: 0 });
    this.#timer ??= setTimeout(() => this.#soon(), EVERY_MS).unref();
  }

  /** Looks now, and until nothing more is found. */
  close(): void {
    clearTimeout(this.#timer);
    for (let look = 0; look < LOOKS && this.#walk() > 0; look++);
  }

  #soon(): void {
    this.#timer = undefined;
    const found = this.#walk();
    for (const [token, trial] of this.#ended) if (++trial.searches >= LOOKS && found === 0) this.#ended.delete(token);
    if (this.#ended.size > 0) this.#timer = setTimeout(() => this.#soon(), EVERY_MS).unref();
  }

  /** How many were found. */
  #walk(): number {
    let found = 0;
    for (const pid of younger(Math.min(...[...this.#ended.values()].map(({ leader }) => leader))))
      try {
        const token = tokenIn(readFileSync(`/proc/${pid}/environ`));
        if (token === undefined || !this.#ended.has(token)) continue;
        process.kill(pid, "SIGKILL");
        found += 1;
      } catch {
        // It has gone, or is somebody else's.
      }
    return found;
  }
}

function tokenIn(environ: Buffer): string | undefined {
  const at = environ.indexOf(NAME);
  if (at < 0 || (at > 0 && environ[at - 1] !== 0)) return undefined;
  const from = at + NAME.length;
  const to = environ.indexOf(0, from);
  return environ.toString("utf8", from, to < 0 ? environ.length : to);
}

let highest: number | undefined;

function younger(leader: number): number[] {
  try {
    highest ??= Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
    const from = highest - leader < WRAP ? 2 : leader;
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid >= from && pid !== process.pid);
  } catch {
    return [];
  }
}

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { TrialLimits } from "./settings.ts";

/** A look at every process of the machine costs some milliseconds; in this time a trial can take little more than it may. */
const EVERY_MS = 250;

/** Which limit a trial went over. */
export type Excess = "memory" | "processes";

interface Watched {
  readonly limits: TrialLimits;
  readonly over: (excess: Excess) => void;
}

/**
 * Looks at what trials use, each known by its process namespace, and tells of one that uses more than it may. Memory is
 * counted that belongs to one process alone; files of a trial lie in a folder with a size of its own.
 */
export class Usage {
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  /** Watches the namespace of a process until the answered function is called. */
  watch(pid: number, limits: TrialLimits, over: (excess: Excess) => void): () => void {
    const space = namespaceOf(pid);
    if (space === undefined) return () => undefined;
    this.#watched.set(space, { limits, over });
    this.#timer ??= setInterval(() => this.#look(), EVERY_MS).unref();
    return () => {
      this.#watched.delete(space);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #look(): void {
    const used = new Map<string, { processes: number; bytes: number }>();
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      const space = Number.isInteger(pid) ? namespaceOf(pid) : undefined;
      if (space === undefined || !this.#watched.has(space)) continue;
      const so = used.get(space) ?? { processes: 0, bytes: 0 };
      used.set(space, { processes: so.processes + 1, bytes: so.bytes + privateBytes(pid) });
    }
    for (const [space, { processes, bytes }] of used) {
      const watched = this.#watched.get(space);
      if (watched === undefined) continue;
      if (processes > watched.limits.processes) watched.over("processes");
      else if (bytes > watched.limits.memoryBytes) watched.over("memory");
    }
  }
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    // It has gone, or is somebody else's.
    return undefined;
  }
}

function privateBytes(pid: number): number {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

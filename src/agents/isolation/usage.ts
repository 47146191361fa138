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
 * Looks at what trials use, each known by its process namespace, and tells of one that uses more than it may. Memory that
 * processes share counts once; files of a trial lie in a folder with a size of its own.
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
    const used = new Map<string, number[]>();
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      const space = Number.isInteger(pid) ? namespaceOf(pid) : undefined;
      if (space === undefined || !this.#watched.has(space)) continue;
      used.set(space, [...(used.get(space) ?? []), pid]);
    }
    for (const [space, pids] of used) {
      const watched = this.#watched.get(space);
      if (watched === undefined) continue;
      const { processes, memoryBytes } = watched.limits;
      // What is shared is told apart only where it matters: that takes a walk over all that each has mapped.
      const isOver = (bytesOf: (pid: number) => number) =>
        pids.reduce((sum, pid) => sum + bytesOf(pid), 0) > memoryBytes;
      if (pids.length > processes) watched.over("processes");
      else if (isOver(mappedBytes) && isOver(ownBytes)) watched.over("memory");
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

/** Memory of no file on a disk that a process has mapped; what it shares counts whole. */
function mappedBytes(pid: number): number {
  return sumOf(`/proc/${pid}/status`, /^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm) ?? 0;
}

/** The same with its part alone of what it shares. */
function ownBytes(pid: number): number {
  return sumOf(`/proc/${pid}/smaps_rollup`, /^Pss_(?:Anon|Shmem):\s+(\d+) kB$/gm) ?? mappedBytes(pid);
}

/** Undefined where it may not be read, or tells nothing. */
function sumOf(path: string, line: RegExp): number | undefined {
  try {
    const found = [...readFileSync(path, "utf8").matchAll(line)];
    return found.length === 0 ? undefined : found.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
  } catch {
    return undefined;
  }
}

import { readFileSync } from "node:fs";

/** How many processes the kernel has ended for want of memory since it started; undefined where it does not say. */
export function outOfMemoryKills(): number | undefined {
  try {
    const [, count] = /^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8")) ?? [];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}

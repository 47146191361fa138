import { closeSync, readdirSync, readFileSync } from "node:fs";

/** Open files of this process with their flags; Linux alone has them. */
const OPEN_FILES = "/proc/self/fdinfo";
/** The flag of a file that no program which is started from here gets (`O_CLOEXEC`). */
const CLOSED_AT_START = 0o2000000;

let closed = false;

/**
 * Closes what whoever started this process left open beside the standard streams, once: a program started from here would
 * get it, and could write to it. Every file that this process opened itself carries the flag, and stays.
 */
export function closeInherited(): void {
  if (closed || process.platform !== "linux") return;
  closed = true;
  for (const name of readdirSync(OPEN_FILES)) {
    const descriptor = Number(name);
    if (descriptor <= 2 || isOurs(name)) continue;
    try {
      closeSync(descriptor);
    } catch {
      // It is closed already.
    }
  }
}

function isOurs(name: string): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`${OPEN_FILES}/${name}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & CLOSED_AT_START) !== 0;
  } catch {
    // The listing's own, which is gone.
    return true;
  }
}

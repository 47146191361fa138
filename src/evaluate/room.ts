import { existsSync, statfsSync } from "node:fs";

/** Blocks that are free, and the bytes of one. */
interface Room {
  readonly bavail: number;
  readonly bsize: number;
}

/** With less than this free, bytes, the store keeps nothing more. */
const LEAST = 65_536;

/**
 * Throws ENOSPC where a folder's disk has no room left. A job whose end cannot be written goes on for whoever asks how it
 * stands: it would be waited for without an end.
 */
export function requireRoom(folder: string, look: (folder: string) => Room = statfsSync): void {
  if (!existsSync(folder)) return;
  const { bavail, bsize } = look(folder);
  if (bavail * bsize < LEAST)
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC", path: folder });
}

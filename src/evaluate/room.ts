import { existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";

/** Blocks that are free, and the bytes of one. */
interface Room {
  readonly bavail: number;
  readonly bsize: number;
}

/** With less than this free, bytes, the store keeps nothing more. */
const LEAST = 65_536;

/** How large a file of this process may become, bytes; undefined where nothing limits it. */
function mostOfFile(): number | undefined {
  // The report would look up the names of network addresses.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { file_size_blocks?: { soft?: unknown } } };
  const most = userLimits?.file_size_blocks?.soft;
  // In spite of its name it counts bytes.
  return typeof most === "number" ? most : undefined;
}

/**
 * Throws ENOSPC where a folder's disk has no room left, EFBIG where its store has grown to what a file may hold. A job
 * whose end cannot be written goes on for whoever asks how it stands: it would be waited for without an end.
 */
export function requireRoom(folder: string, look: (folder: string) => Room = statfsSync, most = mostOfFile()): void {
  if (!existsSync(folder)) return;
  const { bavail, bsize } = look(folder);
  if (bavail * bsize < LEAST)
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC", path: folder });
  if (most === undefined) return;
  for (const name of readdirSync(folder).filter((each) => each.startsWith("store.db"))) {
    const path = join(folder, name);
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) + LEAST > most)
      throw Object.assign(new Error("file too large"), { code: "EFBIG", path });
  }
}

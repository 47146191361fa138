import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

const LARGEST = 1024 * 1024;

/** The paths of a checkout's files, with slashes, in order. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

/** A file's text, of at most 1 MiB; undefined where there is none of this path inside the checkout. */
export async function readText(folder: string, path: string): Promise<string | undefined> {
  try {
    const file = await realpath(join(folder, path));
    const inside = relative(await realpath(folder), file);
    if (inside === "" || inside.startsWith("..")) return undefined;
    const info = await lstat(file);
    return info.isFile() && info.size <= LARGEST ? await readFile(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

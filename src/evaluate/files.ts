import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../cli/arguments.ts";

/** A file, or the files that lie in a folder, by name. Throws UsageError where there is none. */
export function filesOf(path: string): string[] {
  if (!existsSync(path)) throw new UsageError("There is no such file or folder.", [path]);
  if (!statSync(path).isDirectory()) return [path];
  const inside = readdirSync(path, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith("."),
  );
  if (inside.length === 0) throw new UsageError("The folder holds no files.", [path]);
  return inside.map((entry) => join(path, entry.name)).sort();
}

/** What the system is called when nobody says: the folder given, or the one the first file lies in. */
export function folderName(path: string): string {
  const folder = statSync(path).isDirectory() ? resolve(path) : dirname(resolve(path));
  return basename(folder) || "main";
}

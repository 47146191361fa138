import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { AppError } from "../../chapters/errors.ts";

/** A file, or the files that lie in a folder, by name. Throws AppError where there is none. */
export function filesOf(path: string): string[] {
  if (!existsSync(path)) throw new AppError("bad_request", "There is no such file or folder.", { names: [path] });
  if (!statSync(path).isDirectory()) return [path];
  const inside = readdirSync(path, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith("."),
  );
  if (inside.length === 0) throw new AppError("bad_request", "The folder holds no files.", { names: [path] });
  return inside.map((entry) => join(path, entry.name)).sort();
}

/** What the system is called when nobody says: the folder given, or the one the first file lies in. */
export function folderName(path: string): string {
  const folder = statSync(path).isDirectory() ? resolve(path) : dirname(resolve(path));
  return basename(folder) || "main";
}

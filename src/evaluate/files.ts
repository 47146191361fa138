import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { named } from "../../chapters/count-of.ts";
import { UsageError } from "../cli/arguments.ts";

/** A file that is to be read, what it is called in answers, and how many bytes it has. */
export interface FoundFile {
  readonly path: string;
  /** Its path below the folder that was named; its own name where it was named itself. */
  readonly name: string;
  readonly bytes: number;
}

/** Something in a folder that could not be looked at. */
export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

/** What was skipped, by the reason: how many files, and the first of their names. */
export function skippedTexts(skipped: readonly Skipped[]): string[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, of]) => {
    const names = named(of.map(({ name }) => name));
    return `${of.length === 1 ? names : `${of.length} files (${names})`}: ${reason}`;
  });
}

/** Folders that hold what programs need and no evidence. */
const PASSED_BY = new Set(["node_modules", "__pycache__"]);

/**
 * The files that were named and those in the folders that were named and in the folders below them, by name, each once.
 * Hidden ones are passed by, and links to folders; what cannot be opened is told in `skipped`. Throws UsageError where
 * there is no such file or folder, and where a folder holds no file.
 */
export function findFiles(paths: readonly string[]): { files: FoundFile[]; skipped: Skipped[] } {
  const found = new Map<string, FoundFile>();
  const skipped: Skipped[] = [];
  for (const path of paths) {
    if (!existsSync(path)) throw new UsageError("There is no such file or folder.", [path]);
    const stat = statSync(path);
    if (!stat.isDirectory() && !stat.isFile())
      throw new UsageError("This is neither a file nor a folder nor a pipe.", [path]);
    const before = skipped.length;
    const below = stat.isDirectory()
      ? inside(path, skipped).map((file) => ({ file, name: relative(path, file) }))
      : [{ file: path, name: basename(path) }];
    if (below.length === 0) {
      const why = new Set(skipped.slice(before).map(({ reason }) => reason));
      throw new UsageError(`The folder holds no files${why.size === 0 ? "" : ` to read: ${[...why].join("; ")}`}.`, [
        path,
      ]);
    }
    for (const { file, name } of below) {
      const key = resolve(file);
      if (!found.has(key)) found.set(key, { path: file, name, bytes: statSync(file).size });
    }
  }
  return { files: [...found.values()], skipped };
}

/** The files of a folder and of those below it. */
function inside(folder: string, skipped: Skipped[]): string[] {
  let entries: ReturnType<typeof entriesOf>;
  try {
    entries = entriesOf(folder);
  } catch (error) {
    const { code } = Object(error) as { code?: unknown };
    skipped.push({ name: folder, reason: `the folder cannot be opened (${String(code ?? "no reason given")})` });
    return [];
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return PASSED_BY.has(entry.name) ? [] : inside(path, skipped);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) return [path];
    // A link to a folder is passed by: the folder may hold the link.
    if (!stat?.isDirectory())
      skipped.push({ name: path, reason: stat ? "it is no file" : "the link leads to no file" });
    return [];
  });
}

function entriesOf(folder: string) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter(({ name }) => !name.startsWith(".")).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What the system is called when nobody says: the folder given, or the one the first file lies in. */
export function folderName(path: string): string {
  const folder = statSync(path).isDirectory() ? resolve(path) : dirname(resolve(path));
  return basename(folder) || "main";
}

/** The paths of the files that `findFiles` finds by one name. */
export function filesOf(path: string): string[] {
  return findFiles([path]).files.map((file) => file.path);
}

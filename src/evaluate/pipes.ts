import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";

const STDIN = ["-", "/dev/stdin"];

/**
 * Does something with files, after pipes among them (`-` is standard input) were read to their ends: a file is read more
 * than once, and a pipe cannot be. The copies are the person's alone, and are removed after it.
 */
export async function withPipesRead<T>(
  paths: readonly string[],
  work: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  if (!paths.some(isPipe)) return work(paths);
  const folder = mkdtempSync(join(tmpdir(), "svc-"));
  try {
    const files: string[] = [];
    for (const [i, path] of paths.entries()) files.push(isPipe(path) ? await copied(path, join(folder, `${i}`)) : path);
    return await work(files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isPipe(path: string): boolean {
  if (path === "-") return true;
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && (stat.isFIFO() || stat.isSocket());
}

async function copied(path: string, folder: string): Promise<string> {
  // A system is called after the folder of its first file where nobody says, and a pipe lies in none.
  const file = join(folder, "main", STDIN.includes(path) ? "stdin" : basename(path));
  mkdirSync(join(folder, "main"), { recursive: true });
  await pipeline(STDIN.includes(path) ? process.stdin : createReadStream(path), createWriteStream(file));
  return file;
}

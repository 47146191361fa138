import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { ComputeTask } from "../../chapters/compute.ts";
import type { SourceReading } from "../../chapters/repositories.ts";
import { readJavaScript } from "./source/javascript.ts";
import { Project } from "./source/project.ts";
import { readPython } from "./source/python.ts";
import { environmentOf, routesOf } from "./source/routes.ts";
import { toolsOf } from "./source/tools.ts";
import type { Source } from "./source/tree.ts";

const MOST_FILES = 3_000;
const LARGEST = 1024 * 1024;
const SCRIPT = /\.(?:[cm]?[jt]sx?)$/;
const PYTHON = /\.py$/;
/** Folders of other people's code, and of what was built. */
const SKIPPED = /^(?:node_modules|dist|build|out|vendor|venv|site-packages|coverage|__pycache__|\..*)$/;

/** Reads a checkout's sources on a worker thread: they are parsed, never run. */
export const readSource: ComputeTask<{ readonly folder: string }, SourceReading> = {
  name: "read_source",
  run: ({ folder }) => sourceReading(folder),
};

/** What the sources in a folder define, ask and read. Files past the limits are among `unread`. */
export async function sourceReading(folder: string): Promise<SourceReading> {
  const { parseSync } = await import("oxc-parser");
  const sources: Source[] = [];
  const unread: string[] = [];
  for await (const file of files(folder)) {
    const path = relative(folder, file).split(sep).join("/");
    const fits = sources.length < MOST_FILES && (await stat(file)).size <= LARGEST;
    const text = fits ? await readFile(file, "utf8") : undefined;
    const read =
      text === undefined
        ? undefined
        : PYTHON.test(path)
          ? readPython(path, text)
          : readJavaScript(parseSync, path, text);
    if (read) sources.push(read);
    else unread.push(path);
  }
  const project = new Project(sources);
  const of = (language: Source["language"]) => sources.filter((source) => source.language === language).length;
  return {
    tools: toolsOf(project),
    ...routesOf(project),
    env: environmentOf(project),
    files: { typescript: of("typescript"), python: of("python") },
    unread,
  };
}

/** The source files of a folder, in a fixed order; links are not followed. */
async function* files(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.test(entry.name)) yield* files(path);
    else if (entry.isFile() && !entry.name.endsWith(".d.ts") && (SCRIPT.test(entry.name) || PYTHON.test(entry.name)))
      yield path;
  }
}

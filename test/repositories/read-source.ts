import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { SourceReading } from "../../chapters/repositories.ts";
import { sourceReading } from "../../src/repositories/source-tools.ts";

/** What is read of a folder with these files, by path. The folder goes after the test. */
export async function read(files: Readonly<Record<string, string>>): Promise<SourceReading> {
  const folder = mkdtempSync(join(tmpdir(), "source-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return sourceReading(folder);
}

/** Its tools without their names, by name. */
export const tools = (reading: SourceReading) =>
  Object.fromEntries(reading.tools.map(({ tool: { name, ...rest } }) => [name, rest]));

/** Its routes without where they were read. */
export const routes = (reading: SourceReading) => reading.routes.map(({ file: _file, line: _line, ...rest }) => rest);

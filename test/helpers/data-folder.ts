import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Which of these texts stand in any file of the data folder as it is, the write-ahead log too. */
export function inFiles(dataDir: string, texts: readonly string[]): string[] {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = files.map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  return texts.filter((text) => contents.some((bytes) => bytes.includes(text)));
}

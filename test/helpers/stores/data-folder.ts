import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { unpack } from "../../../store/codec.ts";

/** Which of these texts stand in any file of the data folder as it is, the write-ahead log too. */
export function inFiles(dataDir: string, texts: readonly string[]): string[] {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = files.map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  return texts.filter((text) => contents.some((bytes) => bytes.includes(text)));
}

/**
 * Which of these texts stand in any row of the store, bodies unpacked, or in any file of its folder. Letters are
 * compared without their case.
 */
export function foundInStore(dataDir: string, texts: readonly string[]): string[] {
  const hits = new Set(inFiles(dataDir, texts));
  const wanted = texts.map((text) => [text, text.toLowerCase()] as const);
  const look = (value: string) => {
    const lower = value.toLowerCase();
    for (const [text, small] of wanted) if (lower.includes(small)) hits.add(text);
  };
  const db = new Database(join(dataDir, "store.db"), { readonly: true });
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
    for (const table of tables)
      for (const row of db.prepare(`select * from "${table}"`).iterate() as Iterable<Record<string, unknown>>) {
        const { encoding } = row;
        const texts = Object.values(row).map((value) => {
          if (!Buffer.isBuffer(value)) return String(value);
          return Buffer.from(typeof encoding === "string" ? unpack({ encoding, body: value }) : value).toString();
        });
        look(texts.join("\n"));
      }
  } finally {
    db.close();
  }
  return [...hits];
}

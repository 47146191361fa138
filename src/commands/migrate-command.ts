import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { countOf } from "../../chapters/count-of.ts";
import { takeFolderLock } from "../../store/folder-lock.ts";
import type { StoreLocation } from "../../store/open.ts";
import { transferStore } from "../../store/transfer.ts";
import { print, printJson, say } from "../cli/output.ts";
import { ConfigError } from "../config.ts";

/**
 * `svc migrate`: copies a workspace's store between a data folder and a PostgreSQL database, all or nothing. A folder
 * that a process uses is refused; servers of a database must be ended first, and what they still write is noticed.
 * Standard output has each table with its rows and digest, with `json` as one object.
 */
export async function migrateCommand(from: string, to: string, json: boolean): Promise<void> {
  if (from === to) throw new ConfigError("The source and the target are the same.");
  const held: { release(): void }[] = [];
  try {
    const source = locationOf(from, held);
    if ("path" in source && !existsSync(source.path)) throw new ConfigError("The source folder holds no store.");
    const target = locationOf(to, held);
    const done = await transferStore(source, target, ({ table, rows }) =>
      say(`${table}: ${countOf(rows, "row")} copied`),
    );
    const tables = done.map(({ table, rows, digest }) => ({ table, rows, digest }));
    if (json) printJson({ copied: true, tables });
    else print(...tables.map(({ table, rows, digest }) => `${table}\t${rows}\t${digest}`));
    say(
      "Every digest of the copy is that of its source. The sealing key goes along by hand: the file `key` of the data folder, or SVC_KEY.",
    );
  } finally {
    for (const lock of held) lock.release();
  }
}

function locationOf(text: string, held: { release(): void }[]): StoreLocation {
  if (/^postgres(ql)?:\/\//.test(text)) return { url: text };
  const folder = resolve(text);
  const path = join(folder, "store.db");
  if (!existsSync(folder)) throw new ConfigError("A data folder that was named is not there; make it first.");
  const lock = takeFolderLock(join(folder, "owner.lock"));
  if (!lock) throw new ConfigError("A process uses the data folder that was named; end it first.");
  held.push(lock);
  return { path };
}

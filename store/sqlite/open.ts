import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import type { Engine } from "../engine.ts";
import { type Migration, pending } from "../migrate.ts";
import { LogDisk, NO_DISK } from "./disk.ts";
import { SqliteEngine } from "./engine.ts";
import { migrations } from "./migrations.ts";
import { vacuumFile } from "./vacuum.ts";

/**
 * Opens or makes a SQLite database and brings its tables up to date. Its folder and file are made readable by their
 * owner only. `to` stops the migrations at an earlier version; `scrub` is where its file is scrubbed, here by default.
 */
export function openSqlite(
  path: string,
  to: readonly Migration[] = migrations,
  scrub: (path: string) => Promise<void> = async (file) => vacuumFile(file),
): Engine {
  if (path !== ":memory:") {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, "a", 0o600));
  }
  const db = new Database(path, { timeout: 5000 });
  try {
    db.pragma("journal_mode = wal");
    // An answer means the row is on disk: the engine flushes the log before it answers, off this thread, where FULL
    // would do it in every commit and hold the thread for as long.
    db.pragma("synchronous = normal");
    db.pragma("foreign_keys = on");
    db.pragma("secure_delete = on");
    db.pragma("temp_store = memory");
    db.pragma("cache_size = -65536");
    migrate(db, to);
    return new SqliteEngine(db, path === ":memory:" ? NO_DISK : new LogDisk(path, scrub));
  } catch (error) {
    db.close();
    throw error;
  }
}

/** All pending steps in one transaction that keeps every other process out; user_version is the version. */
function migrate(db: Database.Database, to: readonly Migration[]): void {
  const version = () => db.pragma("user_version", { simple: true }) as number;
  if (pending(to, version()).length === 0) return;
  db.transaction(() => {
    for (const migration of pending(to, version())) {
      db.exec(migration.sql);
      db.pragma(`user_version = ${migration.version}`);
    }
  }).exclusive();
}

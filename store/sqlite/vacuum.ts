import Database from "better-sqlite3";

/**
 * Writes a database anew from what stands in it and empties its log: no byte of deleted content is left in either.
 * Blocks its thread for as long as the database is large. Throws when another process reads the database meanwhile.
 */
export function vacuumFile(path: string): void {
  const db = new Database(path, { timeout: 30_000 });
  try {
    db.pragma("secure_delete = on");
    db.exec("vacuum");
    const [done] = db.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    if (done?.busy !== 0) throw new Error("the log could not be emptied: another process reads the database");
  } finally {
    db.close();
  }
}

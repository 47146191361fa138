import { workerData } from "node:worker_threads";
import Database from "better-sqlite3";

/**
 * Writes the database anew from what stands in it and empties its log: no byte of deleted content is left in either.
 * Runs in a thread of its own, since it takes as long as the database is large.
 */
const db = new Database(String(workerData), { timeout: 30_000 });
try {
  db.pragma("secure_delete = on");
  db.exec("vacuum");
  const [done] = db.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
  if (done?.busy !== 0) throw new Error("the log could not be emptied: another process reads the database");
} finally {
  db.close();
}

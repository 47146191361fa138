import Database from "better-sqlite3";

/**
 * Takes a lock that the system lets go of when this process ends, however it ends. Undefined while another process holds
 * it. The file is a database that is never written: its exclusive lock is the one kind that every platform frees by itself.
 */
export function takeFolderLock(path: string): { release(): void } | undefined {
  const database = new Database(path, { timeout: 0 });
  try {
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE");
    return { release: () => void database.close() };
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code?.startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
}

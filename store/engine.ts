import type { Program } from "./statement.ts";

/** A database that runs programs. What `write` and `writeOne` answered is on disk. */
export interface Engine {
  /** Whose full-text search it has. */
  readonly dialect: "sqlite" | "postgres";
  /** How many rows an insert takes at once to be cheapest here. */
  readonly rowsPerInsert: number;
  /** The same database, for programs of one org: where the engine can, it lets them see and write no other org's rows. */
  forOrg(org: string): Engine;
  /** Runs a program that only reads; each step sees what is committed by then. */
  read<T>(program: () => Program<T>): Promise<T>;
  /** Runs a program as one transaction: all of it or nothing. It may be run again when another was in its way. */
  write<T>(program: () => Program<T>): Promise<T>;
  /** Like `write`, for a program of one statement, which is its own transaction. */
  writeOne<T>(program: () => Program<T>): Promise<T>;
  /** Makes deleted content unreadable in the database's own files, as far as this engine can; writes wait meanwhile. */
  vacuum(): Promise<void>;
  /** Ends what was begun, then lets go of the database. */
  close(): Promise<void>;
}

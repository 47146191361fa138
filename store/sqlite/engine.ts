import Database from "better-sqlite3";
import { AppError, conflict, unavailable } from "../../chapters/errors.ts";
import { SQLiteSyncDialect } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { type Rendered, renderer } from "../render.ts";
import type { Program, Statement, StepResult, Values } from "../statement.ts";
import type { Disk } from "./disk.ts";

interface Waiting {
  /** Runs the program inside the open transaction; throws when it must be undone. */
  readonly work: () => void;
  readonly landed: () => void;
  readonly failed: (error: unknown) => void;
}

/** How long one transaction may gather the writes that wait, in milliseconds. */
const GATHER_MS = 8;

const NOTHING: StepResult = { rows: [], changes: 0 };

/**
 * Programs over one SQLite connection. Writes that wait at the same time share a transaction, each in a savepoint of
 * its own, and one flush to the disk answers them all: an answer means that it is kept through a power cut. The thread
 * goes on while the disk flushes. What is read meanwhile may be a write that is not answered yet; the next transaction
 * waits.
 */
export class SqliteEngine implements Engine {
  readonly dialect = "sqlite";
  readonly rowsPerInsert = 1;
  readonly #db: Database.Database;
  readonly #disk: Disk;
  readonly #render = renderer(new SQLiteSyncDialect());
  readonly #prepared = new WeakMap<Statement<unknown>, Prepared>();
  readonly #verbs: Readonly<
    Record<"begin" | "commit" | "rollback" | "savepoint" | "release" | "undo", Database.Statement>
  >;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #closed = false;
  #flushing: Promise<void> | undefined;
  #scrubbing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** Why the disk did not keep a transaction. What is in the database then is not known to be on it: nothing more is written. */
  #lost: AppError | undefined;

  /** Of a connection that leaves flushing to `disk`: synchronous NORMAL, which flushes the log before it is copied from. */
  constructor(db: Database.Database, disk: Disk) {
    this.#db = db;
    this.#disk = disk;
    this.#verbs = {
      begin: db.prepare("begin immediate"),
      commit: db.prepare("commit"),
      rollback: db.prepare("rollback"),
      savepoint: db.prepare("savepoint program"),
      release: db.prepare("release program"),
      undo: db.prepare("rollback to program"),
    };
  }

  /** The file has one user: whose rows a program sees is its own affair. */
  forOrg(): Engine {
    return this;
  }

  async read<T>(program: () => Program<T>): Promise<T> {
    this.#assertOpen();
    try {
      return this.#drive(program());
    } catch (error) {
      throw readable(error);
    }
  }

  write<T>(program: () => Program<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#assertOpen();
      if (this.#lost) throw this.#lost;
      let result: T;
      this.#waiting.push({
        work: () => {
          result = this.#drive(program());
        },
        landed: () => resolve(result),
        failed: (error) => reject(readable(error)),
      });
      this.#schedule();
    });
  }

  writeOne<T>(program: () => Program<T>): Promise<T> {
    return this.write(program);
  }

  /** Reads go on meanwhile; writes wait, since the database is written anew. */
  async vacuum(): Promise<void> {
    while (this.#scrubbing) await this.#scrubbing;
    this.#assertOpen();
    // Begun at once, so that no write comes before it but the one that is being flushed.
    const running = (this.#flushing ?? Promise.resolve()).then(() => {
      if (this.#lost) throw this.#lost;
      return this.#disk.vacuum();
    });
    // Settles either way: who waits for it only waits.
    this.#scrubbing = running.then(
      () => {},
      () => {},
    );
    try {
      await running;
    } finally {
      this.#scrubbing = undefined;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    while (this.#scrubbing) await this.#scrubbing;
    this.#closed = true;
    await this.#flushing;
    while (this.#waiting.length > 0) await this.#flush();
    try {
      this.#disk.close();
    } finally {
      this.#db.close();
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw unavailable("The store is closed.");
  }

  #schedule(): void {
    if (this.#scheduled || this.#flushing) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#closed || this.#scrubbing) return;
      this.#flushing = this.#flush().then(() => {
        this.#flushing = undefined;
        if (this.#waiting.length > 0) this.#schedule();
      });
    });
  }

  /** One transaction over writes that wait, as many as fit its time, brought to the disk. Never rejects. */
  async #flush(): Promise<void> {
    const done = this.#transaction();
    if (done.length === 0) return;
    try {
      await this.#disk.sync();
    } catch (error) {
      this.#lost = notKept(error);
      for (const waiting of [...done, ...this.#waiting.splice(0)]) waiting.failed(this.#lost);
      return;
    }
    for (const waiting of done) waiting.landed();
  }

  /** The writes that were committed; the others have failed. */
  #transaction(): readonly Waiting[] {
    try {
      this.#verbs.begin.run();
    } catch (error) {
      for (const waiting of this.#waiting.splice(0)) waiting.failed(error);
      return [];
    }
    const done: Waiting[] = [];
    try {
      const until = performance.now() + GATHER_MS;
      do {
        const next = this.#waiting.shift();
        if (!next) break;
        if (this.#attempt(next)) done.push(next);
      } while (performance.now() < until);
      this.#verbs.commit.run();
    } catch (error) {
      for (const waiting of done) waiting.failed(error);
      this.#rollBack();
      return [];
    }
    return done;
  }

  /** Undoes a transaction that failed. Where that fails too, the next one cannot begin, and its writes fail with why. */
  #rollBack(): void {
    try {
      if (this.#db.inTransaction) this.#verbs.rollback.run();
    } catch {}
  }

  /** False when the program failed and was undone. Throws when its error ended the whole transaction, as a full disk does. */
  #attempt(waiting: Waiting): boolean {
    try {
      this.#verbs.savepoint.run();
      waiting.work();
      this.#verbs.release.run();
      return true;
    } catch (error) {
      waiting.failed(error);
      if (!this.#db.inTransaction) throw error;
      this.#verbs.undo.run();
      this.#verbs.release.run();
      return false;
    }
  }

  #drive<T>(program: Program<T>): T {
    let step = program.next();
    while (!step.done) {
      // A transaction that writes is alone here: locks and exclusions hold by themselves.
      const { value } = step;
      step = program.next(value.do === "run" ? this.#run(value.statement, value.values) : NOTHING);
    }
    return step.value;
  }

  #run(statement: Statement<unknown>, values: Values): StepResult {
    const { native, rendered } = this.#prepare(statement);
    const bound = rendered.bind(values);
    if (native.reader) return { rows: native.all(...bound), changes: 0 };
    return { rows: [], changes: native.run(...bound).changes };
  }

  #prepare(statement: Statement<unknown>): Prepared {
    const before = this.#prepared.get(statement);
    if (before) return before;
    const rendered = this.#render(statement);
    const prepared = { rendered, native: this.#db.prepare(rendered.sql) };
    this.#prepared.set(statement, prepared);
    return prepared;
  }
}

interface Prepared {
  readonly rendered: Rendered;
  readonly native: Database.Statement<unknown[]>;
}

function notKept(cause: unknown): AppError {
  const reason = "The disk did not keep what was written; nothing more is written until the service is started again.";
  return Object.assign(unavailable(reason, { retryAfter: 60 }), { cause });
}

/** The disk failed, or a limit of the process on the size of its files is reached: `cause` says in which step. */
function notWritten(cause: Error): AppError {
  const reason =
    "The disk failed while the store was read or written. Look at its space, at the limit on the size of a file (ulimit -f) and at the system's log, and do it again: what was stored before is whole.";
  return Object.assign(unavailable(reason, { retryAfter: 60 }), { cause });
}

/** Errors of the database that a caller can act on, in the service's words; others as they are. */
function readable(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  switch (error.code) {
    case "SQLITE_CONSTRAINT_UNIQUE":
    case "SQLITE_CONSTRAINT_PRIMARYKEY":
      return conflict("It is stored already.");
    case "SQLITE_CONSTRAINT_FOREIGNKEY":
      return new AppError("not_found", "What it belongs to is not there.");
    case "SQLITE_BUSY":
    case "SQLITE_BUSY_SNAPSHOT":
      return unavailable("The store is busy; try again.", { retryAfter: 1 });
    case "SQLITE_FULL":
      return unavailable(
        "The disk that holds the store is full. Free some space and do it again: what was stored before is whole.",
        { retryAfter: 60 },
      );
    default:
      return error.code.startsWith("SQLITE_IOERR") ? notWritten(error) : error;
  }
}

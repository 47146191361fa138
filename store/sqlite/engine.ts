import Database from "better-sqlite3";
import { AppError } from "../../chapters/errors.ts";
import { SQLiteSyncDialect } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { type Rendered, renderer } from "../render.ts";
import type { Program, Statement, StepResult, Values } from "../statement.ts";

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
 * its own, so that one flush to the disk (synchronous FULL: kept through a power cut) answers them all.
 */
export class SqliteEngine implements Engine {
  readonly rowsPerInsert = 1;
  readonly #db: Database.Database;
  readonly #scrubFile: (path: string) => Promise<void>;
  readonly #render = renderer(new SQLiteSyncDialect());
  readonly #prepared = new WeakMap<Statement<unknown>, Prepared>();
  readonly #verbs: Readonly<
    Record<"begin" | "commit" | "rollback" | "savepoint" | "release" | "undo", Database.Statement>
  >;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #closed = false;
  #scrubbing: Promise<void> | undefined;

  /** `scrubFile` does what the function of that name does, in whichever thread. */
  constructor(db: Database.Database, scrubFile: (path: string) => Promise<void>) {
    this.#db = db;
    this.#scrubFile = scrubFile;
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
  async scrub(): Promise<void> {
    this.#assertOpen();
    if (this.#db.memory) return;
    while (this.#scrubbing) await this.#scrubbing;
    const running = this.#scrubFile(this.#db.name);
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

  async close(): Promise<void> {
    await this.#scrubbing;
    if (this.#closed) return;
    this.#closed = true;
    while (this.#waiting.length > 0) this.#flush();
    this.#db.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new AppError("unavailable", "The store is closed.");
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#closed || this.#scrubbing) return;
      this.#flush();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  /** One transaction over writes that wait, as many as fit its time. */
  #flush(): void {
    try {
      this.#verbs.begin.run();
    } catch (error) {
      for (const waiting of this.#waiting.splice(0)) waiting.failed(error);
      return;
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
      if (this.#db.inTransaction) this.#verbs.rollback.run();
      for (const waiting of done) waiting.failed(error);
      return;
    }
    for (const waiting of done) waiting.landed();
  }

  /** False when the program failed and was undone. Throws when its error ended the whole transaction, as a full disk does. */
  #attempt(waiting: Waiting): boolean {
    this.#verbs.savepoint.run();
    try {
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

/** Errors of the database that a caller can act on, in the service's words; others as they are. */
function readable(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  switch (error.code) {
    case "SQLITE_CONSTRAINT_UNIQUE":
    case "SQLITE_CONSTRAINT_PRIMARYKEY":
      return new AppError("conflict", "It is stored already.");
    case "SQLITE_CONSTRAINT_FOREIGNKEY":
      return new AppError("not_found", "What it belongs to is not there.");
    case "SQLITE_BUSY":
    case "SQLITE_BUSY_SNAPSHOT":
      return new AppError("unavailable", "The store is busy; try again.", { retryAfter: 1 });
    case "SQLITE_FULL":
      return new AppError("unavailable", "The disk that holds the store is full.", { retryAfter: 60 });
    default:
      return error;
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { AppError, unavailable } from "../../chapters/errors.ts";
import { PgDialect } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { renderer } from "../render.ts";
import type { Program, Step, StepResult } from "../statement.ts";
import { sha256 } from "../text.ts";
import { mayRunAgain, readable } from "./errors.ts";

/** How often a transaction is begun that others are in the way of. */
const ATTEMPTS = 8;

const LOCKS = { wait: " for update", skip: " for update skip locked" } as const;

const EXCLUDE = "select pg_advisory_xact_lock(hashtextextended($1, 0))";
const NOTHING: StepResult = { rows: [], changes: 0 };

/** One connection. */
type Runner = Pick<pg.ClientBase, "query">;

/** Whose rows a connection sees; the row-level policies of the tables ask for it (migrations.ts). */
const EVERY_ORG = "*";

/**
 * Programs over a pool of PostgreSQL connections. Transactions run at READ COMMITTED: what a program reads to write
 * by, it locks, and what is not there yet it names with `exclude`. A deadlock or a failed serialisation runs it again.
 */
export class PostgresEngine implements Engine {
  readonly dialect = "postgres";
  readonly rowsPerInsert = 50;
  readonly #database: Database;
  readonly #scope: string;

  /** Sees every org's rows, over connections of `across`; `forOrg` gives one that does not, over those of `pool`. */
  constructor(pool: pg.Pool, across = pool, of?: { readonly database: Database; readonly scope: string }) {
    this.#database = of?.database ?? new Database(pool, across);
    this.#scope = of?.scope ?? EVERY_ORG;
  }

  forOrg(org: string): Engine {
    const { pool, across } = this.#database;
    return new PostgresEngine(pool, across, { database: this.#database, scope: org });
  }

  async read<T>(program: () => Program<T>): Promise<T> {
    this.#assertOpen();
    try {
      return await this.#alone(program());
    } catch (error) {
      throw readable(error);
    }
  }

  async write<T>(program: () => Program<T>): Promise<T> {
    return this.#persist(() => this.#transaction(program()));
  }

  async writeOne<T>(program: () => Program<T>): Promise<T> {
    return this.#persist(() => this.#alone(program()));
  }

  /** Dead rows are taken out of the tables' pages; the server's own log and its copies are its operator's to let go. */
  async vacuum(): Promise<void> {
    this.#assertOpen();
    const client = await this.#database.connect(EVERY_ORG);
    try {
      await client.query("set statement_timeout = 0");
      await client.query("vacuum");
    } catch (error) {
      throw readable(error);
    } finally {
      // Its settings are this one's own: the next user gets a new connection.
      client.release(true);
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #assertOpen(): void {
    if (this.#database.closed) throw unavailable("The store is closed.");
  }

  async #persist<T>(attempt: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    for (let n = 1; ; n++) {
      try {
        return await attempt();
      } catch (error) {
        if (n === ATTEMPTS || !mayRunAgain(error)) throw readable(error);
        await sleep(Math.random() * 2 ** n);
      }
    }
  }

  async #transaction<T>(program: Program<T>): Promise<T> {
    const client = await this.#database.connect(this.#scope);
    let broken = false;
    try {
      const result = await this.#drive(client, program, await this.#begin(client, program));
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch(() => {
        broken = true;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Runs a program outside a transaction. */
  async #alone<T>(program: Program<T>): Promise<T> {
    const client = await this.#database.connect(this.#scope);
    let failed: unknown;
    try {
      return await this.#drive(client, program);
    } catch (error) {
      failed = error;
      throw error;
    } finally {
      // Only what the database itself answered leaves the connection fit for use.
      client.release(failed !== undefined && !(failed instanceof pg.DatabaseError) && !(failed instanceof AppError));
    }
  }

  /** Begins a transaction, in one trip with the exclusion that the program starts with, if any; answers its next step. */
  async #begin<T>(client: pg.ClientBase, program: Program<T>): Promise<IteratorResult<Step, T>> {
    const first = program.next();
    if (first.done || first.value.do !== "exclude") {
      await client.query("begin");
      return first;
    }
    const scope = client.escapeLiteral(first.value.scope);
    await client.query(`begin; ${EXCLUDE.replace("$1", () => scope)}`);
    return program.next(NOTHING);
  }

  async #drive<T>(runner: Runner, program: Program<T>, first = program.next()): Promise<T> {
    let step = first;
    while (!step.done) step = program.next(await this.#step(runner, step.value));
    return step.value;
  }

  async #step(runner: Runner, step: Step): Promise<StepResult> {
    if (step.do === "exclude") {
      await runner.query({ name: "exclude", text: EXCLUDE, values: [step.scope] });
      return NOTHING;
    }
    const { sql, bind } = this.#database.render(step.statement);
    const text = step.lock === undefined ? sql : sql + LOCKS[step.lock];
    const result = await runner.query({ name: this.#database.name(text), text, values: bind(step.values) });
    return { rows: result.rows, changes: result.rowCount ?? 0 };
  }
}

/** What the engines of one database share: its connections and the statements they have prepared. */
class Database {
  readonly pool: pg.Pool;
  /** Apart, since to say whose rows a connection sees is a trip: a request looks its token up across orgs, then works in one. */
  readonly across: pg.Pool;
  readonly render = renderer(new PgDialect());
  readonly #names = new Map<string, string>();
  /** Whose rows each connection sees now. */
  readonly #scopes = new WeakMap<pg.PoolClient, string>();
  #closing: Promise<void> | undefined;

  constructor(pool: pg.Pool, across: pg.Pool) {
    this.pool = pool;
    this.across = across;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  /** A connection that sees the rows of `scope`; whoever has it releases it. */
  async connect(scope: string): Promise<pg.PoolClient> {
    const client = await (scope === EVERY_ORG ? this.across : this.pool).connect();
    if (this.#scopes.get(client) === scope) return client;
    try {
      await client.query({ name: "scope", text: "select set_config('svc.org', $1, false)", values: [scope] });
      this.#scopes.set(client, scope);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** The same text has the same name on every connection, so that each prepares it once. */
  name(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = sha256(text).slice(0, 32);
      this.#names.set(text, name);
    }
    return name;
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([...new Set([this.pool, this.across])].map((pool) => pool.end())).then(
      () => undefined,
    );
    return this.#closing;
  }
}

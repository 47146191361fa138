import pg from "pg";
import { unprocessable } from "../../chapters/errors.ts";
import type { Engine } from "../engine.ts";
import { type Migration, pending } from "../migrate.ts";
import { PostgresEngine } from "./engine.ts";
import { readable } from "./errors.ts";
import { migrations } from "./migrations.ts";
import { endSilent } from "./silence.ts";

/** Keeps programs that start together from migrating at once; any number that nothing else uses. */
const MIGRATION_LOCK = 7_205_759_403;

/** Connections that a process keeps for the work of orgs, and for what is asked across them. */
const ORG_CONNECTIONS = 7;
const ACROSS_CONNECTIONS = 3;

/** A server whose link broke in silence loses its locks in half a minute, and its place among the connections. */
const LET_GO =
  "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3; set tcp_user_timeout = 25000";

/** How a database is opened. */
interface Opening {
  /** The migrations to bring it to; all of them when absent. */
  readonly to?: readonly Migration[];
  /** Told what stands but should not. */
  readonly warn?: ((sentence: string) => void) | undefined;
}

/** Opens a PostgreSQL database (encoding UTF8) and brings its tables up to date. */
export async function openPostgres(url: string, { to = migrations, warn }: Opening = {}): Promise<Engine> {
  const [pool, across] = [poolOf(url, ORG_CONNECTIONS), poolOf(url, ACROSS_CONNECTIONS)];
  try {
    await migrate(across, to);
    if (warn && (await isAboveGuards(across)))
      warn(
        "The database role is a superuser or bypasses row-level security, so the row guards between orgs do not hold. Connect as a role that only owns the database.",
      );
    for (const each of [pool, across]) endSilent(each);
    return new PostgresEngine(pool, across);
  } catch (error) {
    await Promise.all([pool.end(), across.end()]);
    throw readable(error);
  }
}

function poolOf(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "proving-ground",
    max,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    onConnect: (client) => client.query(LET_GO),
    types: { getTypeParser: typeParser },
  });
  // A connection that breaks is replaced by the pool and fails the query it was in; these listeners only keep the
  // event, idle or in use, from ending the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Whole numbers of eight bytes as numbers: no column holds more than 2^53. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as "text");

async function isAboveGuards(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(
    "select rolsuper or rolbypassrls as above from pg_roles where rolname = current_user",
  );
  return rows[0]?.above === true;
}

/** All pending steps in one transaction; others that start meanwhile wait for it. */
async function migrate(pool: pg.Pool, to: readonly Migration[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("set local statement_timeout = 0");
    await client.query("select set_config('svc.org', '*', true)");
    await client.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    const encoding = await client.query("show server_encoding");
    if (encoding.rows[0]?.server_encoding !== "UTF8") {
      throw unprocessable("The database must be encoded in UTF8.");
    }
    await client.query(
      "create table if not exists migrations (version integer primary key, name text not null, applied_at timestamptz not null default now())",
    );
    const { rows } = await client.query("select coalesce(max(version), 0) as version from migrations");
    for (const { version, name, sql } of pending(to, rows[0].version)) {
      await client.query(sql);
      await client.query("insert into migrations (version, name) values ($1, $2)", [version, name]);
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

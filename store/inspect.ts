import { existsSync } from "node:fs";
import Database from "better-sqlite3";

/** What a look at a store finds, without changing it. */
export interface StoreInspection {
  /** The version of its tables; undefined where there are none yet. */
  readonly tables: number | undefined;
  /** The newest version that this program knows. */
  readonly known: number;
  /** Of PostgreSQL alone. */
  readonly server?: {
    readonly version: string;
    readonly role: string;
    /** The role stands above row-level security, so the guards between orgs do not hold. */
    readonly aboveGuards: boolean;
    /** The server's clock, unix seconds. */
    readonly now: number;
  };
}

/** Looks at a SQLite store. Throws where the file is no database. */
export async function inspectSqlite(path: string): Promise<StoreInspection> {
  const { migrations } = await import("./sqlite/migrations.ts");
  const known = migrations.at(-1)?.version ?? 0;
  if (!existsSync(path)) return { tables: undefined, known };
  const db = new Database(path, { readonly: true, timeout: 1000 });
  try {
    return { tables: db.pragma("user_version", { simple: true }) as number, known };
  } finally {
    db.close();
  }
}

/** Looks at a PostgreSQL store. Throws the driver's error where it cannot be reached within five seconds. */
export async function inspectPostgres(url: string): Promise<StoreInspection> {
  const [{ default: pg }, { migrations }] = await Promise.all([import("pg"), import("./postgres/migrations.ts")]);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, statement_timeout: 5000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query(
      "select current_setting('server_version') as version, current_user as role, extract(epoch from clock_timestamp())::float8 as now, (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as above, to_regclass('migrations') is not null as migrated",
    );
    const { version, role, now, above, migrated } = rows[0];
    const tables = migrated
      ? Number((await client.query("select coalesce(max(version), 0) as tables from migrations")).rows[0].tables)
      : undefined;
    const known = migrations.at(-1)?.version ?? 0;
    return { tables, known, server: { version, role, aboveGuards: above === true, now } };
  } finally {
    await client.end().catch(() => undefined);
  }
}

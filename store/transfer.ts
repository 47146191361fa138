import { createHash, type Hash } from "node:crypto";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { conflict } from "../chapters/errors.ts";
import { asc, eq, getTableColumns, sql } from "./drizzle.ts";
import type { Engine } from "./engine.ts";
import type { StoreLocation } from "./open.ts";
import { COPYING, openEngine } from "./open.ts";
import { ORG_TABLES } from "./org-tables.ts";
import { orgs, settings, workspaceAudit } from "./schema.ts";
import { all, build, byShape, run, statement, type Values, value } from "./statement.ts";

/** One table of a transfer: its rows, and the SHA-256 over all of them in the order of their key. */
export interface TransferredTable {
  readonly table: string;
  readonly rows: number;
  readonly digest: string;
}

type Row = Readonly<Record<string, Values[string]>>;
type Copied = ReturnType<typeof copied>;

const SETTINGS = copied("settings", settings, [settings.name]);

/** Every table that holds something to keep, in the order that references take. */
const TABLES = [
  copied("orgs", orgs, [orgs.id]),
  SETTINGS,
  ...ORG_TABLES.map(({ name, table, key, page }) => copied(name, table, key, page)),
  copied("workspace_audit", workspaceAudit, [workspaceAudit.seq]),
];

function copied(name: string, table: PgTable, key: readonly PgColumn[], page = 500) {
  const columns = getTableColumns(table);
  const names = Object.keys(columns).sort();
  const places = key.map((_, i) => sql`${value(`key${i}`)}`);
  const beyond = sql`(${sql.join([...key], sql`, `)}) > (${sql.join(places, sql`, `)})`;
  return {
    name,
    names,
    page,
    /** What stands in a row's key. */
    keyOf: (row: Row): Values =>
      Object.fromEntries(key.map((column, i) => [`key${i}`, row[named(columns, column)] ?? null])),
    select: byShape((follows: boolean) =>
      statement(
        build
          .select(columns)
          .from(table)
          .where(follows ? beyond : undefined)
          .orderBy(...key.map((column) => asc(column)))
          .limit(value("limit")),
      ),
    ),
    insert: byShape((rows: number) =>
      statement(
        build
          .insert(table)
          .values(
            Array.from({ length: rows }, (_, i) =>
              Object.fromEntries(names.map((column) => [column, value(`${column}${i}`)])),
            ),
          ),
      ),
    ),
    empty: statement(build.delete(table)),
  };
}

function named(columns: Readonly<Record<string, PgColumn>>, column: PgColumn): string {
  return Object.entries(columns).find(([, known]) => known === column)?.[0] ?? column.name;
}

/**
 * Copies a store into an empty one, table by table and page by page, then reads both again: what was read first, what the
 * target holds and what the source holds at the end must have the same digests. All or nothing: until that is shown the
 * target is marked, no service opens it, and the next transfer into it empties it and begins anew. Throws `conflict` for
 * a target that holds anything, for a source that is such a half copy, and for one that was written to meanwhile.
 */
export async function transferStore(
  from: StoreLocation,
  to: StoreLocation,
  tell: (done: TransferredTable) => void = () => {},
): Promise<TransferredTable[]> {
  const source = await openEngine(from);
  try {
    const target = await openEngine(to);
    try {
      return await transfer(source, target, tell);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function transfer(source: Engine, target: Engine, tell: (done: TransferredTable) => void) {
  if (await isMarked(source))
    throw conflict("The source is itself a copy that was not finished; it cannot be copied on.");
  if (await isMarked(target)) await clear(target);
  else await refuseFull(target);
  const mark = { name0: COPYING, value0: new Date().toISOString() };
  await target.writeOne(() => run(SETTINGS.insert(1), mark));
  const done: TransferredTable[] = [];
  for (const table of TABLES) {
    const read = await walk(source, table, (rows) => write(target, table, rows));
    done.push(read);
    tell(read);
  }
  for (const read of done) {
    const table = TABLES.find(({ name }) => name === read.table) as Copied;
    if ((await walk(target, table)).digest !== read.digest)
      throw conflict("The copy of a table differs from its source; details name it.", {
        names: [read.table],
      });
    if ((await walk(source, table)).digest !== read.digest)
      throw conflict(
        "The source was written to meanwhile; details name the table. End every process that uses it, then do it again.",
        { names: [read.table] },
      );
  }
  await target.writeOne(() => run(unmark, { name: COPYING }));
  return done;
}

const selectMark = statement(
  build
    .select({ name: settings.name })
    .from(settings)
    .where(eq(settings.name, value("name"))),
);
const unmark = statement(build.delete(settings).where(eq(settings.name, value("name"))));

async function isMarked(engine: Engine): Promise<boolean> {
  return (await engine.read(() => all(selectMark, { name: COPYING }))).length > 0;
}

async function refuseFull(target: Engine): Promise<void> {
  for (const { name, select } of TABLES) {
    if ((await target.read(() => all(select(false), { limit: 1 }))).length > 0)
      throw conflict("The target holds something already; give an empty one. Details name a table.", {
        names: [name],
      });
  }
}

/** Empties a half copy; its mark goes last. */
async function clear(target: Engine): Promise<void> {
  for (const { name, empty } of [...TABLES].reverse()) {
    if (name !== "settings") await target.writeOne(() => run(empty, {}));
  }
  await target.writeOne(() => run(SETTINGS.empty, {}));
}

/** Reads a table in the order of its key, a page at a time. */
async function walk(engine: Engine, table: Copied, each?: (rows: readonly Row[]) => Promise<void>) {
  const digest = createHash("sha256");
  let rows = 0;
  let after: Values | undefined;
  for (;;) {
    const values: Values = { limit: table.page, ...after };
    const page = (await engine.read(() => all(table.select(after !== undefined), values))) as Row[];
    const kept = page.filter(({ name }) => table.name !== "settings" || name !== COPYING);
    for (const row of kept) for (const name of table.names) digestCell(digest, row[name] ?? null);
    rows += kept.length;
    if (kept.length > 0) await each?.(kept);
    const last = page.at(-1);
    if (!last || page.length < table.page) return { table: table.name, rows, digest: digest.digest("hex") };
    after = table.keyOf(last);
  }
}

/** Each cell by its kind, its length and its bytes, so that no two rows read alike. */
function digestCell(digest: Hash, cell: Values[string]): void {
  if (cell === null) {
    digest.update("-");
    return;
  }
  const bytes = cell instanceof Uint8Array ? cell : Buffer.from(String(cell));
  digest
    .update(`${cell instanceof Uint8Array ? "b" : typeof cell === "number" ? "n" : "t"}${bytes.byteLength}:`)
    .update(bytes);
}

async function write(target: Engine, table: Copied, rows: readonly Row[]): Promise<void> {
  const { rowsPerInsert } = target;
  await target.write(function* () {
    for (let i = 0; i < rows.length; i += rowsPerInsert) {
      const some = rows.slice(i, i + rowsPerInsert);
      const values = some.flatMap((row, n) => table.names.map((name) => [`${name}${n}`, row[name] ?? null] as const));
      yield* run(table.insert(some.length), Object.fromEntries(values));
    }
  });
}

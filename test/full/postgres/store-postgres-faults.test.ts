import { eq, sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../../store/open.ts";
import { PostgresEngine } from "../../../store/postgres/engine.ts";
import { migrations } from "../../../store/postgres/migrations.ts";
import { openPostgres } from "../../../store/postgres/open.ts";
import { orgs } from "../../../store/schema.ts";
import { serviceStore } from "../../../store/service.ts";
import { all, build, run, statement, value } from "../../../store/statement.ts";
import { asSuperuser, type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { trace } from "../../store/contract/bodies.ts";
import { Note, note } from "../../store/contract/notes.ts";
import { expectSchema, type TableFacts } from "../../store/schema-facts.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster.stop());

async function ask<T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: asSuperuser(url) });
  await client.connect();
  const { rows } = await client.query<T>(sql);
  await client.end();
  return rows;
}

const version = async (url: string) =>
  (await ask<{ version: number }>(url, "select max(version) as version from migrations"))[0]?.version;

describe("PostgreSQL migrations", () => {
  it("make the tables that the schema describes, org first in every key", async () => {
    const url = await cluster.database();
    await (await openStore({ url })).close();
    const columns = await ask<{ table_name: string; column_name: string; data_type: string; is_nullable: string }>(
      url,
      "select table_name, column_name, data_type, is_nullable from information_schema.columns where table_schema = 'public'",
    );
    const keys = await ask<{ table_name: string; name: string; columns: string[] }>(
      url,
      `select t.relname as table_name, c.relname as name, array(
         select a.attname::text from unnest(i.indkey) with ordinality k(n, o) join pg_attribute a on a.attrelid = t.oid and a.attnum = k.n order by o
       ) as columns
       from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
       join pg_namespace n on n.oid = t.relnamespace where n.nspname = 'public'`,
    );
    // The table of words is this engine's own, as the full-text table is SQLite's.
    const apart = new Set(["migrations", "trace_words"]);
    const names = [...new Set(columns.map((column) => column.table_name))].filter((name) => !apart.has(name));
    const facts = names.sort().map(
      (name): TableFacts => ({
        name,
        columns: columns
          .filter((column) => column.table_name === name)
          .map((column) => ({
            name: column.column_name,
            type: column.data_type,
            notNull: column.is_nullable === "NO",
          })),
        keys: keys.filter((key) => key.table_name === name),
      }),
    );
    const types = ["text", "bigint", "integer", "double precision", "bytea"];
    expectSchema(facts, Object.fromEntries(types.map((type) => [type, type])));
  });

  it("bring a store of the version before up to date with its rows, once however many open it together", async () => {
    const url = await cluster.database();
    const before = serviceStore(await openPostgres(url, { to: migrations.slice(0, 1) }));
    await ask(url, "insert into orgs (id, tag, created_at) values ('org_1', 'one', 1)");
    const doc = note({ colour: "red" });
    await before.forOrg("org_1").records.insert(Note, doc);
    await before.close();
    expect(await version(url)).toBe(1);
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore({ url })));
    for (const store of stores) {
      expect((await store.forOrg("org_1").records.list(Note, { where: { colour: "red" } })).items).toEqual([doc]);
      await store.close();
    }
    expect(await version(url)).toBe(migrations.length);
    const index = await ask(url, "select 1 as x from pg_indexes where indexname = 'ledger_by_time'");
    expect(index).toHaveLength(1);
  });

  it("keep the entries that traces were found by, those too that a server of the version before writes meanwhile", async () => {
    const url = await cluster.database();
    const before = serviceStore(await openPostgres(url, { to: migrations.slice(0, 10) }));
    await before.createOrg({ id: "org_1", tag: "one", created_at: 1 });
    const rows = [0, 65_535, 65_536, 70_000].map((position) => ({
      id: `tr_${position}`,
      evidence: "ev_1",
      position,
      trace: trace(`of ${position}`),
    }));
    await before.forOrg("org_1").traces.append(rows);
    await before.close();
    // As that version wrote them.
    const entry = (position: number, words: string) =>
      ask(
        url,
        `insert into trace_index (org, evidence, position, cost_usd, words) values ('org_1', 'ev_1', ${position}, ${position}, '${words}')`,
      );
    await entry(0, "in=ev_1 common zero");
    await entry(65_535, "in=ev_1 common one");
    await entry(65_536, `in=ev_1 common ${"w".repeat(1_000_000)}`);
    const store = await openStore({ url });
    await entry(70_000, "in=ev_1 common older");
    const { search } = store.forOrg("org_1");
    const places = async (word: string, cost = {}) =>
      (await search.find("ev_1", { words: [{ word, prefix: false }], cost })).items.map(({ position }) => position);
    expect(await places("common")).toEqual([0, 65_535, 70_000]);
    expect(await places("common", { min: 1, max: 65_535 })).toEqual([65_535]);
    expect(await places("zero")).toEqual([0]);
    expect(await search.missing("ev_1", 0, 10)).toEqual([65_536]);
    await entry(65_536, "in=ev_1 common two");
    await store.close();
    expect(await ask(url, "select chunk, cost_min, cost_max, started_max from trace_spans order by chunk")).toEqual(
      [0, 65_535, 65_536, 70_000].map((position) => ({
        chunk: String(Math.floor(position / 4096)),
        cost_min: position,
        cost_max: position,
        started_max: null,
      })),
    );
  });

  it("make an empty database once however many open it together", async () => {
    const url = await cluster.database();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore({ url })));
    for (const store of stores) await store.close();
    expect(await version(url)).toBe(migrations.length);
  });

  it("refuse a store that a newer version wrote, and are all or nothing", async () => {
    const url = await cluster.database();
    await (await openStore({ url })).close();
    const broken = [
      ...migrations,
      { version: migrations.length + 1, name: "broken", sql: "create table half (a int); create tabel x;" },
    ];
    await expect(openPostgres(url, { to: broken })).rejects.toThrow(/syntax error/);
    expect(await ask(url, "select 1 as x from pg_tables where tablename = 'half'")).toEqual([]);
    await ask(url, "insert into migrations (version, name) values (99, 'later')");
    await expect(openStore({ url })).rejects.toMatchObject({
      code: "conflict",
      reason: expect.stringContaining("newer version of this program (tables 99"),
    });
  });

  it("refuse a database that is not in UTF8", async () => {
    const url = await cluster.database();
    await ask(url, "create database latin encoding 'LATIN1' locale 'C' template template0");
    const latin = url.replace(/[^/]+$/, "latin");
    await expect(openStore({ url: latin })).rejects.toMatchObject({ code: "unprocessable" });
  });
});

describe("PostgreSQL faults", () => {
  it("say that the database cannot be reached, without its address or password", async () => {
    const error = await openStore({ url: "postgres://svc:hunter2@127.0.0.1:1/none" }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ code: "unavailable", details: { retryAfter: 5 } });
    expect(String(error)).not.toMatch(/hunter2|127\.0\.0\.1/);
  });

  it("cut connections: what was answered is there, what failed is whole or absent, and the store goes on", async () => {
    const store = await openStore({ url: await cluster.database() });
    await store.createOrg({ id: "org_1", tag: "one", created_at: 1 });
    const { records } = store.forOrg("org_1");
    const docs: [Note, Note][] = [];
    const answered = new Set<string>();
    let going = true;
    const writers = Array.from({ length: 6 }, async () => {
      while (going) {
        const pair: [Note, Note] = [note(), note()];
        docs.push(pair);
        try {
          await records.apply(pair.map((doc) => ({ op: "insert" as const, kind: Note, doc })));
          answered.add(pair[0].id);
        } catch (error) {
          expect(error).toMatchObject({ code: "unavailable" });
        }
      }
    });
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await cluster.cutConnections();
    }
    going = false;
    await Promise.all(writers);
    expect(answered.size).toBeGreaterThan(10);
    for (const [a, b] of docs) {
      const found = (await records.getMany(Note, [a.id, b.id])).length;
      expect(answered.has(a.id) ? [2] : [0, 2]).toContain(found);
    }
    await store.close();
  });

  it("run a program again that a deadlock ended", async () => {
    const url = await cluster.database();
    await (await openStore({ url })).close();
    const engine = new PostgresEngine(
      new pg.Pool({ connectionString: asSuperuser(url), options: "-c deadlock_timeout=50" }),
    );
    const add = statement(build.insert(orgs).values({ id: value("id"), tag: value("id"), created_at: 1 }));
    const lock = statement(
      build
        .select({ tag: orgs.tag })
        .from(orgs)
        .where(eq(orgs.id, value("id"))),
    );
    const pause = { query: () => sql`select pg_sleep(0.1)` };
    for (const id of ["a", "b"]) await engine.writeOne(() => run(add, { id }));
    let runs = 0;
    const both = (first: string, second: string) =>
      engine.write(function* () {
        runs += 1;
        const rows = yield* all(lock, { id: first }, "wait");
        yield* run(pause, {});
        rows.push(...(yield* all(lock, { id: second }, "wait")));
        return rows.map((row) => row.tag).join("");
      });
    const ends = await Promise.all([both("a", "b"), both("b", "a"), both("a", "b"), both("b", "a")]);
    expect(ends).toEqual(["ab", "ba", "ab", "ba"]);
    expect(runs).toBeGreaterThan(4);
    await engine.close();
  });
});

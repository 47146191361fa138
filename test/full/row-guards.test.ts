import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../store/open.ts";
import { PostgresEngine } from "../../store/postgres/engine.ts";
import { orgs, records, settings } from "../../store/schema.ts";
import { all, build, run, statement } from "../../store/statement.ts";
import { asSuperuser, type Cluster, startPostgres } from "../helpers/stores/postgres.ts";
import { Note, note } from "../store/contract/notes.ts";

let cluster: Cluster;
let url: string;
let pool: pg.Pool;
beforeAll(async () => {
  cluster = await startPostgres();
  url = await cluster.database();
  const store = await openStore({ url });
  for (const id of ["org_a", "org_b"]) {
    await store.createOrg({ id, tag: id.replace("_", "-"), created_at: 1 });
    await store.forOrg(id).records.insert(Note, note({ id: `note_${id}`, text: `of ${id}` }));
  }
  await store.putSetting("name", "value");
  await store.close();
  pool = new pg.Pool({ connectionString: url, max: 2 });
});
afterAll(async () => {
  await pool.end();
  await cluster.stop();
});

// Programs that forgot their org.
const everyRecord = statement(build.select({ org: records.org, id: records.id }).from(records));
const everyOrg = statement(build.select({ id: orgs.id }).from(orgs));
const everySetting = statement(build.select({ name: settings.name }).from(settings));
const removeAll = statement(build.delete(records));
const rename = statement(build.update(records).set({ org: "org_b" }));

it("shows and changes an org's own rows alone, to queries that name no org too", async () => {
  const engine = new PostgresEngine(pool);
  const a = engine.forOrg("org_a");
  expect(await a.read(() => all(everyRecord, {}))).toEqual([{ org: "org_a", id: "note_org_a" }]);
  expect(await a.read(() => all(everyOrg, {}))).toEqual([{ id: "org_a" }]);
  expect(await a.read(() => all(everySetting, {}))).toEqual([]);
  await expect(a.writeOne(() => run(rename, {}))).rejects.toThrow(/row-level security/);
  expect(await a.write(() => run(removeAll, {}))).toBe(1);
  expect((await engine.read(() => all(everyRecord, {}))).map(({ org }) => org)).toEqual(["org_b"]);
  expect(await engine.read(() => all(everyOrg, {}))).toHaveLength(2);
});

it("keeps orgs apart on connections that they take turns with", async () => {
  const engine = new PostgresEngine(pool);
  const seen = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const org = ["org_a", "org_b", "org_c"][i % 3] as string;
      return { org, rows: await engine.forOrg(org).read(() => all(everyOrg, {})) };
    }),
  );
  for (const { org, rows } of seen) expect(rows).toEqual(org === "org_c" ? [] : [{ id: org }]);
});

it("shows nothing to a connection that does not say whose it is", async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const table of ["records", "orgs", "settings"])
      expect((await client.query(`select * from ${table}`)).rows).toEqual([]);
  } finally {
    await client.end();
  }
});

it("guards every table there is, but the list of migrations", async () => {
  const { rows } = await pool.query(
    "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and not (relrowsecurity and relforcerowsecurity)",
  );
  expect(rows).toEqual([{ relname: "migrations" }]);
});

it("is told of by the store that is opened by a role which the guards do not hold", async () => {
  const told: string[] = [];
  const warn = (sentence: string) => void told.push(sentence);
  await (await openStore({ url }, { warn })).close();
  expect(told).toEqual([]);
  await (await openStore({ url: asSuperuser(url) }, { warn })).close();
  expect(told).toEqual([expect.stringContaining("superuser")]);
});

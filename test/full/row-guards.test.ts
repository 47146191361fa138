import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { searchEntry } from "../../chapters/evidence/traces/trace-words.ts";
import { sql } from "../../store/drizzle.ts";
import { openStore } from "../../store/open.ts";
import { PostgresEngine } from "../../store/postgres/engine.ts";
import { orgs, records, settings } from "../../store/schema.ts";
import { serviceStore } from "../../store/service.ts";
import { all, build, run, type Statement, statement } from "../../store/statement.ts";
import { asSuperuser, type Cluster, startPostgres } from "../helpers/stores/postgres.ts";
import { trace } from "../store/contract/bodies.ts";
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

describe("the words that traces are found by", () => {
  const evidence = "ev_1";
  const found = async (at: string, org: string, word: string) => {
    const store = await openStore({ url: at });
    try {
      const query = { words: [{ word, prefix: false }] };
      const { items } = await store.forOrg(org).search.find(evidence, query, { limit: 3 });
      return items.map(({ id }) => id);
    } finally {
      await store.close();
    }
  };
  beforeAll(async () => {
    const store = await openStore({ url });
    for (const org of ["org_a", "org_b"])
      for (let from = 0; from < 3000; from += 500) {
        const rows = Array.from({ length: 500 }, (_, i) => ({
          id: `tr_${org}_${from + i}`,
          evidence,
          position: from + i,
          trace: trace(`common only${from + i} ${org === "org_a" ? "secret" : "plain"}`),
        }));
        await store.forOrg(org).traces.append(rows);
        await store.forOrg(org).search.add(
          evidence,
          rows.map((row) => searchEntry(row.position, row.trace)),
        );
      }
    await store.close();
  });

  it("are seen by their own org alone, and only those that match what it asks for, by their index", async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const seen = async (org: string, words: string) => {
        await client.query("select set_config('svc.org', $1, false), set_config('svc.words', $2, false)", [org, words]);
        return (await client.query("select org, count(*)::int as n from trace_words group by org")).rows;
      };
      expect((await client.query("select * from trace_words")).rows).toEqual([]);
      expect(await seen("org_a", "")).toEqual([]);
      expect(await seen("org_a", "'common'")).toEqual([{ org: "org_a", n: 3000 }]);
      expect(await seen("org_a", "!'nowhere'")).toEqual([{ org: "org_a", n: 3000 }]);
      expect(await seen("org_b", "'secret'")).toEqual([]);
      expect(await seen("org_c", "'common'")).toEqual([]);
      expect(await seen("", "'common'")).toEqual([]);
      expect(await seen("org_b", "'only17'")).toEqual([{ org: "org_b", n: 1 }]);
      await client.query("set enable_seqscan = off");
      const { rows } = await client.query("explain select position from trace_words where org = 'org_b'");
      expect(JSON.stringify(rows)).toMatch(/trace_words_by_word.*Index Cond: \(words @@/);
      await expect(
        client.query("insert into trace_words (id, org, position, words) values (1, 'org_a', 1, 'x')"),
      ).rejects.toThrow(/row-level security/);
      expect((await client.query("delete from trace_words where org = 'org_a'")).rowCount).toBe(0);
    } finally {
      await client.end();
    }
  });

  it("say whose they are without a look into another page for each", async () => {
    const org = "org_01m84tweze748zh00jrfevstvw";
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const store = await openStore({ url });
    try {
      await store.createOrg({ id: org, tag: "long", created_at: 1 });
      // As many words as a session has: their entry does not fit beside the numbers.
      const words = Array.from({ length: 300 }, (_, i) => `word${i}`).join(" ");
      const rows = Array.from({ length: 500 }, (_, i) => ({
        ...{ id: `tr_long_${i}`, evidence, position: i },
        trace: trace(`${words} n${i}`, {
          started_at: 100,
          cost_usd: 0.5,
          turns: [{ role: "user", text: words, at: 101 }],
        }),
      }));
      await store.forOrg(org).traces.append(rows);
      const entries = rows.map((row) => searchEntry(row.position, row.trace));
      await store.forOrg(org).search.add(evidence, entries);
      await client.query("select set_config('svc.org', $1, false), set_config('svc.words', $2, false)", [
        org,
        "'word7'",
      ]);
      await client.query("set enable_seqscan = off");
      const asked = `explain (analyze, buffers, format json) select count(*) from trace_words where org = '${org}'`;
      const [{ "QUERY PLAN": plan }] = (await client.query(asked)).rows;
      const { Plan: top } = plan[0];
      expect(top.Plans[0]["Actual Rows"]).toBe(500);
      expect(top["Shared Hit Blocks"] + top["Shared Read Blocks"]).toBeLessThan(250);
    } finally {
      await store.close();
      await client.end();
    }
  });

  it("are found by an org among its own, by a role that no policy holds too", async () => {
    for (const at of [url, asSuperuser(url)]) {
      expect(await found(at, "org_a", "secret")).toEqual(["tr_org_a_0", "tr_org_a_1", "tr_org_a_2"]);
      expect(await found(at, "org_b", "secret")).toEqual([]);
      expect(await found(at, "org_b", "only2999")).toEqual(["tr_org_b_2999"]);
    }
  });

  it("are no setting of the next user of a connection", async () => {
    const one = new PostgresEngine(pool);
    const setting = { query: () => sql`select current_setting('svc.words', true) as words` } as Statement<{
      words: string | null;
    }>;
    const { search } = serviceStore(one).forOrg("org_a");
    await Promise.all([1, 2, 3].map(() => search.count(evidence, { words: [{ word: "secret", prefix: false }] }, 10)));
    const said = await Promise.all([1, 2, 3].map(() => one.forOrg("org_b").read(() => all(setting, {}))));
    expect(said.flat().map(({ words }) => words ?? "")).toEqual(["", "", ""]);
  });
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

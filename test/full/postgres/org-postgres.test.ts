import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { invoker, startApp } from "../../helpers/app.ts";
import { asSuperuser, type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { shopIn } from "../../tools/runs/kit.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster.stop());

/** Rows of every table whose text holds one of these. */
async function rowsWith(url: string, texts: readonly string[]): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: asSuperuser(url) });
  await client.connect();
  try {
    const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'");
    const found: Record<string, number> = {};
    for (const { tablename } of rows as { tablename: string }[]) {
      const held = await client.query(
        `select count(*)::int as n from ${tablename} t where exists (select 1 from unnest($1::text[]) x where t::text like '%' || x || '%')`,
        [texts],
      );
      if (held.rows[0].n > 0) found[tablename] = held.rows[0].n;
    }
    return found;
  } finally {
    await client.end();
  }
}

it("an org deleted on PostgreSQL leaves no row in any table, and another org keeps its own", async () => {
  const url = await cluster.database();
  const app = await startApp({ config: { databaseUrl: url } });
  try {
    const org = await app.org();
    const beta = await app.org("beta");
    const invoke = invoker(app, "rest", org);
    const mark = "zqplantedmarkerzq";
    await shopIn(app.service, org.id, 3, mark);
    await shopIn(app.service, beta.id, 3);
    await invoke("members_post", { email: `${mark}@example.com`, name: mark });
    const before = await rowsWith(url, [org.id, mark]);
    for (const table of ["orgs", "records", "record_fields", "blobs", "tokens", "audit"])
      expect(before[table], table).toBeGreaterThan(0);
    const theirs = await rowsWith(url, [beta.id]);
    const preview = await invoke("org_purge_preview");
    const gone = await invoke("org_delete", { confirm: "acme" });
    expect(gone.body).toMatchObject({ deleted: true, scrubbed: true, tables: preview.body.tables });
    expect(await rowsWith(url, [org.id, mark])).toEqual({});
    expect(await rowsWith(url, [beta.id])).toEqual(theirs);
    const renamed = await invoke("org_rename", { orgtag: "beta", to: "gamma" }, beta.admin);
    expect(renamed).toMatchObject({ status: 200, body: { org: "gamma" } });
  } finally {
    await app.close();
  }
});

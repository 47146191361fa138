import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../../../store/postgres/migrations.ts";
import { startApp, type TestApp } from "../../helpers/app.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { FILES, known, WRITTEN } from "../../helpers/stores/written-store.ts";
import { holdsWhatItDid, type Opened, openedOn, reviewsAlike, saysWhatLapsed } from "../../store/written-kit.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster?.stop());

describe.each(readdirSync(WRITTEN))("a PostgreSQL dump as version %s wrote it", (name) => {
  const written = known(name).postgres;
  let app: TestApp;
  let opened: Opened;
  beforeAll(async () => {
    const databaseUrl = await cluster.database();
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(gunzipSync(readFileSync(new URL(`${name}/${FILES.dump}`, WRITTEN))).toString());
    await client.end();
    app = await startApp({ config: { databaseUrl, key: Buffer.from(written.key, "hex") } });
    opened = await openedOn(app, written);
  });
  afterAll(() => app?.close());

  it("was written with no more tables than there are", () => {
    expect(written.tables).toBeLessThanOrEqual(migrations.length);
  });
  it("answers as it did, and serves its world", () => holdsWhatItDid(opened));
  it("its tasks are reviewed as they were, or the engine has another number", () => reviewsAlike(opened));
  it("says of each certificate that no longer holds, refuses to run on it, and counts it again once reviewed", () =>
    saysWhatLapsed(opened));
});

import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect } from "vitest";
import { hosting } from "../../helpers/app.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { startShared } from "../../helpers/stores/shared-service.ts";

// The journeys of the embedded store as they are, on three servers behind a balancer and two workers over one PostgreSQL.
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster?.stop());

hosting.start = async () => {
  const { app, balancer } = await startShared(await cluster.database());
  return {
    ...app,
    async close() {
      const answered = balancer.targets.map((target) => balancer.answered.get(target) ?? 0);
      await app.close();
      // No server was spared.
      for (const each of answered) expect(each).toBeGreaterThan(10);
    },
  };
};

// Five processes start for each test, perhaps on a busy machine.
hosting.timeout = 600_000;

// Others begin with a copy of an embedded store: they would be the same tests as in `npm test`.
const folder = new URL("../../journeys/", import.meta.url);
const journeys = readdirSync(folder)
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => new URL(name, folder))
  .filter((file) => readFileSync(file, "utf8").includes("bothSurfaces("));
expect(journeys.length).toBeGreaterThan(0);
for (const { href } of journeys) await import(/* @vite-ignore */ href);

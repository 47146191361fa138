import { readdirSync } from "node:fs";
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

const journeys = readdirSync(new URL("../../journeys/", import.meta.url)).filter((name) => name.endsWith(".test.ts"));
expect(journeys.length).toBeGreaterThan(0);
for (const name of journeys) await import(/* @vite-ignore */ new URL(`../../journeys/${name}`, import.meta.url).href);

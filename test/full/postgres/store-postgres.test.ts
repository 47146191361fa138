import { afterAll, beforeAll } from "vitest";
import { openStore } from "../../../store/open.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { storeContract } from "../../store/contract.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster.stop());

storeContract("PostgreSQL", async () => {
  const url = await cluster.database();
  return { open: () => openStore({ url }), drop: async () => undefined };
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { transferStore } from "../../../store/transfer.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { fullStore } from "../../store/transfer-kit.ts";

let cluster: Cluster;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "migrate-"));
  cluster = await startPostgres();
});
afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true });
});

it("a workspace goes from SQLite to PostgreSQL and back, the same in every table", async () => {
  const source = { path: join(folder, "source") };
  const back = { path: join(folder, "back") };
  await fullStore(source.path, 120);
  const url = await cluster.database();
  const there = await transferStore(source, { url });
  await expect(transferStore(source, { url })).rejects.toMatchObject({ code: "conflict" });
  expect(await transferStore({ url }, back)).toEqual(there);
  expect(there.every(({ rows }) => rows === 120)).toBe(true);
  const between = await cluster.database();
  expect(await transferStore({ url }, { url: between })).toEqual(there);
});

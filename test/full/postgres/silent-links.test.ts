import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../../store/open.ts";
import { readable } from "../../../store/postgres/errors.ts";
import { StoreUnreachable } from "../../../store/unreachable.ts";
import { type Relay, startRelay } from "../../helpers/stores/network.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { Note, note } from "../../store/contract/notes.ts";

let cluster: Cluster;
let relay: Relay;
let url: URL;
beforeAll(async () => {
  cluster = await startPostgres();
  url = new URL(await cluster.database());
  relay = await startRelay("127.0.0.1", url, 0);
  url.port = String(relay.port);
});
afterAll(async () => {
  relay.close();
  await cluster.stop();
});

it("a link that breaks in silence is an unreachable database, for what is under way and what comes after", async () => {
  const store = await openStore({ url: url.href });
  await store.createOrg({ id: "org_1", tag: "one", created_at: 1 });
  const { records } = store.forOrg("org_1");
  const doc = note();
  await records.insert(Note, doc);
  relay.cut();
  const underWay = await Promise.allSettled([records.get(Note, doc.id), records.insert(Note, note())]);
  const after = await Promise.allSettled([records.get(Note, doc.id)]);
  const unreachable = { status: "rejected", reason: expect.any(StoreUnreachable) };
  expect([...underWay, ...after]).toEqual([unreachable, unreachable, unreachable]);
  await store.close();
});

it.each(["EHOSTUNREACH", "ENETUNREACH", "ENETDOWN"])("%s is an unreachable database", (code) => {
  expect(readable(Object.assign(new Error(`connect ${code}`), { code }))).toBeInstanceOf(StoreUnreachable);
});

import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openStore } from "../../../store/open.ts";
import { PostgresEngine } from "../../../store/postgres/engine.ts";
import { serviceStore } from "../../../store/service.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";

let trips: string[] = [];
/** Keeps what each of its queries begins with. */
class Counting extends pg.Client {
  override query(...given: unknown[]): never {
    const [query] = given as [string | { readonly text: string }];
    trips.push((typeof query === "string" ? query : query.text).split(/[ ;]/, 1)[0] as string);
    return Reflect.apply(super.query, this, given) as never;
  }
}

let cluster: Cluster;
let store: ReturnType<typeof serviceStore>;
beforeAll(async () => {
  cluster = await startPostgres();
  const connectionString = await cluster.database();
  await (await openStore({ url: connectionString })).close();
  const [pool, across] = [7, 3].map((max) => new pg.Pool({ connectionString, max, Client: Counting }));
  store = serviceStore(new PostgresEngine(pool as pg.Pool, across));
  await store.createOrg({ id: "org_1", tag: "one", created_at: 1 });
  const token = { kind: "org", prefix: "p", name: "n", scope: "push", created_by: "t", created_at: 1 } as const;
  const open = { world: null, expires_at: null, last_used_at: null, revoked_at: null };
  await store.forOrg("org_1").tokens.insert({ ...token, ...open, id: "tok_1", hash: "h" });
});
afterAll(async () => {
  await store.close();
  await cluster.stop();
});
beforeEach(async () => {
  // Its connections are there, and know whose rows they see.
  await store.setting("none");
  await store.forOrg("org_1").journals.read("wl_none");
  trips = [];
});

it("who holds a token, and in which org, is one trip, also after work in the org", async () => {
  expect(await store.tokenByHash("h")).toMatchObject({ org: { id: "org_1", tag: "one", created_at: 1 } });
  expect(trips).toEqual(["select"]);
});

it("an entry of a journal is four: the lock with the beginning, what was missed, the entry, the end", async () => {
  const entry = { seq: 1, tool: "a", args: {}, answer: "", at: 1 };
  const { journals } = store.forOrg("org_1");
  await journals.append("wl_it's", [entry as never], { seq: 0, chain: "" });
  expect(trips).toEqual(["begin", "select", "insert", "commit"]);
  expect(await journals.read("wl_it's")).toEqual([entry]);
});

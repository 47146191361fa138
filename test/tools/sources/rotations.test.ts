import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, it } from "vitest";
import { WorldRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { bothSurfaces, invoker, startApp } from "../../helpers/app.ts";
import { mintWorld } from "../../helpers/world.ts";

/** The number of tools a link opens, or the status it is refused with. */
async function opened(url: string, token: string): Promise<number | string> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
    return (await client.listTools()).tools.length;
  } catch (error) {
    return /401|revoked/i.test(String(error)) ? "401" : String(error);
  } finally {
    await client.close().catch(() => {});
  }
}

bothSurfaces(
  "every live link is turned over at once; the old ones stop at their next request",
  async (invoke, { app, org }) => {
    expect((await invoke("connections_rotations_get", {}, org.read)).body).toMatchObject({ rotations: [] });
    const none = await invoke("connections_rotate_post", {}, org.push);
    expect(none).toMatchObject({ status: 200, body: { rotated: 0, links: [] } });

    const store = app.service.store.forOrg(org.id);
    const trial = await mintWorld(app, org);
    const environment = (await store.records.get(WorldRecord, trial.id))?.environment;
    const mint = async (label: string) => (await invoke("worlds_post", { environment, label })).body;
    const [one, two, ended] = [await mint("one"), await mint("two"), await mint("ended")];
    const second = (
      await invoke("world_tokens_post", {
        world: one.world,
        bundle_id: one.bundle_id,
        label: "second",
        expires_in_days: 2,
      })
    ).body;
    await store.records.update(WorldRecord, ended.world, (row) => ({ ...row, ended_at: row.created_at }));
    const old = [one, two, { ...second, world: one.world }];
    for (const link of old) expect(await opened(link.url, link.token)).toBeGreaterThan(0);

    const turned = await invoke("connections_rotate_post", { by: "mei", via: "console" }, org.push);
    expect(turned.body).toMatchObject({
      rotated: 3,
      public_url: app.url,
      rotation: { by: "mei", via: "console", worlds: 2, links: 3 },
    });
    const links = turned.body.links as {
      url: string;
      token: string;
      label: string;
      world: string;
      revoked: string;
      token_id: string;
    }[];
    expect(links.map(({ label }) => label).sort()).toEqual(["one", "second", "two"]);
    for (const link of old) expect(await opened(link.url, link.token)).toBe("401");
    for (const link of links) expect(await opened(link.url, link.token)).toBeGreaterThan(0);
    const kept = await store.tokens.get(links.find(({ label }) => label === "second")?.token_id ?? "");
    expect(kept?.expires_at, "a successor lives as long as what it stands for").toBe(
      (await store.tokens.get(second.token_id))?.expires_at,
    );

    const other = await app.org("other");
    expect((await invoke("connections_rotate_post", { orgtag: other.tag }, other.push)).body.rotated).toBe(0);
    for (const link of links) expect(await opened(link.url, link.token)).toBeGreaterThan(0);

    const listed = (await invoke("connections_rotations_get", {}, org.read)).body;
    expect(listed.rotations.map((row: { links: number }) => row.links)).toEqual([3, 0]);
    expect(JSON.stringify(listed)).not.toContain("svc_world_");
    const page = (await invoke("connections_rotations_get", { limit: 1 })).body;
    expect((await invoke("connections_rotations_get", { limit: 1, cursor: page.next })).body.rotations[0].links).toBe(
      0,
    );
    expect((await invoke("connections_rotate_post", {}, org.read)).status).toBe(403);
  },
);

// Finding S1.
it("four rotations at once, four times over, leave one live token for each link", async () => {
  const app = await startApp();
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const trial = await mintWorld(app, org);
    const store = app.service.store.forOrg(org.id);
    const environment = (await store.records.get(WorldRecord, trial.id))?.environment;
    for (const label of ["one", "two", "three", "four"]) await invoke("worlds_post", { environment, label });
    for (let round = 0; round < 4; round++) {
      const answers = await Promise.all([1, 2, 3, 4].map(() => invoke("connections_rotate_post", {}, org.push)));
      const told = answers.flatMap(({ body }) => body.links as { token_id: string; label: string }[]);
      const live = (await store.tokens.list("world", { limit: 100 })).items.filter(
        ({ world, revoked_at }) => world !== trial.id && revoked_at === null,
      );
      expect(live.map(({ name }) => name).sort()).toEqual(["four", "one", "three", "two"]);
      // Each token that is live was told to the one that made it.
      expect(live.every(({ id }) => told.filter(({ token_id }) => token_id === id).length === 1)).toBe(true);
    }
  } finally {
    await app.close();
  }
});

import { expect } from "vitest";
import { WorldRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { mintWorld } from "../../helpers/world.ts";

bothSurfaces("connections lists minted worlds with URLs, live or not", async (invoke, { app, org }) => {
  const store = app.service.store.forOrg(org.id);
  // A world that no caller minted, as a trial's is.
  const made = await mintWorld(app, org);
  const record = await store.records.get(WorldRecord, made.id);
  const minted: { world: string; url: string; token: string }[] = [];
  for (const label of ["first", "second"])
    minted.push((await invoke("worlds_post", { environment: record?.environment, label })).body);

  const listed = await invoke("connections", {}, org.read);
  expect(listed.body.connections.map((row: { label: string }) => row.label)).toEqual(["second", "first"]);
  expect(listed.body.connections[1]).toMatchObject({ world: minted[0]?.world, urls: [minted[0]?.url], live: true });
  expect(JSON.stringify(listed.body)).not.toContain("svc_world_");
  const page = await invoke("connections", { limit: 1 });
  const rest = await invoke("connections", { limit: 1, cursor: page.body.next });
  expect([...page.body.connections, ...rest.body.connections]).toEqual(listed.body.connections);

  await store.records.update(WorldRecord, String(minted[0]?.world), (row) => ({ ...row, ended_at: row.created_at }));
  expect((await invoke("connections")).body.connections[1].live).toBe(false);

  const other = await app.org("other");
  expect((await invoke("connections", {}, other.read)).body.connections).toEqual([]);
  expect((await invoke("connections", { org: "acme" }, app.operator)).body.connections).toHaveLength(2);
  expect((await invoke("connections", {}, app.operator)).body.fields).toMatchObject([{ path: "org" }]);
});

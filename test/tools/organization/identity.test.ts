import { expect, it } from "vitest";
import { bothSurfaces, startApp } from "../../helpers/app.ts";

bothSurfaces("whoami tells kind, name, scope and org, never the credential", async (invoke, { app, org }) => {
  const asReader = await invoke("whoami", {}, org.read);
  expect(asReader).toMatchObject({
    status: 200,
    body: { kind: "org", name: "acme-read", scope: "read", org: "acme", global: false },
  });
  const asOperator = await invoke("whoami", {}, app.operator);
  expect(asOperator.body).toEqual({ kind: "operator", name: "operator", scope: "admin", org: null, global: true });
  expect(JSON.stringify([asReader.body, asOperator.body])).not.toMatch(/svc_(org|op)_/);
});

bothSurfaces("orgs_list opens every org to the operator and its own to an org", async (invoke, { app, org }) => {
  await app.org("beta");
  expect((await invoke("orgs_list", {}, org.push)).status).toBe(403);
  const own = await invoke("orgs_list");
  expect(own.body.orgs).toMatchObject([{ org: "acme", surfaces: [] }]);
  const first = await invoke("orgs_list", { limit: 1 }, app.operator);
  expect(first.body.orgs).toMatchObject([{ org: "acme" }]);
  const second = await invoke("orgs_list", { limit: 1, cursor: first.body.next }, app.operator);
  expect(second.body.orgs).toMatchObject([{ org: "beta" }]);
  expect(second.body.next).toBeUndefined();
});

it("names the org for the operator by its tag, and an unknown one as not found", async () => {
  const app = await startApp({ jobs: false });
  try {
    await app.org();
    expect((await app.rest("GET", "/v0/orgs/acme/tokens", undefined, app.operator)).body.tokens).toHaveLength(3);
    expect((await app.rest("GET", "/v0/orgs/nobody/tokens", undefined, app.operator)).status).toBe(404);
  } finally {
    await app.close();
  }
});

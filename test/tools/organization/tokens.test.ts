import { expect } from "vitest";
import { bothSurfaces, FakeClock } from "../../helpers/app.ts";

bothSurfaces("org_tokens_post mints a token that opens its scope, shown once", async (invoke, { app, org }) => {
  const minted = await invoke("org_tokens_post", { name: "ci", scope: "push" });
  expect(minted).toMatchObject({ status: 201, body: { name: "ci", scope: "push", created_by: "token:acme-admin" } });
  expect(minted.body.token).toMatch(/^svc_org_[\w-]{43}$/);
  expect(minted.body.token.startsWith(minted.body.prefix)).toBe(true);
  expect((await invoke("whoami", {}, minted.body.token)).body).toMatchObject({ name: "ci", scope: "push" });
  const listed = await invoke("org_tokens_list");
  expect(listed.body.tokens.map((token: { name: string }) => token.name)).toEqual([
    "ci",
    "acme-admin",
    "acme-push",
    "acme-read",
  ]);
  expect(JSON.stringify(listed.body)).not.toContain(minted.body.token);
  const page = await invoke("org_tokens_list", { limit: 3 });
  const rest = await invoke("org_tokens_list", { limit: 3, cursor: page.body.next });
  expect([...page.body.tokens, ...rest.body.tokens]).toEqual(listed.body.tokens);
  expect((await invoke("org_tokens_list", {}, org.push)).status).toBe(403);
  expect(app.service.registry.get("org_tokens_post")?.op.scope).toBe("admin");
});

const clock = new FakeClock();
bothSurfaces(
  "org_tokens_post takes an expiry, and the token ends with it",
  async (invoke) => {
    const past = await invoke("org_tokens_post", { name: "x", scope: "read", expires_at: clock.now() - 1 });
    expect(past).toMatchObject({ status: 400, body: { fields: [{ path: "expires_at" }] } });
    const both = { name: "x", scope: "read", expires_at: clock.now() + 9, expires_in_days: 1 };
    expect((await invoke("org_tokens_post", both)).status).toBe(400);
    const { body } = await invoke("org_tokens_post", { name: "short", scope: "read", expires_in_days: 1 });
    expect(body.expires_at).toBe(clock.now() + 86_400);
    clock.advance(86_399);
    expect((await invoke("whoami", {}, body.token)).status).toBe(200);
  },
  { clock },
);

bothSurfaces("org_tokens_delete revokes at once, and twice keeps the first mark", async (invoke, { app }) => {
  const { body } = await invoke("org_tokens_post", { name: "gone", scope: "admin" });
  expect((await app.rest("GET", "/v0/whoami", undefined, body.token)).status).toBe(200);
  const revoked = await invoke("org_tokens_delete", { tid: body.id });
  expect(revoked.status).toBe(200);
  expect(revoked.body.revoked_at).toBeGreaterThan(0);
  expect((await invoke("org_tokens_delete", { tid: body.id })).body.revoked_at).toBe(revoked.body.revoked_at);
  const refused = await app.rest("GET", "/v0/whoami", undefined, body.token);
  expect(refused).toMatchObject({ status: 401, body: { error: "unauthenticated", details: { names: ['"gone"'] } } });
  expect(refused.body.reason).toContain("revoked");
  expect((await invoke("org_tokens_delete", { tid: "tok_unknown" })).status).toBe(404);
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { svcHere } from "../cli/svc-here.ts";
import { invoker } from "../helpers/app.ts";
import { operatorTests } from "./kit.ts";

const { start, act } = operatorTests();

describe("the operator's routes", () => {
  it("are for the service-wide token alone", async () => {
    const app = await start();
    const org = await app.org();
    for (const token of [org.read, org.push, org.admin]) {
      const refused = await act("POST", "/orgs", { tag: "new" }, token);
      expect(refused).toMatchObject({ status: 403, body: { error: "forbidden" } });
      expect(refused.body.reason).toContain("service-wide token");
    }
    expect((await act("POST", "/orgs", { tag: "new" }, "svc_op_wrong")).status).toBe(401);
    expect((await app.rest("POST", "/v0/operator/orgs", { tag: "new" })).status).toBe(401);
    expect((await act("GET", "/nothing")).status).toBe(404);
    expect((await act("GET", "/orgs")).status).toBe(405);
  });

  it("make an org whose token opens it", async () => {
    const app = await start();
    const made = await act("POST", "/orgs", { tag: "newco" });
    expect(made).toMatchObject({ status: 201, body: { org: "newco" } });
    const as = await app.rest("GET", "/v0/whoami", undefined, made.body.token);
    expect(as.body).toMatchObject({ org: "newco", scope: "admin", name: "first admin" });
    expect((await act("POST", "/orgs", { tag: "newco" })).status).toBe(409);
    for (const body of [{ tag: "Not A Tag" }, {}, { tag: "x", more: 1 }])
      expect((await act("POST", "/orgs", body)).status).toBe(400);
    const lines = (await app.service.store.audit.list()).items;
    expect(lines).toMatchObject([{ act: "org_created", by: "operator" }]);
    expect(JSON.stringify(lines)).not.toContain("newco");
  });
});

it("restores an archived org under another tag, over the route and by command", async () => {
  const app = await start();
  const org = await app.org();
  const invoke = invoker(app, "rest", org);
  const { invite: _link, ...member } = (await invoke("members_post", { email: "ann@example.com", name: "Ann" })).body;
  const before = app.service.store.forOrg(org.id);
  const sent = { id: "dl_1", at: 1, by: "ann", channel: "chat", group: "rg_1", target: "C1", reference: { ts: "1.2" } };
  await before.deliveries.append(sent);
  await before.opens.count({ group: "rg_1", via: "chat", day: 1, member: "m1" });
  const archived = await fetch(`${app.url}/v0/orgs/acme/archive`, {
    headers: { authorization: `Bearer ${org.admin}` },
  });
  const bytes = Buffer.from(await archived.arrayBuffer());
  const send = (body: Uint8Array, tag: string) =>
    app.rest("POST", `/v0/operator/orgs/restore?tag=${tag}`, body, app.operator, {
      "content-type": "application/gzip",
    });
  expect((await send(bytes, "again")).status).toBe(409);
  await invoke("org_delete", { confirm: "acme" });
  expect((await send(bytes.subarray(0, 200), "again")).status).toBe(422);
  expect((await send(bytes, "Not%20A%20Tag")).status).toBe(400);
  const restored = await send(bytes, "again");
  expect(restored).toMatchObject({ status: 201, body: { org: "again", id: org.id } });
  const members = await app.rest("GET", "/v0/orgs/again/members", undefined, app.operator);
  expect(members.body.members).toEqual([member]);
  const after = app.service.store.forOrg(org.id);
  expect((await after.deliveries.list()).items).toEqual([sent]);
  expect(await after.opens.tally("rg_1")).toEqual({ byVia: [{ via: "chat", opens: 1 }], members: 1, anonymous: 0 });
  await app.rest("DELETE", "/v0/orgs/again?confirm=again", undefined, app.operator);
  const folder = mkdtempSync(join(tmpdir(), "svc-archive-"));
  try {
    writeFileSync(join(folder, "a.tar.gz"), bytes);
    const args = ["operator", "restore_org", "tag=third", `file=${join(folder, "a.tar.gz")}`];
    const run = await svcHere(args, { SVC_URL: app.url, SVC_TOKEN: app.operator });
    expect(JSON.parse(run.stdout)).toMatchObject({ org: "third", id: org.id });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

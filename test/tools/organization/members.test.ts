import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";

bothSurfaces("members are added once, listed in pages, changed and removed", async (invoke, { app, org }) => {
  const added = await invoke("members_post", { email: "Ada@example.com", name: "Ada", title: "QA" });
  expect(added).toMatchObject({
    status: 201,
    body: { email: "Ada@example.com", role: "member", title: "QA", email_opt_out: false, added_by: "acme-admin" },
  });
  const ada = added.body.id;
  const { invite: link, ...adaAlone } = added.body;
  expect(link).toMatchObject({ url: expect.stringContaining(`${app.url}/console/invite/svc_invite_`) });
  expect(link.expires_at).toBeGreaterThan(added.body.created_at);
  const again = await invoke("members_post", { email: "ada@EXAMPLE.com", name: "Other" });
  expect(again).toMatchObject({ status: 409, body: { error: "conflict", reason: expect.stringContaining("email") } });
  expect((await invoke("members_post", { email: "not an address", name: "x" })).body.fields).toMatchObject([
    { path: "email" },
  ]);

  const bob = await invoke("members_post", { email: "bob@example.com", name: "Bob", role: "admin", added_by: "Ada" });
  expect(bob.body).toMatchObject({ role: "admin", added_by: "Ada" });
  const first = await invoke("members_list", { limit: 1 });
  const second = await invoke("members_list", { limit: 1, cursor: first.body.next });
  const { invite: _link, ...bobAlone } = bob.body;
  expect([...first.body.members, ...second.body.members]).toEqual([bobAlone, adaAlone]);
  expect((await invoke("members_list", {}, org.push)).status).toBe(403);
  const stored = { kind: "member", rid: ada };
  expect((await invoke("org_record_get", stored, org.read)).status).toBe(403);
  expect((await invoke("org_record_get", stored)).body.record.email).toBe("Ada@example.com");

  const changed = await invoke("members_patch", { mid: ada, role: "admin", title: null, email_opt_out: true });
  expect(changed.body).toMatchObject({ id: ada, name: "Ada", role: "admin", email_opt_out: true });
  expect(changed.body).not.toHaveProperty("title");
  // The operator names no org on this route: the record does.
  expect((await invoke("members_patch", { mid: ada, name: "Ada L." }, app.operator)).body.name).toBe("Ada L.");

  expect((await invoke("members_delete", { mid: ada })).body).toEqual({ deleted: ada });
  expect((await invoke("members_delete", { mid: ada })).status).toBe(404);
  expect((await invoke("members_post", { email: "ada@example.com", name: "Ada" })).status).toBe(201);
});

bothSurfaces("members_post lets one of two at once add an address", async (invoke) => {
  const both = await Promise.all(["A", "B"].map((name) => invoke("members_post", { email: "x@example.com", name })));
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect((await invoke("members_list")).body.members).toHaveLength(1);
});

bothSurfaces("a member is found by email address and by name wherever one is named", async (invoke) => {
  const add = async (email: string, name: string): Promise<string> =>
    (await invoke("members_post", { email, name })).body.id;
  const ada = await add("Ada@example.com", "Ada");
  const first = await add("kim@example.com", "Kim");
  const second = await add("kim@example.org", "Kim");

  expect((await invoke("members_patch", { mid: "Ada", title: "QA" })).body).toMatchObject({ id: ada, title: "QA" });
  const note = await invoke("record_feedback", { text: "It refunds twice.", author_member: "ada@EXAMPLE.com" });
  expect(note.body.feedback).toMatchObject({ author_member: ada });
  const stranger = await invoke("record_feedback", { text: "It refunds late.", author_member: "bob@example.com" });
  expect(stranger.body.feedback).toMatchObject({ author_member: "bob@example.com" });

  const refused = await invoke("members_patch", { mid: "Kim", title: "QA" });
  expect(refused).toMatchObject({ status: 400, body: { fields: [{ path: "mid" }] } });
  for (const id of [first, second]) expect(refused.body.fields[0].message).toContain(id);
  expect((await invoke("members_delete", { mid: "kim@example.org" })).body).toEqual({ deleted: second });
  expect((await invoke("members_delete", { mid: "Kim" })).body).toEqual({ deleted: first });
  expect((await invoke("members_delete", { mid: "Kim" })).status).toBe(404);
});

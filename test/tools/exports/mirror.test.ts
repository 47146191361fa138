import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Member } from "../../../chapters/records/organization/organization.ts";
import { bothSurfaces, type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { endOf, runToEnd, shopIn } from "../runs/kit.ts";

const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");

/** A workspace with org `acme`, one that mirrors into it, and a caller for each. */
async function pair(surface: "mcp" | "rest", work: (t: Pair) => Promise<void>): Promise<void> {
  const there = await startApp();
  const target = await there.org();
  const mirrorFrom = (await there.service.store.orgByTag("acme"))?.id ?? "";
  Object.assign(there.service.config.mirror, { from: [mirrorFrom] });
  const here = await startApp({ config: { mirror: { url: there.url, token: target.admin, from: [] } } });
  try {
    const source = await here.org();
    await work({
      here,
      there,
      source,
      target,
      from: invoker(here, surface, source),
      to: invoker(there, surface, target),
    });
  } finally {
    await here.close();
    await there.close();
  }
}

interface Pair {
  readonly here: TestApp;
  readonly there: TestApp;
  readonly source: TestOrg;
  readonly target: TestOrg;
  readonly from: Invoke;
  readonly to: Invoke;
}

async function round(from: Invoke, args: Record<string, unknown> = {}) {
  const started = await from("mirror_post", args);
  expect(started.status).toBe(202);
  expect(await endOf(from, started.body.job)).toBe("landed");
  return (await from("job_status", { job_id: started.body.job })).body.result;
}

describe.each(["mcp", "rest"] as const)("a mirror over %s", (surface) => {
  it("lists, sends, skips what is there, keeps secrets back and gives the same answers", () =>
    pair(surface, async ({ here, there, source, target, from, to }) => {
      const shop = await shopIn(here.service, source.id, 4);
      await from("evidence_post", { content: [{ messages: [{ role: "user", content: "hello" }] }] });
      await from("agents_post", { kind: "command", name: "bot", command: "true", env: { A: "planted-secret" } });
      const { group } = await runToEnd(from, {
        harness: "reference",
        environment: shop.environment,
        selection: "ci-2",
      });
      await from("members_post", { email: "ann@example.com", name: "Ann" });

      const listed = (await from("mirror_get")).body;
      expect(listed.order.indexOf("blob")).toBeLessThan(listed.order.indexOf("bundle"));
      expect(listed.held_back).toEqual(
        expect.arrayContaining([
          { kind: "agent_secret", count: 1, reason: expect.any(String) },
          { kind: "token", count: 3, reason: expect.any(String) },
        ]),
      );
      const member = listed.members.find((row: { kind: string }) => row.kind === "member");
      const bytes = await here.rest("GET", `/v0/orgs/acme/mirror/member?id=${member.id}`, undefined, source.admin);
      expect([sha256(bytes.text), bytes.text.length]).toEqual([member.sha256, member.size]);
      expect((await from("mirror_member_get", { kind: "member", id: member.id })).status).toBe(200);
      expect((await from("mirror_member_get", { kind: "member", id: "mb_other" })).status).toBe(404);
      expect((await from("mirror_get", { kinds: "member,nothing" })).status).toBe(404);
      expect((await from("mirror_get", { kinds: "member" })).body.members).toHaveLength(1);
      expect((await from("mirror_get", { kinds: "member", since: here.service.now() + 60 })).body.members).toEqual([]);

      const all = listed.members.length;
      expect(await round(from, { dry_run: true })).toMatchObject({ members: all, sent: 0, would_send: all, same: 0 });
      expect((await to("mirror_in_get")).body.held).toEqual({});
      // Finding A23. Kinds whose ids tell no time are narrowed by when they were made; of blobs no time is kept.
      const later = (await from("mirror_get", { since: here.service.now() + 60 })).body.members;
      expect(new Set(later.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(["blob"]));
      expect(await round(from)).toMatchObject({ members: all, sent: all, same: 0, refused: [] });
      expect(await round(from)).toMatchObject({ sent: 0, same: all });
      expect((await to("mirror_get")).body.members).toEqual(listed.members);
      const held = (await to("mirror_in_get", { wait: "1" })).body;
      expect(held).toMatchObject({ filling: false, pending: [], refused: {} });
      expect(held.held[`member/${member.id}`]).toBe(member.sha256);
      expect((await to("run_group", { gid: group })).body).toEqual((await from("run_group", { gid: group })).body);
      const secrets = await there.service.store.forOrg(target.id).records.count(Member);
      expect(secrets).toBe(1);
      expect(JSON.stringify((await to("agents_get", { aid: "bot" })).body)).not.toContain("planted");
    }));

  it("refuses what differs, notes it, and replaces it only when told to", () =>
    pair(surface, async ({ there, target, from, to }) => {
      await from("members_post", { email: "ann@example.com", name: "Ann" });
      await round(from);
      const { members } = (await to("members_list")).body;
      await to("members_patch", { mid: members[0].id, name: "Another" });
      expect(await round(from)).toMatchObject({ sent: 0, refused: [{ kind: "member", id: members[0].id }] });
      expect((await to("mirror_in_get")).body.refused).toHaveProperty([`member/${members[0].id}`]);
      expect((await to("members_list")).body.members[0].name).toBe("Another");
      expect(await round(from, { replace: true })).toMatchObject({ sent: 1, refused: [] });
      expect((await to("members_list")).body.members[0].name).toBe("Ann");
      expect((await to("mirror_in_get")).body.refused).toEqual({});

      const admit = (kind: string, id: string, text: string, digest = sha256(text)) =>
        there.rest(
          "POST",
          `/v0/orgs/acme/mirror-in/${kind}?${new URLSearchParams({ id, sha256: digest })}`,
          text,
          target.admin,
          { "content-type": "application/octet-stream" },
        );
      expect((await admit("member", "mb_x", "{}")).status).toBe(422);
      expect((await admit("member", "mb_x", "{}", sha256("other"))).status).toBe(400);
      expect((await admit("agent_secret", "as_x", "{}")).status).toBe(404);
      expect((await admit("trace", "../../x", "{}")).status).toBe(422);
      expect((await admit("blob", sha256("b"), "b")).body).toEqual({ result: "stored" });
      expect((await admit("blob", sha256("c"), "b")).status).toBe(422);
      const asText = { kind: "blob", id: sha256("d"), sha256: sha256("d"), content: btoa("d") };
      if (surface === "mcp") {
        expect((await to("mirror_in_post", { ...asText, content: "!" })).status).toBe(400);
        expect((await to("mirror_in_post", asText)).body).toEqual({ result: "stored" });
      }
    }));

  it("goes on where a broken round was, and says who may not mirror", () =>
    pair(surface, async ({ here, there, source, from, to }) => {
      const { records } = here.service.store.forOrg(source.id);
      const row = (i: number) => ({
        id: here.service.id("mb"),
        created_at: 1,
        by: "t",
        email: `p${i}@example.com`,
        name: `P${i}`,
        role: "member" as const,
        email_opt_out: false,
      });
      await records.apply(Array.from({ length: 200 }, (_, i) => ({ op: "insert", kind: Member, doc: row(i) })));
      const started = await from("mirror_post");
      await expect.poll(async () => Object.keys((await to("mirror_in_get")).body.held).length).toBeGreaterThan(5);
      expect((await from("job_cancel", { job_id: started.body.job })).status).toBe(200);
      await endOf(from, started.body.job);
      const before = Object.keys((await to("mirror_in_get")).body.held).length;
      expect(before).toBeLessThan(200);
      const rest = await round(from);
      expect(rest.same).toBeGreaterThanOrEqual(before);
      expect(rest.same + rest.sent).toBe(200);
      expect((await to("mirror_get")).body.members).toEqual((await from("mirror_get")).body.members);

      Object.assign(there.service.config.mirror, { from: [] });
      expect((await to("mirror_in_get")).status).toBe(403);
      const refused = await from("mirror_post");
      expect(await endOf(from, refused.body.job)).toBe("failed");
      expect((await from("job_status", { job_id: refused.body.job })).body.note).toContain("SVC_MIRROR_FROM");
    }));
});

bothSurfaces("a workspace that mirrors into none says so", async (invoke, { org }) => {
  expect(await invoke("mirror_post")).toMatchObject({
    status: 409,
    body: { reason: expect.stringContaining("SVC_MIRROR_URL") },
  });
  expect((await invoke("mirror_get", {}, org.push)).status).toBe(403);
});

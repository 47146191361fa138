import { gunzipSync, gzipSync } from "node:zlib";
import { extract } from "tar-stream";
import { describe, expect, it } from "vitest";
import { entryKinds } from "../../../chapters/exports/entries.ts";
import { restoreOrg } from "../../../chapters/exports/restore.ts";
import type { OrgStore } from "../../../chapters/ports/store.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { bothSurfaces, invoker, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { runToEnd, shopIn } from "../runs/kit.ts";

/** An org with a bit of everything: evidence, an agent with a secret, a run, members, money spent. */
async function livedIn(app: TestApp, org: TestOrg): Promise<{ group: string }> {
  const invoke = invoker(app, "rest", org);
  const shop = await shopIn(app.service, org.id, 4);
  const trace = {
    messages: [
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi" },
    ],
  };
  const { body: sent } = await invoke("evidence_post", { content: [trace, trace], idempotency_key: "k1" });
  const mood = [{ trace: sent.ids[1], values: { mood: { value: "calm", cite: "turns.0" } } }];
  await invoke("evidence_attributes_post", { eid: sent.id, attributes: mood });
  await invoke("members_post", { email: "ann@example.com", name: "Ann" });
  await invoke("agent_env_put", { name: "KEY", value: "planted-secret-1" });
  await invoke("record_feedback", { text: "a note for the org" });
  await invoke("record_feedback", { text: "planted-secret-staff", visibility: "staff", orgtag: org.tag }, app.operator);
  const agent = {
    kind: "command",
    name: "bot",
    command: 'read x; echo \'{"answer":"no"}\'',
    env: { A: "planted-secret-2" },
  };
  await invoke("agents_post", agent);
  const { group } = await runToEnd(invoke, { harness: "reference", environment: shop.environment, selection: "ci-2" });
  const ledger = { id: "lg_1", at: app.service.now(), job: null, kind: "call", who: "ann", micro_usd: 7, note: "" };
  await app.service.store.forOrg(org.id).ledger.append(ledger);
  return { group };
}

async function archiveOf(app: TestApp, org: TestOrg): Promise<Buffer> {
  const answer = await fetch(`${app.url}/v0/orgs/${org.tag}/archive`, {
    headers: { authorization: `Bearer ${org.admin}` },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/gzip");
  return Buffer.from(await answer.arrayBuffer());
}

async function everything(store: OrgStore): Promise<string[]> {
  const all: string[] = [];
  for (const kind of entryKinds())
    for await (const head of kind.heads(store)) all.push(`${kind.name}/${head.id} ${head.sha256}`);
  return all;
}

async function entriesOf(archive: Uint8Array): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const tar = extract();
  tar.end(gunzipSync(archive));
  for await (const entry of tar) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(Buffer.from(part as Uint8Array));
    found.set(entry.header.name, Buffer.concat(parts).toString("utf8"));
  }
  return found;
}

const chunks = async function* (bytes: Uint8Array) {
  for (let i = 0; i < bytes.length; i += 1000) yield bytes.subarray(i, i + 1000);
};

bothSurfaces("org_archive is a file for admins alone", async (invoke, { org }) => {
  expect((await invoke("org_archive", {}, org.push)).status).toBe(403);
  const answer = await invoke("org_archive");
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ org: "acme", held_back: [{ kind: "token", count: 3 }] });
});

describe("an archive", () => {
  it("holds no secret and restores to the same records, digests and answers", async () => {
    const app = await startApp();
    try {
      const org = await app.org();
      const { group } = await livedIn(app, org);
      const bytes = await archiveOf(app, org);
      const entries = await entriesOf(bytes);
      const names = [...entries.keys()];
      expect(names[0]).toBe("org.json");
      expect(names.at(-1)).toBe("end.json");
      const text = gunzipSync(bytes).toString("latin1");
      for (const planted of ["planted-secret", "svc_org_", "agent_secret/"]) expect(text).not.toContain(planted);
      expect(JSON.parse(entries.get("org.json") ?? "").held_back).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ kind: "token", count: 3 }),
          expect.objectContaining({ kind: "agent_secret", count: 1 }),
        ]),
      );

      const other = await startApp();
      try {
        const { service } = other;
        const restored = await restoreOrg(service.store, chunks(bytes), { now: service.now() });
        expect(restored).toMatchObject({ org: { id: org.id, tag: "acme" }, entries: names.length - 1 });
        const [before, after] = [app.service.store.forOrg(org.id), service.store.forOrg(org.id)];
        const kept = await everything(before);
        expect(kept.filter((line) => line.startsWith("attributes/"))).toHaveLength(1);
        expect(kept.length).toBeGreaterThan(20);
        expect(await everything(after)).toEqual(kept);
        const [restoring, ...lines] = (await after.audit.list()).items;
        expect(restoring).toMatchObject({ act: "org_restored" });
        expect(lines).toEqual((await before.audit.list()).items);
        expect(await after.ledger.since(0)).toBe(7);
        const answers = async (one: TestApp) => {
          const ask = (path: string) => one.rest("GET", `/v0/orgs/acme/${path}`, undefined, one.operator);
          const paths = [`runs/group/${group}`, "evidence", "members", "spend", "surfaces"];
          return Promise.all(paths.map(async (path) => (await ask(path)).body));
        };
        expect(await answers(other)).toEqual(await answers(app));
        await expect(restoreOrg(service.store, chunks(bytes), { now: 1 })).rejects.toMatchObject({ code: "conflict" });
        await service.store.forOrg(org.id).audit.append(2, "ann", "goes_on", {});
      } finally {
        await other.close();
      }
    } finally {
      await app.close();
    }
  });

  it("makes no org when it is cut or changed, and can be tried again whole", async () => {
    const app = await startApp();
    const other = await startApp();
    try {
      const org = await app.org();
      await livedIn(app, org);
      const bytes = await archiveOf(app, org);
      const { store } = other.service;
      const restore = (some: Uint8Array, tag?: string) => restoreOrg(store, chunks(some), { tag, now: 5 });
      const plain = gunzipSync(bytes);
      const changed = Buffer.from(plain);
      const at = changed.indexOf("ann@example.com");
      changed.write("eve", at);
      for (const bad of [
        bytes.subarray(0, bytes.length >> 1),
        gzipSync(plain.subarray(0, plain.length - 4096)),
        gzipSync(changed),
        Buffer.from("no archive"),
        Buffer.alloc(0),
      ])
        await expect(restore(bad)).rejects.toMatchObject({ code: "unprocessable" });
      expect(await store.orgByTag("acme")).toBeUndefined();
      expect(await restore(bytes, "second")).toMatchObject({ org: { tag: "second" } });
      expect(await everything(store.forOrg(org.id))).toEqual(await everything(app.service.store.forOrg(org.id)));
    } finally {
      await app.close();
      await other.close();
    }
  });

  it("keeps nothing of an earlier try, and two calls at once bring one org back once", async () => {
    const app = await startApp();
    const other = await startApp();
    try {
      const org = await app.org();
      const invoke = invoker(app, "rest", org);
      const { body: gone } = await invoke("evidence_post", { content: "# Words\n\nquarterword", kind: "document" });
      await livedIn(app, org);
      const before = await archiveOf(app, org);
      const mine = app.service.store.forOrg(org.id);
      await mine.records.delete(Evidence, gone.id);
      const after = await archiveOf(app, org);
      const { store } = other.service;
      const plain = gunzipSync(before);
      const cut = gzipSync(plain.subarray(0, plain.length - 4096));
      await expect(restoreOrg(store, chunks(cut), { now: 5 })).rejects.toMatchObject({ code: "unprocessable" });
      expect(await store.forOrg(org.id).records.get(Evidence, gone.id)).toBeDefined();
      const both = await Promise.allSettled([1, 2].map(() => restoreOrg(store, chunks(after), { now: 6 })));
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const [refused] = both.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
      expect(refused?.reason).toMatchObject({ code: "conflict" });
      expect(await everything(store.forOrg(org.id))).toEqual(await everything(mine));
      expect(await store.forOrg(org.id).records.get(Evidence, gone.id)).toBeUndefined();
      expect(await store.forOrg(org.id).audit.verify()).not.toHaveProperty("broken");
    } finally {
      await app.close();
      await other.close();
    }
  });
});

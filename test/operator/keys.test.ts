import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentEnv } from "../../chapters/records/agents/agents.ts";
import { OrgSecret } from "../../chapters/records/organization/organization.ts";
import { KeyRing } from "../../src/service/seal.ts";
import { invoker } from "../helpers/app.ts";
import { inFiles } from "../helpers/stores/data-folder.ts";
import { operatorTests } from "./kit.ts";

const WRITE = { api_key: "vendor-api-key", app_key: "vendor-app-key", site: "datadoghq.eu" };
const { start, act } = operatorTests();

describe("keys", () => {
  it("are rotated: every secret opens under the new one, and the old one is nowhere", async () => {
    const app = await start();
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    await invoke("agent_env_put", { name: "API_KEY", value: "the-agents-own-secret" });
    await act("PUT", "/orgs/acme/obs-write", { credential: WRITE });
    const { records } = app.service.store.forOrg(org.id);
    const path = join(app.dataDir, "key");
    const before = readFileSync(path, "utf8").trim();
    const stored = async () => [
      (await records.list(AgentEnv)).items[0]?.sealed ?? "",
      (await records.list(OrgSecret)).items[0]?.sealed ?? "",
    ];
    const sealed = await stored();
    const rotated = await act("POST", "/keys/rotate", {});
    expect(rotated).toMatchObject({ status: 200, body: { resealed: 2, unreadable: 0 } });
    const after = readFileSync(path, "utf8").trim();
    expect(after).toMatch(/^[0-9a-f]{64}$/);
    expect(after).not.toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await stored()).not.toEqual(sealed);
    const [oldRing, newRing] = [before, after].map((hex) => new KeyRing([Buffer.from(hex, "hex")]));
    expect((await stored()).map((one) => newRing?.sealer.open(one))).toEqual([
      "the-agents-own-secret",
      JSON.stringify(WRITE),
    ]);
    for (const one of await stored()) expect(() => oldRing?.sealer.open(one)).toThrow();
    const lines = (await app.service.store.audit.list({ limit: 1 })).items;
    expect(lines).toMatchObject([{ act: "sealing_key_rotated", fields: { resealed: 2, unreadable: 0 } }]);
    expect(readdirSync(app.dataDir).filter((name) => name.startsWith("key"))).toEqual(["key"]);
  });

  it("that a killed rotation left two of both open, and the next rotation ends with one", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-keys-"));
    try {
      let app = await start({ dataDir });
      await app.org();
      await act("PUT", "/orgs/acme/obs-write", { credential: WRITE });
      await app.close();
      // As it stands when the process dies after the new key is on disk and before any secret is under it.
      const key = readFileSync(join(dataDir, "key"), "utf8");
      writeFileSync(join(dataDir, "key"), `${"ab".repeat(32)}\n${key}`);
      app = await start({ dataDir });
      const [secret] = (
        await app.service.store.forOrg((await app.service.store.orgByTag("acme"))?.id ?? "").records.list(OrgSecret)
      ).items;
      const ring = new KeyRing([Buffer.from("ab".repeat(32), "hex"), Buffer.from(key.trim(), "hex")]);
      expect(ring.sealer.open(secret?.sealed ?? "")).toBe(JSON.stringify(WRITE));
      expect((await act("POST", "/keys/rotate", {})).body).toMatchObject({ resealed: 1, unreadable: 0 });
      expect(readFileSync(join(dataDir, "key"), "utf8").trim().split("\n")).toHaveLength(1);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it("of the environment are rotated by giving both", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-keys-"));
    try {
      const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
      let app = await start({ dataDir, config: { key: old } });
      await app.org();
      await act("PUT", "/orgs/acme/obs-write", { credential: WRITE });
      const refused = await act("POST", "/keys/rotate", {});
      expect(refused).toMatchObject({ status: 409, body: { reason: expect.stringContaining("SVC_KEY_BEFORE") } });
      await app.close();
      app = await start({ dataDir, config: { key: fresh, keyBefore: old } });
      expect((await act("POST", "/keys/rotate", {})).body).toMatchObject({ resealed: 1 });
      await app.close();
      app = await start({ dataDir, config: { key: fresh } });
      const org = await app.service.store.orgByTag("acme");
      const [secret] = (await app.service.store.forOrg(org?.id ?? "").records.list(OrgSecret)).items;
      expect(new KeyRing([fresh]).sealer.open(secret?.sealed ?? "")).toBe(JSON.stringify(WRITE));
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  // Finding S7.
  it("that are lost or others stop the start, and make nothing anew, unless they are given up", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-keys-"));
    const path = join(dataDir, "key");
    try {
      await (await start({ dataDir })).close();
      const key = readFileSync(path, "utf8");
      rmSync(path);
      await expect(start({ dataDir })).rejects.toThrow(/There is no sealing key, and there was one.*SVC_KEY_LOST=1/s);
      expect(readdirSync(dataDir)).not.toContain("key");
      writeFileSync(path, `${"ab".repeat(32)}\n`);
      await expect(start({ dataDir })).rejects.toThrow(/not the one that this workspace's secrets are sealed under/);
      await expect(start({ dataDir, config: { key: Buffer.alloc(32, 7) } })).rejects.toThrow(/not the one/);
      writeFileSync(path, key);
      await (await start({ dataDir })).close();
      rmSync(path);
      await (await start({ dataDir, config: { keyLost: true } })).close();
      await (await start({ dataDir })).close();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  // Finding S12.
  it("and the store that a copy left open to others are closed to them at the start", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-keys-"));
    try {
      await (await start({ dataDir })).close();
      const files = ["key", "store.db"];
      for (const name of files) chmodSync(join(dataDir, name), 0o644);
      const app = await start({ dataDir });
      for (const name of [...files, "store.db-wal"])
        expect(statSync(join(dataDir, name)).mode & 0o777, name).toBe(0o600);
      await app.close();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it("for writing to the observability vendor go in once and are taken away", async () => {
    const app = await start();
    const org = await app.org();
    for (const [credential, path] of [
      ["text", "credential"],
      [{ api_key: "x" }, "credential.app_key"],
      [{ ...WRITE, more: 1 }, "credential.more"],
    ] as const) {
      const refused = await act("PUT", "/orgs/acme/obs-write", { credential });
      expect(refused).toMatchObject({ status: 400, body: { fields: [{ path }] } });
    }
    expect((await act("PUT", "/orgs/acme/obs-write", { credential: WRITE })).body).toMatchObject({ set: true });
    const state = async () => {
      const { channels } = (await invoker(app, "rest", org)("delivery_get")).body;
      return channels.find(({ channel }: { channel: string }) => channel === "obs").state;
    };
    expect(await state()).toBe("ready");
    expect(inFiles(app.dataDir, ["vendor-api-key"])).toEqual([]);
    expect((await act("PUT", "/orgs/acme/obs-write", { credential: null })).body).toMatchObject({ set: false });
    expect(await state()).toBe("not_connected");
  });

  it("of pseudonyms are given anew", async () => {
    const app = await start();
    const org = await app.org();
    const { AnonKey } = await import("../../chapters/records/sources/sources.ts");
    const keys = async () => (await app.service.store.forOrg(org.id).records.list(AnonKey)).items;
    expect((await act("POST", "/orgs/acme/anon-key", {})).body).toMatchObject({ rotated: true, had: false });
    const [first] = await keys();
    expect((await act("POST", "/orgs/acme/anon-key", {})).body).toMatchObject({ rotated: true, had: true });
    const [second, ...more] = await keys();
    expect(more).toEqual([]);
    expect(second?.id).toBe(first?.id);
    expect(second?.sealed).not.toBe(first?.sealed);
    expect(inFiles(app.dataDir, [first?.sealed ?? "none"])).toEqual([]);
  });
});

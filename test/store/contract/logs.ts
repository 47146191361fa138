import { describe, expect, it } from "vitest";
import { brokenAt } from "../../../store/audit-chain.ts";
import { tokenRow } from "../../helpers/rows.ts";
import { newId } from "./notes.ts";
import { type Bench, everyPage } from "./setup.ts";

/** What is promised of the ledger, the audit log, tokens and the directory. */
export function logsContract({ store, org, orgStore }: Bench): void {
  describe("ledger", () => {
    it("adds up since a time and lists by time", async () => {
      const { ledger } = await orgStore();
      const rows = [5, 1, 3, 3, 9].map((at, i) => ({
        id: newId("spend"),
        at,
        job: i % 2 ? "job_1" : null,
        kind: "model",
        who: "judge",
        micro_usd: i === 4 ? -3_000_000_000_000 : 1_500_000 + i,
        note: "n\0",
      }));
      for (const row of rows) await ledger.append(row);
      const kept = rows
        .map((row) => ({ ...row, note: "n\ufffd" }))
        .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
      expect(await ledger.since(0)).toBe(rows.reduce((sum, row) => sum + row.micro_usd, 0));
      expect(await ledger.since(9.5)).toBe(0);
      expect(await ledger.since(9)).toBe(-3_000_000_000_000);
      expect(await everyPage((page) => ledger.list(0, { ...page, order: "oldest" }), 2)).toEqual(kept);
      expect(await everyPage((page) => ledger.list(3, page), 2)).toEqual(kept.slice(1).reverse());
      await expect(ledger.append(rows[0] ?? kept[0]!)).rejects.toMatchObject({ code: "conflict" });
    });

    it("reserves up to a ceiling and not past it, however many ask at once", async () => {
      const { ledger } = await orgStore();
      const row = (at: number, micro_usd: number) => ({
        id: newId("spend"),
        at,
        job: null,
        kind: "model",
        who: "w",
        micro_usd,
        note: "",
      });
      await ledger.append(row(1, 1_000_000));
      const asked = await Promise.all(Array.from({ length: 12 }, () => ledger.reserve(row(20, 3), 10, 10)));
      expect(asked.filter(Boolean)).toHaveLength(3);
      expect(await ledger.since(10)).toBe(9);
      expect(await ledger.reserve(row(21, 1), 10, 10)).toBe(true);
    });
  });

  describe("audit log", () => {
    it("chains lines per org, under racing writers too, so that a changed line shows", async () => {
      const id = await org();
      const { audit } = store().forOrg(id);
      await store()
        .forOrg(await org())
        .audit.append(1, "x", "y", {});
      const first = await audit.append(1.5, "me\0", "token_minted", { token: "tok_1", n: 2, ok: true });
      expect(first).toMatchObject({ seq: 1, by: "me\ufffd" });
      await Promise.all(Array.from({ length: 20 }, (_, i) => audit.append(2, "me", "act", { i })));
      const lines = await everyPage((page) => audit.list({ ...page, order: "oldest" }), 6);
      expect(lines).toHaveLength(21);
      expect(lines[0]).toEqual(first);
      expect(brokenAt(id, lines)).toBeUndefined();
      expect(brokenAt(await org(), lines)).toBe(1);
      expect(brokenAt(id, lines.with(7, { ...lines[7]!, by: "other" }))).toBe(8);
      expect(brokenAt(id, lines.toSpliced(4, 1))).toBe(6);
      expect((await audit.list()).items).toEqual([...lines].reverse());
    });
  });

  describe("tokens", () => {
    it("finds a token by its hash with its org, and keeps the first revocation and the last use", async () => {
      const id = await org();
      const { tokens } = store().forOrg(id);
      const row = tokenRow({ expires_at: 99.5 });
      await tokens.insert(row);
      expect(await tokens.get(row.id)).toEqual(row);
      expect(await store().tokenByHash(row.hash)).toEqual({
        org: { id, tag: id.toLowerCase(), created_at: 1 },
        token: row,
      });
      expect(await store().tokenByHash("f".repeat(64))).toBeUndefined();
      expect(await store().orgOfToken(row.id)).toBe(id);
      expect(await store().orgOfToken("tok_none")).toBeUndefined();
      await tokens.touch(row.id, 20);
      await tokens.touch(row.id, 15);
      expect(await tokens.revoke(row.id, 30)).toEqual({ ...row, last_used_at: 20, revoked_at: 30 });
      expect(await tokens.revoke(row.id, 40)).toMatchObject({ revoked_at: 30 });
      expect(await tokens.revoke("tok_none", 1)).toBeUndefined();
      await tokens.touch("tok_none", 1);
      const elsewhere = (await orgStore()).tokens;
      await expect(elsewhere.insert(tokenRow({ hash: row.hash }))).rejects.toMatchObject({ code: "conflict" });
      expect([await tokens.delete(row.id), await tokens.delete(row.id)]).toEqual([true, false]);
      expect(await tokens.get(row.id)).toBeUndefined();
    });

    it("lists by kind, newest first", async () => {
      const { tokens } = await orgStore();
      const rows = Array.from({ length: 5 }, (_, i) => tokenRow(i === 2 ? { kind: "world", world: "wl_1" } : {}));
      for (const row of rows) await tokens.insert(row);
      expect((await tokens.list("world")).items).toEqual([rows[2]]);
      expect(await everyPage((page) => tokens.list("org", page), 2)).toEqual(
        rows.filter((row) => row.kind === "org").reverse(),
      );
    });

    it("lists those that are neither revoked nor expired", async () => {
      const { tokens } = await orgStore();
      const rows = [tokenRow(), tokenRow({ expires_at: 10 }), tokenRow({ expires_at: 20 }), tokenRow()] as const;
      for (const row of rows) await tokens.insert(row);
      await tokens.revoke(rows[3].id, 5);
      expect(await everyPage((page) => tokens.live("org", 10, page), 1)).toEqual([rows[2], rows[0]]);
    });

    it("replaces each token once, also where several replace it at the same time", async () => {
      const { tokens } = await orgStore();
      const old = [tokenRow(), tokenRow(), tokenRow()] as const;
      for (const row of old) await tokens.insert(row);
      await tokens.revoke(old[2].id, 5);
      const pairs = () => old.map(({ id }) => ({ old: id, row: tokenRow() }));
      const tries = await Promise.all([pairs(), pairs(), pairs(), pairs()].map((each) => tokens.replace(each, 10)));
      expect(tries.flat().sort()).toEqual([old[0].id, old[1].id].sort());
      expect((await tokens.live("org", 10)).items).toHaveLength(2);
      expect(await tokens.get(old[0].id)).toMatchObject({ revoked_at: 10 });
      expect(await tokens.get(old[2].id)).toMatchObject({ revoked_at: 5 });
    });
  });

  describe("directory", () => {
    it("makes an org once per id and per tag", async () => {
      const id = newId("org");
      const row = { id, tag: `tag-${id}`, created_at: 7.5 };
      const made = await Promise.all(Array.from({ length: 5 }, () => store().createOrg(row)));
      expect(made.filter(Boolean)).toHaveLength(1);
      expect(await store().createOrg({ ...row, id: newId("org") })).toBe(false);
      expect(await store().createOrg({ ...row, tag: "other" })).toBe(false);
      expect(await store().orgByTag(row.tag)).toEqual(row);
      expect(await store().orgById(id)).toEqual(row);
      expect(await store().orgByTag("none")).toBeUndefined();
      expect(await store().orgById("none\0")).toBeUndefined();
      const all = await everyPage((page) => store().orgs(page), 3);
      expect(all.filter((found) => found.id === id)).toEqual([row]);
      expect(all.map((found) => found.id)).toEqual(all.map((found) => found.id).sort());
    });

    it("keeps settings by name", async () => {
      const name = newId("setting");
      expect(await store().setting(name)).toBeUndefined();
      await store().putSetting(name, "a");
      await store().putSetting(name, "b");
      expect(await store().setting(name)).toBe("b");
    });

    it("refuses every write to an org that is not there", async () => {
      const none = store().forOrg("org_none");
      const at404 = { code: "not_found" };
      await expect(none.tokens.insert(tokenRow())).rejects.toMatchObject(at404);
      await expect(none.audit.append(1, "a", "b", {})).rejects.toMatchObject(at404);
      await expect(none.blobs.put(new Uint8Array(3))).rejects.toMatchObject(at404);
    });
  });
}

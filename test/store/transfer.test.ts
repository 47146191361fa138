import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { COPYING, openStore } from "../../store/open.ts";
import { transferStore } from "../../store/transfer.ts";
import { fullStore } from "./transfer-kit.ts";

let folder = "";
const at = (name: string) => ({ path: join(folder, name) });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "transfer-"));
  await fullStore(at("source").path, 700);
});
afterAll(() => rm(folder, { recursive: true }));

it("copies every table, and the copy of the copy has the same digests", async () => {
  const first = await transferStore(at("source"), at("one"));
  const second = await transferStore(at("one"), at("two"));
  expect(second).toEqual(first);
  const kept = new Database(at("source").path, { readonly: true });
  const tables = kept
    .prepare(
      "select name from sqlite_master where type = 'table' and name not in ('turns', 'meters', 'trace_index', 'trace_spans') and name not like 'trace_words%'",
    )
    .pluck()
    .all() as string[];
  kept.close();
  expect(first.map(({ table }) => table).sort()).toEqual(tables.sort());
  expect(new Set(first.map(({ rows }) => rows))).toEqual(new Set([700]));
  expect(new Set(first.map(({ digest }) => digest)).size).toBe(first.length);
});

it("refuses a target that holds anything, and leaves it as it was", async () => {
  const store = await openStore(at("taken"));
  await store.putSetting("mine", "1");
  await store.close();
  await expect(transferStore(at("source"), at("taken"))).rejects.toMatchObject({
    code: "conflict",
    details: { names: ["settings"] },
  });
  const again = await openStore(at("taken"));
  expect([await again.setting("mine"), (await again.orgs()).items]).toEqual(["1", []]);
  await again.close();
});

it("what broke off is opened by nobody, is no source, and is begun anew by the next transfer", async () => {
  const broken = transferStore(at("source"), at("half"), ({ table }) => {
    if (table === "traces") throw new Error("the disk is full");
  });
  await expect(broken).rejects.toThrow("the disk is full");
  await expect(openStore(at("half"))).rejects.toMatchObject({ code: "conflict" });
  await expect(transferStore(at("half"), at("other"))).rejects.toMatchObject({ code: "conflict" });
  const done = await transferStore(at("source"), at("half"));
  expect(done.every(({ rows }) => rows === 700)).toBe(true);
  const store = await openStore(at("half"));
  expect(await store.setting(COPYING)).toBeUndefined();
  await store.close();
});

it("notices a source that is written to meanwhile", async () => {
  const moving = transferStore(at("source"), at("late"), ({ table }) => {
    if (table !== "workspace_audit") return;
    const db = new Database(at("source").path);
    db.exec("update records set body = 'changed' where rowid = 1");
    db.close();
  });
  await expect(moving).rejects.toMatchObject({ code: "conflict", details: { names: ["records"] } });
});

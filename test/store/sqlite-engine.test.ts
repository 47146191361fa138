import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServiceStore } from "../../store/port.ts";
import { serviceStore } from "../../store/service.ts";
import { SqliteEngine } from "../../store/sqlite/engine.ts";
import { openSqlite } from "../../store/sqlite/open.ts";
import { Note, note } from "./contract/notes.ts";

let folder: string;
let path: string;
let db: Database.Database;
let store: ServiceStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-engine-"));
  path = join(folder, "store.db");
  await openSqlite(path).close();
  db = new Database(path, { timeout: 20 });
  db.pragma("foreign_keys = on");
  store = serviceStore(new SqliteEngine(db, async () => {}));
  await store.createOrg({ id: "org_1", tag: "one", created_at: 1 });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the SQLite engine", () => {
  it("says that the disk is full, keeps what it answered before, and goes on when there is room", async () => {
    const { records } = store.forOrg("org_1");
    db.pragma(`max_page_count = ${Number(db.pragma("page_count", { simple: true })) + 40}`);
    const docs = Array.from({ length: 60 }, () => note({ text: "full ".repeat(1000) }));
    const ends = await Promise.allSettled(docs.map((doc) => records.insert(Note, doc)));
    const refused = ends.filter((end) => end.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const end of refused) expect(end.reason).toMatchObject({ code: "unavailable" });
    const answered = docs.filter((_, i) => ends[i]?.status === "fulfilled");
    expect(await records.count(Note)).toBe(answered.length);
    expect(
      await records.getMany(
        Note,
        answered.map((doc) => doc.id),
      ),
    ).toEqual(answered);
    db.pragma("max_page_count = 100000");
    expect(await records.insert(Note, note())).toBe(true);
  });

  it("says that it is busy while another process writes, and goes on after", async () => {
    const other = new Database(path);
    other.exec("begin immediate");
    const { records } = store.forOrg("org_1");
    const writes = await Promise.allSettled([records.insert(Note, note()), records.insert(Note, note())]);
    for (const end of writes)
      expect(end).toMatchObject({ reason: { code: "unavailable", details: { retryAfter: 1 } } });
    expect(await records.count(Note)).toBe(0);
    other.exec("commit");
    other.close();
    expect(await records.insert(Note, note())).toBe(true);
  });

  it("ends what waits before it closes", async () => {
    const { records } = store.forOrg("org_1");
    const writes = Array.from({ length: 50 }, () => records.insert(Note, note()));
    await store.close();
    expect(await Promise.all(writes)).toEqual(writes.map(() => true));
    const again = serviceStore(openSqlite(path));
    expect(await again.forOrg("org_1").records.count(Note)).toBe(50);
    await again.close();
  });

  it("sees what another connection committed at its next read", async () => {
    const other = serviceStore(openSqlite(path));
    const doc = note();
    await other.forOrg("org_1").records.insert(Note, doc);
    expect(await store.forOrg("org_1").records.get(Note, doc.id)).toEqual(doc);
    await other.close();
  });
});

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ServiceStore } from "../../chapters/ports/store.ts";
import { serviceStore } from "../../store/service.ts";
import type { Disk } from "../../store/sqlite/disk.ts";
import { LogDisk } from "../../store/sqlite/disk.ts";
import { SqliteEngine } from "../../store/sqlite/engine.ts";
import { openSqlite } from "../../store/sqlite/open.ts";
import { Note, note } from "./contract/notes.ts";

let folder: string;
let path: string;
let db: Database.Database;
let store: ServiceStore;
let disk: SlowDisk;
let engine: SqliteEngine;

/** A disk that flushes when it is told to, once it is held. */
class SlowDisk implements Disk {
  flushes = 0;
  #held: PromiseWithResolvers<void> | undefined;

  hold(): PromiseWithResolvers<void> {
    this.#held = Promise.withResolvers<void>();
    return this.#held;
  }

  async sync(): Promise<void> {
    this.flushes++;
    await this.#held?.promise;
  }

  scrubs = 0;
  closed = false;

  async vacuum(): Promise<void> {
    this.scrubs++;
    await sleep(20);
    if (this.closed) throw new Error("scrubbed after the end");
  }

  close(): void {
    this.closed = true;
  }
}

/** What waits together is written together, however slow the machine. */
const stopTheWatch = () => vi.spyOn(performance, "now").mockReturnValue(0);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-engine-"));
  path = join(folder, "store.db");
  await openSqlite(path).close();
  db = new Database(path, { timeout: 20 });
  db.pragma("foreign_keys = on");
  disk = new SlowDisk();
  engine = new SqliteEngine(db, disk);
  store = serviceStore(engine);
  await store.createOrg({ id: "org_1", tag: "one", created_at: 1 });
});
afterEach(async () => {
  vi.restoreAllMocks();
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

  it("says that the disk failed where a file may not grow, and keeps what it answered before", async () => {
    const at = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
    const script = `
      import { serviceStore } from ${at("../../store/service.ts")};
      import { openSqlite } from ${at("../../store/sqlite/open.ts")};
      import { Note, note } from ${at("./contract/notes.ts")};
      const { records } = serviceStore(openSqlite(${JSON.stringify(path)})).forOrg("org_1");
      let kept = 0;
      try {
        for (; kept < 500; kept++) await records.insert(Note, note({ text: "long ".repeat(1000) }));
      } catch ({ code, reason }) {
        process.stdout.write(JSON.stringify({ kept, code, reason }), () => process.exit());
      }
    `;
    const limited = ["-c", 'ulimit -f 1200; exec "$0" --input-type=module -e "$1"', process.execPath, script];
    const { kept, ...refused } = JSON.parse(spawnSync("sh", limited, { encoding: "utf8" }).stdout);
    expect(refused).toEqual({ code: "unavailable", reason: expect.stringMatching(/^The disk failed .*ulimit -f/) });
    expect(kept).toBeGreaterThan(10);
    expect(await store.forOrg("org_1").records.count(Note)).toBe(kept);
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
    await Promise.all([store.close(), store.close()]);
    expect(await Promise.all(writes)).toEqual(writes.map(() => true));
    expect(db.open).toBe(false);
    const again = serviceStore(openSqlite(path));
    expect(await again.forOrg("org_1").records.count(Note)).toBe(50);
    await again.close();
  });

  it("answers a write when the disk has it, and writes nothing else until then", async () => {
    stopTheWatch();
    const { records } = store.forOrg("org_1");
    const held = disk.hold();
    const before = disk.flushes;
    let answered = 0;
    const count = () => {
      answered++;
    };
    const first = [records.insert(Note, note()).then(count), records.insert(Note, note()).then(count)];
    await expect.poll(() => disk.flushes, { interval: 1 }).toBe(before + 1);
    const second = records.insert(Note, note()).then(count);
    await sleep(30);
    expect(answered).toBe(0);
    expect(await records.count(Note)).toBe(2);
    held.resolve();
    await Promise.all([...first, second]);
    expect(disk.flushes).toBe(before + 2);
    expect(await records.count(Note)).toBe(3);
  });

  it("ends what is being flushed, and what waits behind it, before it closes", async () => {
    const { records } = store.forOrg("org_1");
    const held = disk.hold();
    const before = disk.flushes;
    const first = records.insert(Note, note());
    await expect.poll(() => disk.flushes, { interval: 1 }).toBe(before + 1);
    const second = records.insert(Note, note());
    const closing = store.close();
    await sleep(20);
    expect(disk.closed).toBe(false);
    await expect(records.insert(Note, note())).rejects.toMatchObject({ code: "unavailable" });
    held.resolve();
    await closing;
    expect(await Promise.all([first, second])).toEqual([true, true]);
    expect([disk.closed, db.open, disk.flushes]).toEqual([true, false, before + 2]);
  });

  it("writes nothing more once the disk did not keep something, and says so", async () => {
    const { records } = store.forOrg("org_1");
    const held = disk.hold();
    const writes = [records.insert(Note, note()), records.insert(Note, note())];
    await sleep(5);
    const late = records.insert(Note, note());
    const ends = Promise.allSettled([...writes, late]);
    held.reject(new Error("EIO"));
    for (const end of await ends) expect(end).toMatchObject({ reason: { code: "unavailable" } });
    const after = await records.insert(Note, note()).catch((error: unknown) => error);
    expect(after).toMatchObject({ code: "unavailable", reason: expect.stringContaining("started again") });
    expect(await records.count(Note)).toBeLessThan(3);
    await expect(engine.vacuum()).rejects.toMatchObject({ code: "unavailable" });
    expect(disk.scrubs).toBe(0);
  });

  it("scrubs nothing when what it waits for to be flushed is not kept", async () => {
    const held = disk.hold();
    const write = store.forOrg("org_1").records.insert(Note, note());
    const before = disk.flushes;
    await expect.poll(() => disk.flushes, { interval: 1 }).toBe(before + 1);
    const ends = Promise.allSettled([write, engine.vacuum()]);
    held.reject(new Error("EIO"));
    for (const end of await ends) expect(end).toMatchObject({ reason: { code: "unavailable" } });
    expect(disk.scrubs).toBe(0);
  });

  it("closes after every scrub that was asked for before", async () => {
    const scrubs = [engine.vacuum(), engine.vacuum(), engine.vacuum()];
    const write = store.forOrg("org_1").records.insert(Note, note());
    await store.close();
    await Promise.all(scrubs);
    expect(disk.scrubs).toBe(3);
    expect(await write).toBe(true);
  });

  it("fails what waits when a transaction can neither be kept nor undone", async () => {
    stopTheWatch();
    const broken = new Database(path);
    const prepare = broken.prepare.bind(broken);
    const breaks = (what: string) => () => {
      throw new Error(`no ${what}`);
    };
    vi.spyOn(broken, "prepare").mockImplementation((sql) =>
      sql === "commit" || sql === "rollback" ? Object.assign(prepare(sql), { run: breaks(sql) }) : prepare(sql),
    );
    const lame = serviceStore(new SqliteEngine(broken, new SlowDisk()));
    const { records } = lame.forOrg("org_1");
    const ends = await Promise.allSettled([records.insert(Note, note()), records.insert(Note, note())]);
    for (const end of ends) expect(end).toMatchObject({ reason: { message: "no commit" } });
    await expect(records.insert(Note, note())).rejects.toThrow("transaction");
    await lame.close();
  });

  it("flushes the log of the file that a path leads to", async () => {
    mkdirSync(join(folder, "volume"));
    await openSqlite(join(folder, "volume", "real.db")).close();
    const link = join(folder, "link.db");
    symlinkSync(join(folder, "volume", "real.db"), link);
    const behind = openSqlite(link);
    const linked = serviceStore(behind);
    await linked.createOrg({ id: "org_1", tag: "one", created_at: 1 });
    expect(await linked.forOrg("org_1").records.insert(Note, note())).toBe(true);
    await behind.vacuum();
    expect(await linked.forOrg("org_1").records.insert(Note, note())).toBe(true);
    await linked.close();
  });

  it("flushes the log that the database writes, also after it was emptied", async () => {
    const other = new Database(path);
    other.exec("create table if not exists scratch (n integer)");
    const real = new LogDisk(path, async () => {});
    other.exec("insert into scratch values (1)");
    await real.sync();
    other.pragma("wal_checkpoint(TRUNCATE)");
    other.exec("insert into scratch values (2)");
    await real.sync();
    real.close();
    other.close();
    expect(() => new LogDisk(join(folder, "none.db"), async () => {})).toThrow("none.db");
  });

  it("sees what another connection committed at its next read", async () => {
    const other = serviceStore(openSqlite(path));
    const doc = note();
    await other.forOrg("org_1").records.insert(Note, doc);
    expect(await store.forOrg("org_1").records.get(Note, doc.id)).toEqual(doc);
    await other.close();
  });
});

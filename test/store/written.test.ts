import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../../store/sqlite/migrations.ts";
import { startApp, type TestApp } from "../helpers/app.ts";
import { FILES, known, WRITTEN, type WrittenStore } from "../helpers/stores/written-store.ts";
import { holdsWhatItDid, type Opened, openedOn, reviewsAlike, saysWhatLapsed } from "./written-kit.ts";

describe.each(readdirSync(WRITTEN))("a data folder as version %s wrote it", (name) => {
  const written: WrittenStore = known(name).sqlite;
  const folder = mkdtempSync(join(tmpdir(), "written-"));
  let app: TestApp;
  let opened: Opened;
  beforeAll(async () => {
    const files = unzipSync(readFileSync(new URL(`${name}/${FILES.folder}`, WRITTEN)));
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(folder, file), bytes, { mode: 0o600 });
    app = await startApp({ dataDir: folder });
    opened = await openedOn(app, written);
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is brought to the tables of today", () => {
    const db = new Database(join(folder, "store.db"), { readonly: true });
    expect(db.pragma("user_version", { simple: true })).toBe(migrations.length);
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    db.close();
    expect(written.tables).toBeLessThanOrEqual(migrations.length);
  });

  it("answers as it did, and serves its world", () => holdsWhatItDid(opened));
  it("its tasks are reviewed as they were, or the engine has another number", () => reviewsAlike(opened));
  it("says of each certificate that no longer holds, refuses to run on it, and counts it again once reviewed", () =>
    saysWhatLapsed(opened));
});

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { searchEntry } from "../../chapters/evidence/traces/trace-words.ts";
import type { ServiceStore } from "../../chapters/ports/store.ts";
import { openStore } from "../../store/open.ts";
import { serviceStore } from "../../store/service.ts";
import { migrations } from "../../store/sqlite/migrations.ts";
import { openSqlite } from "../../store/sqlite/open.ts";
import { trace } from "./contract/bodies.ts";
import { Note, note } from "./contract/notes.ts";
import { expectSchema, type TableFacts } from "./schema-facts.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-migrate-"));
  path = join(folder, "store.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function look<T>(read: (db: Database.Database) => T): T {
  const db = new Database(path, { readonly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

const version = () => look((db) => db.pragma("user_version", { simple: true }));
const indexes = () =>
  look((db) => db.prepare("select name from sqlite_schema where type = 'index' order by name").pluck().all());

describe("SQLite migrations", () => {
  it("make the tables that the schema describes, org first in every key", async () => {
    await (await openStore({ path })).close();
    const facts = look((db): TableFacts[] => {
      const names = db
        .prepare("select name from sqlite_schema where type = 'table' and name not like 'trace_words%' order by name")
        .pluck()
        .all();
      return (names as string[]).map((name) => ({
        name,
        columns: (db.pragma(`table_info(${name})`) as { name: string; type: string; notnull: number }[]).map(
          (column) => ({
            name: column.name,
            type: column.type.toLowerCase(),
            notNull: column.notnull === 1,
          }),
        ),
        keys: (db.pragma(`index_list(${name})`) as { name: string }[]).map((index) => ({
          name: index.name,
          columns: (db.pragma(`index_info('${index.name}')`) as { name: string }[]).map((column) => column.name),
        })),
      }));
    });
    expectSchema(facts, {
      text: "text",
      bigint: "integer",
      integer: "integer",
      "double precision": "real",
      bytea: "blob",
    });
    expect(version()).toBe(migrations.length);
  });

  it("bring a store of the version before up to date with its rows", async () => {
    const before = serviceStore(openSqlite(path, migrations.slice(0, 1)));
    const old = new Database(path);
    old.exec("insert into orgs (id, tag, created_at) values ('org_1', 'one', 1)");
    old.close();
    const doc = note({ colour: "red" });
    await before.forOrg("org_1").records.insert(Note, doc);
    await before.forOrg("org_1").ledger.append({
      id: "sp_1",
      at: 5,
      job: null,
      kind: "model",
      who: "judge",
      micro_usd: 7,
      note: "",
    });
    await before.close();
    expect(version()).toBe(1);
    expect(indexes()).not.toContain("ledger_by_time");

    const after = await openStore({ path });
    expect((await after.forOrg("org_1").records.list(Note, { where: { colour: "red" } })).items).toEqual([doc]);
    expect(await after.forOrg("org_1").ledger.since(0)).toBe(7);
    await after.close();
    expect(version()).toBe(migrations.length);
    expect(indexes()).toContain("ledger_by_time");
  });

  it("keep between what values the entries of each chunk lie, those of before and those that come", async () => {
    const before = serviceStore(openSqlite(path, migrations.slice(0, 9)));
    await before.createOrg({ id: "org_1", tag: "one", created_at: 1 });
    const rows = [0, 4095, 4096, 4097].map((position) => ({
      id: `tr_${position}`,
      evidence: "ev_1",
      position,
      trace: trace(`of ${position}`, position === 4096 ? {} : { started_at: 9000 - position, cost_usd: position }),
    }));
    await before.forOrg("org_1").traces.append(rows);
    const add = (store: ServiceStore, some: typeof rows) =>
      store.forOrg("org_1").search.add(
        "ev_1",
        some.map((row) => searchEntry(row.position, row.trace)),
      );
    await add(before, rows.slice(0, 2));
    await before.close();
    const after = await openStore({ path });
    const spans = () =>
      look((db) => db.prepare("select chunk, started_min, started_max, cost_min, cost_max from trace_spans").all());
    const first = { chunk: 0, started_min: 4905, started_max: 9000, cost_min: 0, cost_max: 4095 };
    expect(spans()).toEqual([first]);
    await add(after, rows.slice(2));
    const second = { chunk: 1, started_min: 4903, started_max: 4903, cost_min: 4097, cost_max: 4097 };
    expect(spans()).toEqual([first, second]);
    await after.close();
  });

  it("refuse a store that a newer version wrote, in one sentence, and leave it as it is", async () => {
    await (await openStore({ path })).close();
    const db = new Database(path);
    db.pragma("user_version = 99");
    db.close();
    await expect(openStore({ path })).rejects.toMatchObject({
      code: "conflict",
      reason: `The store was written by a newer version of this program (tables 99, this one knows ${migrations.length}); run that version or newer.`,
    });
    expect(version()).toBe(99);
  });

  it("are all or nothing", async () => {
    await (await openStore({ path })).close();
    const broken = [
      ...migrations,
      { version: migrations.length + 1, name: "broken", sql: "create table half (a); create tabel other;" },
    ];
    expect(() => openSqlite(path, broken)).toThrow(/syntax error/);
    expect(version()).toBe(migrations.length);
    expect(look((db) => db.prepare("select count(*) from sqlite_schema where name = 'half'").pluck().get())).toBe(0);
    await (await openStore({ path })).close();
  });

  it("leave a file that only its owner may read, in a folder alike", async () => {
    path = join(folder, "new", "store.db");
    const store = await openStore({ path });
    await store.putSetting("a", "b");
    for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "new")).mode & 0o777).toBe(0o700);
    await store.close();
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ServiceStore } from "../../../chapters/ports/store.ts";
import { openStore } from "../../../store/open.ts";
import { asSuperuser, type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { trace } from "../../store/contract/bodies.ts";
import { Note, note } from "../../store/contract/notes.ts";

let cluster: Cluster;
const folder = mkdtempSync(join(tmpdir(), "svc-backup-"));
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ORGS = ["org_a", "org_b"];
const BLOB = Buffer.from("bytes of a file");

async function fill(store: ServiceStore): Promise<void> {
  for (const id of ORGS) {
    await store.createOrg({ id, tag: id.replace("_", "-"), created_at: 1 });
    const { records, traces, blobs, audit } = store.forOrg(id);
    for (let i = 0; i < 50; i++)
      await records.insert(Note, note({ id: `note_${i}`, text: `${i} of ${id}`, colour: "red" }));
    const rows = Array.from({ length: 50 }, (_, i) => i);
    await traces.append(
      rows.map((i) => ({ id: `tr_${id}_${i}`, evidence: "ev_1", position: i, trace: trace(`${i} of ${id}`) })),
    );
    await blobs.put(BLOB);
    for (let i = 0; i < 20; i++) await audit.append(i, "tester", "act", { i });
  }
}

/** Digests of everything that `fill` wrote, and whether the audit chains hold. */
async function contents(store: ServiceStore): Promise<unknown> {
  const found = [];
  for (const id of ORGS) {
    const { records, traces, blobs, audit } = store.forOrg(id);
    const filled = Array.from({ length: 50 }, (_, i) => `note_${i}`);
    const digests = await Promise.all(filled.map(async (key) => (await records.raw("test_note", key))?.digest));
    const heads = (await traces.heads("ev_1", { limit: 500 })).items.map(({ digest }) => digest);
    const texts: string[] = [];
    for await (const row of traces.stream(["ev_1"])) texts.push(JSON.stringify(row));
    const [blob] = (await blobs.heads()).items;
    const bytes = await blobs.get(blob?.id ?? "");
    found.push({
      id,
      digests,
      heads,
      texts,
      blob: Buffer.from(bytes ?? []).toString(),
      broken: (await audit.verify()).broken,
    });
  }
  return found;
}

/** Keeps writing until it is told to end; answers how much it wrote. */
function writer(store: ServiceStore): () => Promise<number> {
  let ended = false;
  const work = (async () => {
    let n = 0;
    for (; !ended; n++) {
      await store.forOrg("org_a").records.insert(Note, note());
      await store.forOrg("org_a").audit.append(100 + n, "tester", "act", { n });
    }
    return n;
  })();
  return () => {
    ended = true;
    return work;
  };
}

it("a dump of PostgreSQL taken under writes by a role for backups is restored whole, row guards on", async () => {
  const url = await cluster.database();
  const store = await openStore({ url });
  await fill(store);
  const before = await contents(store);
  const admin = asSuperuser(url);
  // What the operator's guide says to make.
  await cluster.tool("psql", admin, "-c", "create role backup login bypassrls; grant pg_read_all_data to backup");
  const dump = `${admin.split("/").at(-1)}.dump`;
  // The service's own role sees no row of any org here, and the dump says so rather than leave them out.
  await expect(cluster.tool("pg_dump", "-Fc", "-f", dump, url)).rejects.toThrow(/row-level security/);
  const stop = writer(store);
  await cluster.tool("pg_dump", "-Fc", "-f", dump, url.replace("://app@", "://backup@"));
  expect(await stop()).toBeGreaterThan(0);
  await store.close();

  const empty = await cluster.database();
  await cluster.tool("pg_restore", "--no-owner", "--role=app", "--exit-on-error", "-d", asSuperuser(empty), dump);
  const warned: string[] = [];
  const restored = await openStore({ url: empty }, { warn: (sentence) => void warned.push(sentence) });
  try {
    expect(await contents(restored)).toEqual(before);
    expect(warned).toEqual([]);
    expect(await restored.forOrg("org_b").records.count(Note)).toBe(50);
    // It is written to as before.
    expect(await restored.forOrg("org_b").records.insert(Note, note())).toBe(true);
  } finally {
    await restored.close();
  }
});

it("a copy of the embedded store made under writes, by SQLite's own backup, opens whole", async () => {
  const path = join(folder, "store.db");
  const store = await openStore({ path });
  await fill(store);
  const before = await contents(store);
  const stop = writer(store);
  const reader = new Database(path, { readonly: true });
  const copy = join(folder, "copy.db");
  await reader.backup(copy);
  reader.close();
  expect(await stop()).toBeGreaterThan(0);
  await store.close();
  const restored = await openStore({ path: copy });
  try {
    expect(await contents(restored)).toEqual(before);
    expect(await restored.forOrg("org_b").records.insert(Note, note())).toBe(true);
  } finally {
    await restored.close();
  }
});

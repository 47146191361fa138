import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ServiceStore } from "../../../chapters/ports/store.ts";
import { openStore } from "../../../store/open.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { trace } from "../../store/contract/bodies.ts";
import { Note, note } from "../../store/contract/notes.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-agree-"));
let cluster: Cluster;
let stores: [ServiceStore, ServiceStore];
beforeAll(async () => {
  cluster = await startPostgres();
  stores = [await openStore({ path: join(folder, "store.db") }), await openStore({ url: await cluster.database() })];
  for (const store of stores) await store.createOrg({ id: "org_1", tag: "one", created_at: 1 });
});
afterAll(async () => {
  for (const store of stores ?? []) await store.close();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

const [sqlite, postgres] = [0, 1] as const;
const both = <T>(read: (store: ServiceStore) => Promise<T>) =>
  Promise.all([read(stores[sqlite]), read(stores[postgres])]);

it("the same writes give the same text, digests, order and cursors on both engines", async () => {
  // Ids that hold what no engine keeps (U+0000, lone surrogates) are one id once cleaned: it has one place.
  const places = new Map<string, number>();
  const placeOf = (id: string) => {
    const clean = id.replaceAll("\0", "\uFFFD").toWellFormed();
    places.set(clean, places.get(clean) ?? places.size);
    return places.get(clean) as number;
  };
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary", minLength: 1 }),
      fc.string({ unit: "binary" }),
      fc.jsonValue(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      async (id, text, value, at) => {
        const doc = note({ id: `note_${id}`, text, colour: text, size: at, created_at: at, more: { value } });
        const position = placeOf(doc.id);
        const [a, b] = await both(async (store) => {
          const { records, blobs, traces, audit } = store.forOrg("org_1");
          await records.put(Note, doc);
          await traces.append([{ id: doc.id, evidence: "ev_1", position, trace: trace(text, { session: id }) }]);
          const line = await audit.append(at, text, "act", { text });
          return [await records.raw("test_note", doc.id), await blobs.put(Buffer.from(text)), line.hash];
        });
        expect(b).toEqual(a);
      },
    ),
    { numRuns: 80 },
  );
  const [a, b] = await both(async (store) => {
    const { records, traces, audit } = store.forOrg("org_1");
    const pages: unknown[] = [await records.count(Note), await audit.list({ limit: 500 })];
    for (const order of ["newest", "oldest"] as const) {
      let cursor: string | undefined;
      do {
        const page = await records.list(Note, { order, limit: 7, cursor });
        pages.push(page);
        cursor = page.next;
      } while (cursor !== undefined);
    }
    pages.push(await traces.heads("ev_1", { limit: 500 }));
    return pages;
  });
  expect(b).toEqual(a);
});

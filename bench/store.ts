import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { JournalPosition } from "../chapters/ports/store.ts";
import type { CanonicalTrace } from "../chapters/records/evidence/evidence.ts";
import { Surface } from "../chapters/records/sandboxes/sandboxes.ts";
import { openStore } from "../store/open.ts";
import { against, type BenchLine, median } from "./harness.ts";

/** A trace of about 20 KB of JSON whose text compresses about as well as real conversations do. */
function trace(n: number): CanonicalTrace {
  const words = "order refund shipment customer status address please check the item was delivered on monday but".split(
    " ",
  );
  let seed = n * 7919 + 1;
  const next = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed;
  };
  const text = (length: number) =>
    Array.from({ length }, () => (next() % 5 === 0 ? next().toString(36) : words[next() % words.length])).join(" ");
  return {
    v: 1,
    session: `session_${n}`,
    started_at: 1_790_000_000 + n,
    request: text(30),
    turns: Array.from({ length: 22 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", text: text(70) })),
    calls: Array.from({ length: 20 }, (_, i) => ({
      tool: `tool_${i % 5}`,
      args: { id: `ID-${next()}` },
      result: {
        id: next(),
        status: words[next() % 5],
        items: Array.from({ length: 6 }, () => ({ sku: next(), name: text(4) })),
      },
      answer_class: "data",
      is_error: false,
      turn: i,
    })),
    final_answer: text(40),
    final_answer_class: "answered",
    labels: {},
  };
}

/** Things done per second of wall time, medians of rounds that take turns. */
async function perSecond<Name extends string>(
  works: Readonly<Record<Name, { readonly n: number; readonly run: () => Promise<void> | void }>>,
  rounds = 7,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[];
  const measured = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const started = performance.now();
      await works[name].run();
      if (round > 0) measured.get(name)?.push((works[name].n * 1000) / (performance.now() - started));
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(measured.get(name) ?? [])])) as Record<Name, number>;
}

function parseAll(texts: readonly string[]): void {
  for (const text of texts) JSON.parse(text);
}

const BATCH = 200;
const READS = 500;
const WRITERS = 64;

/** The embedded store against the barest better-sqlite3 of the same run, on the same disk with the same durability. */
export async function bench(): Promise<BenchLine[]> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const store = await openStore({ path: join(folder, "store.db") });
  const bare = new Database(join(folder, "bare.db"));
  try {
    bare.pragma("journal_mode = wal");
    bare.pragma("synchronous = full");
    bare.exec("create table rows (id text primary key, body text not null)");
    const insert = bare.prepare("insert into rows values (?, ?)");
    const select = bare.prepare<[string], string>("select body from rows where id = ?").pluck();
    await store.createOrg({ id: "org_1", tag: "one", created_at: 1 });
    const { traces, records, journals } = store.forOrg("org_1");
    const samples = Array.from({ length: BATCH }, (_, i) => trace(i));
    const texts = samples.map((sample) => JSON.stringify(sample));
    const sizes = texts.reduce((sum, text) => sum + text.length, 0) / BATCH / 1000;

    let made = 0;
    const ids = () => Array.from({ length: BATCH }, () => `tr_${String(made++).padStart(9, "0")}`);
    const written = await perSecond({
      append: {
        n: BATCH,
        run: () => {
          const at = made;
          return traces.append(
            ids().map((id, i) => ({ id, evidence: "ev_1", position: at + i, trace: samples[i] ?? trace(i) })),
          );
        },
      },
      bare: {
        n: BATCH,
        run: () =>
          bare.transaction(() => {
            for (const [i, id] of ids().entries()) insert.run(id, texts[i]);
          })(),
      },
      parse: { n: BATCH, run: () => parseAll(texts) },
    });

    const { items } = await traces.heads("ev_1", { limit: READS });
    const bareIds = bare.prepare<[number], string>("select id from rows limit ?").pluck().all(READS);
    const surface = { created_at: 1, by: "bench", versions: [], evidence: [] };
    const names = Array.from({ length: READS }, (_, i) => `sf_${String(i).padStart(6, "0")}`);
    await records.apply(
      names.map((id) => ({ op: "insert" as const, kind: Surface, doc: { ...surface, id, name: `name ${id}` } })),
    );
    const smallText = JSON.stringify({ ...surface, id: "sf_000000", name: "name sf_000000" });
    bare.transaction(() => {
      for (const id of names) insert.run(id, smallText);
    })();
    const read = await perSecond({
      trace: {
        n: items.length,
        run: async () => {
          for (const { id } of items) await traces.get(id);
        },
      },
      bareTrace: { n: bareIds.length, run: () => parseAll(bareIds.map((id) => select.get(id) ?? "")) },
      record: {
        n: READS,
        run: async () => {
          for (const id of names) await records.get(Surface, id);
        },
      },
      bareRecord: { n: READS, run: () => parseAll(names.map((id) => select.get(id) ?? "")) },
    });

    const entry = {
      tool: "t",
      args: { id: 1 },
      answer: { ok: true },
      answer_class: "data",
      is_error: false,
      changes: [],
    };
    const ends: JournalPosition[] = Array.from({ length: WRITERS }, () => ({ seq: 0, chain: "" }));
    const single = await perSecond({
      journal: {
        n: WRITERS * 4,
        run: async () => {
          await Promise.all(
            ends.map(async (_, world) => {
              for (let i = 0; i < 4; i++) {
                const end = ends[world] as JournalPosition;
                const next = { seq: end.seq + 1, ...entry, at: 1, drawn: 0 };
                const stored = await journals.append(`wl_${world}`, [next], end);
                if (!("place" in stored)) throw new Error("nobody else writes to it");
                ends[world] = stored.place;
              }
            }),
          );
        },
      },
      bareSingle: {
        n: WRITERS * 4,
        run: () => {
          for (let i = 0; i < WRITERS * 4; i++) insert.run(`j_${made++}`, smallText);
        },
      },
    });

    const floor = (name: string, value: number) => ({ name, value });
    const kb = `${sizes.toFixed(0)} KB`;
    return [
      against(
        `traces of ${kb} appended, batches of ${BATCH}`,
        written.append,
        "/s",
        floor("bare batched insert", written.bare),
      ),
      against(
        `traces of ${kb} appended, batches of ${BATCH}`,
        written.append,
        "/s",
        floor("JSON.parse alone", written.parse),
      ),
      against(`traces of ${kb} read by id`, read.trace, "/s", floor("bare select and JSON.parse", read.bareTrace)),
      against("records read by id", read.record, "/s", floor("bare select and JSON.parse", read.bareRecord)),
      against(
        `journal entries by ${WRITERS} writers, each answered when on disk`,
        single.journal,
        "/s",
        floor("bare insert, one transaction each", single.bareSingle),
      ),
    ];
  } finally {
    bare.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

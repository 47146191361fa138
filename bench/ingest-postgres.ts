import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Ctx } from "../chapters/context.ts";
import { storeEvidence } from "../chapters/evidence/intake/store-evidence.ts";
import { openEvidence } from "../chapters/evidence/reading/evidence.ts";
import type { PackedTrace } from "../chapters/ports/store.ts";
import { openStore } from "../store/open.ts";
import { packTrace } from "../store/pack-trace.ts";
import { asSuperuser, startPostgres } from "../test/helpers/stores/postgres.ts";
import { against, type BenchLine, median } from "./harness.ts";

const TRACES = 3000;
const ROUNDS = 5;
/** As many as storing evidence appends at once. */
const BATCH = 256;

/**
 * Rows of traces appended to PostgreSQL, and the same traces read and stored whole, against COPY of the same rows into the
 * same table. COPY is the superuser's, from a file of the server's: row-level policies refuse it to a role that they hold.
 */
export async function postgresLines(
  record: (n: number) => string,
  chunks: (body: Buffer) => AsyncIterable<Uint8Array>,
  compute: Ctx["compute"],
): Promise<BenchLine[]> {
  const cluster = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), "svc-copy-"));
  chmodSync(folder, 0o755);
  const url = await cluster.database();
  const store = await openStore({ url });
  const above = new pg.Client({ connectionString: asSuperuser(url) });
  try {
    await above.connect();
    await store.createOrg({ id: "org1", tag: "bench", created_at: 1 });
    const org = store.forOrg("org1");
    const body = Buffer.from(Array.from({ length: TRACES }, (_, n) => record(n)).join("\n"));
    const packed: PackedTrace[] = [];
    for await (const { trace } of (await openEvidence(chunks(body))).traces()) packed.push(packTrace(trace));
    let round = 0;
    let made = 0;
    const parts = {
      store: org,
      compute,
      now: () => 1,
      id: (prefix: string) => `${prefix}_${String(++made).padStart(10, "0")}`,
      signal: new AbortController().signal,
      progress() {},
    };
    const ctx = parts as unknown as Ctx;
    const file = join(folder, "rows");
    const works = {
      copy: () => above.query(`copy traces from '${file}'`),
      append: async () => {
        const rows = packed.map((each, position) => ({
          id: `a${round}_${position}`,
          evidence: `a${round}`,
          position,
          packed: each,
        }));
        for (let at = 0; at < TRACES; at += BATCH) await org.traces.append(rows.slice(at, at + BATCH));
      },
      whole: () => storeEvidence(ctx, chunks(body), { by: "bench", surface: `s${round}` }),
    };
    const measured: Record<keyof typeof works, number[]> = { copy: [], append: [], whole: [] };
    for (; round <= ROUNDS; round++) {
      writeFileSync(file, packed.map((each, position) => line(`c${round}`, position, each)).join(""), { mode: 0o644 });
      for (const name of Object.keys(works) as (keyof typeof works)[]) {
        const started = performance.now();
        await works[name]();
        // The first round warms up.
        if (round > 0) measured[name].push((TRACES * 1000) / (performance.now() - started));
      }
    }
    const floor = { name: "COPY of the same rows", value: median(measured.copy) };
    const size = Math.round(packed.reduce((sum, each) => sum + each.body.byteLength, 0) / TRACES / 100) / 10;
    return [
      against(`PostgreSQL: rows appended, ${size} KB packed`, median(measured.append), "/s", floor),
      against("PostgreSQL: ingest, read and stored whole", median(measured.whole), "/s", floor),
    ];
  } finally {
    await above.end();
    await store.close();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A row as COPY takes it. */
function line(
  evidence: string,
  position: number,
  { session, startedAt, calls, digest, encoding, body }: PackedTrace,
): string {
  const bytes = `\\\\x${Buffer.from(body).toString("hex")}`;
  const cells = ["org1", evidence, position, `${evidence}_${position}`, session, startedAt ?? "\\N", calls, digest];
  return `${[...cells, encoding, bytes].join("\t")}\n`;
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Ctx } from "../chapters/context.ts";
import { suspicionOf } from "../chapters/evidence/intake/secrets.ts";
import { storeEvidence } from "../chapters/evidence/intake/store-evidence.ts";
import { openEvidence } from "../chapters/evidence/reading/evidence.ts";
import { createComputePool } from "../src/jobs/pool.ts";
import { openStore } from "../store/open.ts";
import { against, type BenchLine, median } from "./harness.ts";
import { postgresLines } from "./ingest-postgres.ts";

const TRACES = 5000;
const ROUNDS = 5;

/** A chat record of about 20 KB: a conversation with seventeen calls whose results are JSON texts. */
function record(n: number): string {
  let seed = n * 7919 + 1;
  const next = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed;
  };
  const words = ["order", "refund", "shipment", "customer", "status", "address", "please", "check", "the", "item"];
  const text = (length: number) => Array.from({ length }, () => words[next() % words.length]).join(" ");
  const messages: unknown[] = [
    { role: "system", content: text(300) },
    { role: "user", content: text(30) },
  ];
  for (let i = 0; i < 17; i++) {
    const id = `call_${next().toString(36)}`;
    const items = Array.from({ length: 8 }, () => ({
      sku: String(next()),
      name: text(4),
      price: (next() % 10000) / 100,
    }));
    const call = {
      id,
      type: "function",
      function: { name: `get_${words[i % 6]}`, arguments: `{"order_id":"W${next()}"}` },
    };
    messages.push({ role: "assistant", content: text(20), tool_calls: [call] });
    messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify({ order_id: `W${next()}`, items }) });
  }
  messages.push({ role: "assistant", content: text(40) });
  return JSON.stringify({ id: `s${n}`, messages });
}

async function* chunks(body: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
}

/** Things per second: of this process's processor time, all its threads; of this thread's; by the clock, the disk's time too. */
async function perSecond(run: () => Promise<void> | void): Promise<{ cpu: number; thread: number; clock: number }> {
  const [all, own, started] = [process.cpuUsage(), process.threadCpuUsage(), performance.now()];
  await run();
  const rate = ({ user, system }: NodeJS.CpuUsage) => (TRACES * 1e6) / (user + system);
  return {
    cpu: rate(process.cpuUsage(all)),
    thread: rate(process.threadCpuUsage(own)),
    clock: (TRACES * 1000) / (performance.now() - started),
  };
}

/** Traces written in one transaction by the floor, as many as the store writes in one. */
const BATCH = 200;

/** Ingest of 20 KB traces against JSON.parse alone and against batches to a bare SQLite: processor time, serving thread, clock. */
export async function bench(): Promise<BenchLine[]> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const service = await openStore({ path: join(folder, "store.db") });
  const bare = new Database(join(folder, "bare.db"));
  const compute = createComputePool();
  try {
    bare.pragma("journal_mode = wal");
    bare.pragma("synchronous = full");
    bare.exec("create table rows (id integer primary key, body text not null)");
    await service.createOrg({ id: "org1", tag: "bench", created_at: 1 });
    const lines = await measure(service.forOrg("org1"), compute, bare);
    return [...lines, ...(await postgresLines(record, chunks, compute))];
  } finally {
    bare.close();
    await compute.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(store: Ctx["store"], compute: Ctx["compute"], bare: Database.Database): Promise<BenchLine[]> {
  const lines = Array.from({ length: TRACES }, (_, i) => record(i));
  const body = Buffer.from(lines.join("\n"));
  const bytes = lines.map((line) => Buffer.from(line));
  let next = 0;
  const parts = {
    store,
    compute,
    now: () => 1,
    id: (prefix: string) => `${prefix}_${String(++next).padStart(10, "0")}`,
    signal: new AbortController().signal,
    progress() {},
  };
  // Storing evidence asks for no more of a context than this.
  const ctx = parts as unknown as Ctx;
  const insert = bare.prepare("insert into rows (body) values (?)");
  const works = {
    parse: () => {
      for (const line of lines) JSON.parse(line);
    },
    sqlite: () => {
      for (let at = 0; at < lines.length; at += BATCH)
        bare.transaction(() => {
          for (const line of lines.slice(at, at + BATCH)) insert.run(line);
        })();
    },
    secrets: () => {
      for (const each of bytes) if (suspicionOf(each).secret) throw new Error("the sample holds no secret");
    },
    read: async () => {
      let read = 0;
      for await (const _trace of (await openEvidence(chunks(body))).traces()) read++;
      if (read !== TRACES) throw new Error(`${read} traces were read`);
    },
    store: async () => {
      const { doc } = await storeEvidence(ctx, chunks(body), { by: "bench", surface: `s${++next}` });
      if (doc.stats.traces !== TRACES) throw new Error(`${doc.stats.traces} traces were stored`);
    },
  };
  const measured: Record<keyof typeof works, number[]> = { parse: [], sqlite: [], secrets: [], read: [], store: [] };
  const clocked: typeof measured = { parse: [], sqlite: [], secrets: [], read: [], store: [] };
  const serving: typeof measured = { parse: [], sqlite: [], secrets: [], read: [], store: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of Object.keys(works) as (keyof typeof works)[]) {
      const { cpu, thread, clock } = await perSecond(works[name]);
      // The first round warms up.
      if (round === 0) continue;
      measured[name].push(cpu);
      serving[name].push(thread);
      clocked[name].push(clock);
    }
  }
  const floor = { name: "JSON.parse alone", value: median(measured.parse) };
  const batched = { name: "SQLite alone, in batches", value: median(measured.sqlite) };
  const size = Math.round(body.length / TRACES / 100) / 10;
  return [
    against(`looking for secrets, ${size} KB traces`, median(measured.secrets), "traces/s CPU", floor),
    against("read: split, parsed, secrets, converted", median(measured.read), "traces/s CPU", floor),
    against("ingest: read and stored whole", median(measured.store), "traces/s CPU", floor),
    against("ingest: read and stored whole", median(measured.store), "traces/s CPU", batched),
    against("ingest, the serving thread's part", median(serving.store), "traces/s CPU", batched),
    against("ingest, by the clock", median(clocked.store), "traces/s", {
      name: "SQLite alone, by the clock",
      value: median(clocked.sqlite),
    }),
  ];
}

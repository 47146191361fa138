import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Compute } from "../../../chapters/compute.ts";
import type { Ctx } from "../../../chapters/context.ts";
import { readRecords, readTexts, readToolListing } from "../../../chapters/evidence/documents/contents.ts";
import { type StoredEvidence, storeEvidence } from "../../../chapters/evidence/intake/store-evidence.ts";
import { toObserved } from "../../../chapters/evidence/traces/observed.ts";
import type { ServiceStore } from "../../../chapters/ports/store.ts";
import { Evidence, EvidenceDraft, EvidenceKey } from "../../../chapters/records/evidence/evidence.ts";
import { createComputePool } from "../../../src/jobs/pool.ts";
import { openStore } from "../../../store/open.ts";
import { everyPage } from "../../store/contract/setup.ts";
import { awake } from "./formats/both-ways.ts";
import { LARGE_TRACES, largeBody } from "./large-body.ts";

const pool = createComputePool();
afterAll(() => pool.close());

let folder: string;
let service: ServiceStore;
let clock: number;
let ctx: Ctx;
let told: number[];
let abort: AbortController;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-evidence-"));
  service = await openStore({ path: join(folder, "store.db") });
  await service.createOrg({ id: "org1", tag: "acme", created_at: 1 });
  clock = 1_790_000_000;
  told = [];
  abort = new AbortController();
  let next = 0;
  const parts = {
    org: { id: "org1", tag: "acme" },
    store: service.forOrg("org1"),
    now: () => clock,
    id: (prefix: string) => `${prefix}_${String(++next).padStart(8, "0")}`,
    signal: abort.signal,
    progress: (done: number) => told.push(done),
  };
  // Storing evidence asks for no more of a context than this.
  ctx = parts as unknown as Ctx;
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const trace = (n: number, pad = "") => ({
  task_id: n,
  pad,
  trial: 0,
  reward: 1,
  traj: [
    { role: "user", content: `Request ${n}` },
    { role: "assistant", content: "Done." },
  ],
});
const lines = (count: number, pad = "") =>
  Array.from({ length: count }, (_, i) => JSON.stringify(trace(i, pad))).join("\n");
async function* body(text: string, after?: () => void): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  after?.();
}
const facts = { by: "test" };

describe("storing evidence", () => {
  it("keeps traces in their order, tells how far it is, and gives them to the compiler with group and reward", async () => {
    const { doc, ids, stored } = await storeEvidence(ctx, body(lines(300)), facts);
    expect([stored, ids.length, doc.stats.traces, told]).toEqual([true, 100, 300, [256]]);
    const observed = [];
    for await (const row of ctx.store.traces.stream([doc.id])) observed.push(toObserved(row.trace, row.id));
    expect(observed.map((each) => each.group)).toEqual(Array.from({ length: 300 }, (_, i) => String(i)));
    expect(observed[7]).toMatchObject({ request: "Request 7", finalAnswer: "Done.", reward: 1, calls: [] });
    expect(await ctx.store.records.count(EvidenceDraft)).toBe(0);
  });

  it("stores a large body the same whoever reads it, and a small one without asking the pool", async () => {
    const sent = () => storeEvidence(ctx, largeBody(), { ...facts, surface: String(clock++) });
    const here = await sent();
    let asked = 0;
    const compute: Compute = {
      run(task, input) {
        asked++;
        return pool.run(task, input);
      },
    };
    ctx = { ...ctx, compute: awake(compute) };
    const there = await sent();
    expect(asked).toBeGreaterThan(50);
    asked = 0;
    await storeEvidence(ctx, body(lines(300)), facts);
    expect(asked).toBe(0);
    expect(there.ids).toHaveLength(100);
    const kept = ({ doc: { id: _, created_at: __, surface: ___, ...rest } }: StoredEvidence) => rest;
    expect(kept(there)).toEqual(kept(here));
    expect(there.doc.stats.traces).toBe(LARGE_TRACES);
    const heads = async (id: string) => {
      const rows = await everyPage((page) => ctx.store.traces.heads(id, page), 500);
      return rows.map(({ position, session, digest, calls }) => [position, session, digest, calls]);
    };
    expect(await heads(there.doc.id)).toEqual(await heads(here.doc.id));
  });

  it.each(["on this thread", "on others"])(
    "writes nothing when a body breaks, ends too early or is given up, at any point: read %s",
    async (where) => {
      if (where === "on others") ctx = { ...ctx, compute: awake(pool) };
      const pad = "x".repeat(where === "on others" ? 15_000 : 0);
      const text = `[${lines(400, pad).replaceAll("\n", ",")}]`;
      await expect(storeEvidence(ctx, body(text.slice(0, -2)), facts)).rejects.toThrow("cut off");
      await expect(storeEvidence(ctx, body(text.replace('{"task_id":350', '}{"task_id":350')), facts)).rejects.toThrow(
        "at byte",
      );
      const failing = body(text, () => {
        throw new Error("the sender went away");
      });
      await expect(storeEvidence(ctx, failing, facts)).rejects.toThrow("went away");
      ctx.progress = () => abort.abort(new Error("given up"));
      await expect(storeEvidence(ctx, body(text), facts)).rejects.toThrow("given up");
      for (const kind of [Evidence, EvidenceDraft, EvidenceKey]) expect(await ctx.store.records.count(kind)).toBe(0);
      const left = [];
      for (let n = 1; n < 1500; n++) left.push(await ctx.store.traces.count(`ev_${String(n).padStart(8, "0")}`));
      expect(left.every((count) => count === 0)).toBe(true);
    },
  );

  it("writes a small body and its record at once, and a draft for a large one", async () => {
    const drafts: string[] = [];
    const { records } = ctx.store;
    const noting = new Proxy(records, {
      get: (target, name) => {
        const method = Reflect.get(target, name, target);
        if (typeof method !== "function") return method;
        return (...args: unknown[]) => {
          if (name === "insert") drafts.push(String((args[0] as { kind: string }).kind));
          return method.apply(target, args);
        };
      },
    });
    const noted = { ...ctx, store: { ...ctx.store, records: noting } } as Ctx;
    const many = (from: number, traces: number) =>
      body(JSON.stringify(Array.from({ length: traces }, (_, n) => trace(from + n))));
    const small = await storeEvidence(noted, many(0, 20), { by: "Ann" });
    expect([drafts, await ctx.store.traces.count(small.doc.id), small.ids.length]).toEqual([[], 20, 20]);
    const large = await storeEvidence(noted, many(100, 600), { by: "Ann" });
    expect([drafts, await ctx.store.traces.count(large.doc.id)]).toEqual([[EvidenceDraft.kind], 600]);
    expect(await records.count(EvidenceDraft)).toBe(0);
  });

  it("clears away what a crash left behind, an hour later", async () => {
    await ctx.store.records.insert(EvidenceDraft, { id: "ev_crashed", created_at: clock, by: "test" });
    const { doc } = await storeEvidence(ctx, body(lines(1)), facts);
    const [row] = (await ctx.store.traces.heads(doc.id)).items;
    const stored = await ctx.store.traces.get(row?.id ?? "");
    if (!stored) throw new Error("the trace is not there");
    await ctx.store.traces.append([{ ...stored, id: "tr_crashed", evidence: "ev_crashed" }]);
    clock += 3000;
    await storeEvidence(ctx, body(lines(2)), facts);
    expect(await ctx.store.traces.count("ev_crashed")).toBe(1);
    clock += 1000;
    await storeEvidence(ctx, body(lines(3)), facts);
    expect(await ctx.store.traces.count("ev_crashed")).toBe(0);
    expect(await ctx.store.records.count(EvidenceDraft)).toBe(0);
  });

  it("stores bytes once for a surface, and a key once whatever the bytes", async () => {
    const first = await storeEvidence(ctx, body(lines(3)), { ...facts, idempotencyKey: "k" });
    expect(await storeEvidence(ctx, body(lines(3)), facts)).toEqual({ doc: first.doc, ids: first.ids, stored: false });
    expect(await storeEvidence(ctx, body(lines(9)), { ...facts, idempotencyKey: "k" })).toMatchObject({
      stored: false,
      doc: { id: first.doc.id },
    });
    const elsewhere = await storeEvidence(ctx, body(lines(3)), { ...facts, surface: "other" });
    expect([elsewhere.stored, elsewhere.doc.surface, first.doc.surface]).toEqual([true, "other", "main"]);
  });

  it("keeps what listings and documents hold, to be read back", async () => {
    const listing = await storeEvidence(ctx, body('[{"name":"a","inputSchema":{"type":"object"}}]'), facts);
    expect(await readToolListing(ctx, listing.doc)).toEqual([{ name: "a", inputSchema: { type: "object" } }]);
    const tables = await storeEvidence(ctx, body('{"users":{"u1":{"name":"Ann"}}}'), facts);
    expect([tables.doc.kind, tables.doc.tables]).toEqual([
      "document",
      [{ name: "users", rows: 1, columns: ["id", "name"] }],
    ]);
    expect(await readRecords(ctx, tables.doc)).toEqual({ users: [{ id: "u1", name: "Ann" }] });
    const text = await storeEvidence(ctx, body("# A\n\nb"), facts);
    expect(await readTexts(ctx, text.doc)).toEqual([{ title: "A", text: "# A\n\nb" }]);
    const traces = await storeEvidence(ctx, body(lines(1)), facts);
    await expect(readToolListing(ctx, traces.doc)).rejects.toThrow("no listing");
  });
});

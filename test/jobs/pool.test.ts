import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { AppError } from "../../chapters/errors.ts";
import { batchOf, readBatch } from "../../chapters/evidence/reading/read-batch.ts";
import { createComputePool } from "../../src/jobs/pool.ts";
import { unpack } from "../../store/codec.ts";
import { BEGUN, LET_GO } from "./pool-worker.ts";

const pool = createComputePool({ threads: 2, worker: new URL("./pool-worker.ts", import.meta.url) });
afterAll(() => pool.close());

const square = { name: "square", run: (n: number) => n * n };
const spin = { name: "spin", run: (_gate: SharedArrayBuffer) => "done" };
const refuse = { name: "refuse", run: (_input: null) => null };
const brief = { ...square, brief: true };
const length = {
  name: "length",
  handsOver: ({ bytes }: { bytes: Uint8Array }) => [bytes.buffer as ArrayBuffer],
  run: ({ bytes }: { bytes: Uint8Array }) => bytes.length,
};
/** The shared memory of a spin, which goes on until it is let go. */
function gate() {
  const memory = new SharedArrayBuffer(8);
  const cells = new Int32Array(memory);
  return {
    memory,
    begun: async () => {
      while (Atomics.load(cells, BEGUN) === 0) await sleep(5);
    },
    letGo: () => void Atomics.store(cells, LET_GO, 1),
  };
}
const broken = { name: "broken", run: (_input: null) => null };

test("a task runs in a thread and answers its value", async () => {
  expect(await pool.run(square, 12)).toBe(144);
});

test("a task tells what share of it is done, while it works and to who listens", async () => {
  const telling = { name: "tell", run: (_input: null) => true };
  const told: number[] = [];
  expect(await pool.run(telling, null, undefined, (share) => told.push(share))).toBe(true);
  await expect.poll(() => told).toEqual([0.5, 1]);
  expect(await pool.run(telling, null)).toBe(false);
});

test("the serving thread goes on while a task computes", async () => {
  const { memory, begun, letGo } = gate();
  const computed = pool.run(spin, memory);
  await begun();
  // Ten turns of this thread's loop while the other never leaves its own.
  for (let turn = 0; turn < 10; turn++) await sleep(1);
  letGo();
  expect(await computed).toBe("done");
});

test("an abort ends a computation that never yields, and the pool goes on", async () => {
  const abort = new AbortController();
  const { memory, begun } = gate();
  void begun().then(() => abort.abort());
  await expect(pool.run(spin, memory, abort.signal)).rejects.toThrow();
  expect(await pool.run(square, 3)).toBe(9);
});

test("a refusal crosses the thread boundary as the AppError it was; a fault as an error naming the task", async () => {
  const refused = await pool.run(refuse, null).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(AppError);
  expect(refused).toMatchObject({ code: "unprocessable", reason: "Cannot be used.", details: { names: ["a"] } });
  await expect(pool.run(broken, null)).rejects.toThrow("compute task broken: broken");
});

test("a brief task does not wait for long ones", async () => {
  const busy = new AbortController();
  const { memory } = gate();
  const long = [pool.run(spin, memory, busy.signal), pool.run(spin, memory, busy.signal)];
  expect(await pool.run(brief, 5)).toBe(25);
  busy.abort();
  for (const ended of await Promise.allSettled(long)) expect(ended.status).toBe("rejected");
});

test("an abort of a brief task ends its wait at once, and nothing that its thread holds besides", async () => {
  const one = createComputePool({ briefThreads: 1, worker: new URL("./pool-worker.ts", import.meta.url) });
  try {
    const [first, last] = [new AbortController(), new AbortController()];
    const spins = { ...spin, brief: true };
    const { memory, begun, letGo } = gate();
    const spinning = one.run(spins, memory, first.signal).catch(() => "ended");
    const held = [one.run(brief, 3), one.run(brief, 4)];
    const waits = one.run(brief, 5, last.signal).catch(() => "ended");
    await begun();
    first.abort();
    last.abort();
    expect(await spinning).toBe("ended");
    expect(await waits).toBe("ended");
    letGo();
    expect(await Promise.all(held)).toEqual([9, 16]);
    expect(await one.run(brief, 6)).toBe(36);
  } finally {
    await one.close();
  }
});

test("a thread that ends fails what it held, and nothing that came after", async () => {
  const one = createComputePool({ briefThreads: 1, worker: new URL("./pool-worker.ts", import.meta.url) });
  try {
    expect(await one.run(brief, 2)).toBe(4);
    const end = { name: "end", brief: true, run: (code: number) => code };
    // The first to answer would make room for one more before the thread has ended: none does.
    const held = Promise.allSettled([one.run(end, 3), one.run(brief, 2), one.run(brief, 3)]);
    const after = [one.run(brief, 4), one.run(brief, 5), one.run(brief, 6), one.run(brief, 7)];
    expect((await held).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await Promise.all(after)).toEqual([16, 25, 36, 49]);
  } finally {
    await one.close();
  }
});

test("memory that is handed over and back is the same, and what was made in it comes in one piece", async () => {
  const own = createComputePool();
  try {
    const bytes = Buffer.from(
      ["a", "b"].map((id) => JSON.stringify({ id, messages: [{ role: "user", content: `hello ${id}` }] })).join(""),
    );
    const memory = new ArrayBuffer(4096);
    // What another body left in it.
    Buffer.from(memory).fill(JSON.stringify({ id: "left", key: `ghp_${"a1B2".repeat(9)}` }));
    const pieces = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)].map((part, i) => ({
      kind: "item" as const,
      bytes: part,
      place: i + 1,
      offset: 0,
    }));
    const rules = { format: "openai-chat", shape: "lines" as const, allowSecrets: false };
    const read = await own.run(readBatch, batchOf(pieces, rules, memory));
    expect(memory.byteLength).toBe(0);
    expect(read.memory.byteLength).toBe(4096);
    expect(read.traces.map(({ session }) => session)).toEqual(["a", "b"]);
    for (const trace of read.traces) expect(Buffer.from(unpack(trace)).toString()).not.toMatch(/left|ghp_/);
    for (const { body } of read.traces) expect(body.buffer).toBe(read.packed);
  } finally {
    await own.close();
  }
});

test("a buffer that is handed over is the task's alone; all else is copied", async () => {
  const bytes = new Uint8Array(1000);
  expect(await pool.run(length, { bytes })).toBe(1000);
  expect(bytes.byteLength).toBe(0);
  const kept = new Uint8Array(1000);
  expect(await pool.run({ ...length, handsOver: () => [] }, { bytes: kept })).toBe(1000);
  expect(kept.byteLength).toBe(1000);
});

test("what waits for a thread begins when the one that is busy is ended, and hears an abort while it waits", async () => {
  const one = createComputePool({ threads: 1, worker: new URL("./pool-worker.ts", import.meta.url) });
  try {
    const [busy, waits] = [new AbortController(), new AbortController()];
    const { memory, begun } = gate();
    const long = one.run(spin, memory, busy.signal).catch(() => "ended");
    await begun();
    const left = one.run(square, 2, waits.signal).catch(() => "not begun");
    const next = one.run(square, 5, new AbortController().signal);
    waits.abort();
    expect(await left).toBe("not begun");
    busy.abort();
    expect(await long).toBe("ended");
    expect(await next).toBe(25);
  } finally {
    await one.close();
  }
});

test("a thread that cannot start fails what it was to do, each time", async () => {
  const unable = createComputePool({ threads: 2, worker: new URL("./no-such-worker.ts", import.meta.url) });
  try {
    const tries = [1, 2, 3].map((n) => unable.run(square, n));
    for (const ended of await Promise.allSettled(tries)) {
      expect(ended.status).toBe("rejected");
      expect(String((ended as PromiseRejectedResult).reason)).toContain("no-such-worker");
    }
    await expect(unable.run(square, 4)).rejects.toThrow("no-such-worker");
  } finally {
    await unable.close();
  }
});

test("closing fails what runs and what waits", async () => {
  const one = createComputePool({ threads: 1, worker: new URL("./pool-worker.ts", import.meta.url) });
  const ended = Promise.allSettled([one.run(spin, gate().memory), one.run(square, 1)]);
  await one.close();
  expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

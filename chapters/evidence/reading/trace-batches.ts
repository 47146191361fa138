import { setImmediate, setTimeout } from "node:timers/promises";
import type { Compute } from "../../compute.ts";
import type { PackedTrace } from "../../ports/store.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import type { Converted } from "../formats/format.ts";
import { inOrder } from "./in-order.ts";
import { type BatchRead, batchOf, bytesOf, readBatch } from "./read-batch.ts";
import type { Source } from "./source.ts";
import { type ItemPiece, sizeOf } from "./split.ts";
import type { Tally } from "./tally.ts";
import { type ReadingRules, TraceReader } from "./trace-reader.ts";

/** Traces that follow each other. */
export interface TraceBatch {
  readonly traces: readonly ({ readonly trace: CanonicalTrace } | { readonly packed: PackedTrace })[];
  /** Bytes of the items they were read from, at most; 0 where parts of traces were put together. */
  readonly bytes: number;
  readonly calls: number;
  /** Names of the tools that were called. */
  readonly tools: readonly string[];
  /** Labels of the first trace. */
  readonly first: CanonicalTrace["labels"] | undefined;
}

/** An item or a few of them: enough that handing them over costs little, few enough that none waits long. */
const BATCH_ITEMS = 32;
const BATCH_BYTES = 512 * 1024;
/** What most batches fit in: the last item of one passes its limit. */
const MEMORY_BYTES = BATCH_BYTES + 128 * 1024;
/** How many of these stay for the next body: what one has under way. */
const MEMORIES_KEPT = 12;
/** Bytes of items that are being read, or wait to be, at once; what constant memory rests on. */
const UNDER_WAY_BYTES = 6 * 1024 * 1024;
/** How long a body waits for the threads before it is read here meanwhile. */
const WAKING_MS = 5;

/**
 * The traces of a source in batches, in order. With a `compute`, items that are traces by themselves are read there,
 * several batches at once; what is not is read here, after all that came before. Both ways give the same traces, the
 * same counts and the same refusal.
 */
export async function* readInBatches(
  source: Source,
  rules: ReadingRules,
  tally: Tally,
  compute: Compute | undefined,
): AsyncGenerator<TraceBatch> {
  const reader = new TraceReader(rules, tally);
  // An object's members may say something of all its items.
  if (compute && rules.format.alone && rules.shape !== "object") {
    const { format, shape, allowSecrets, privacy } = rules;
    const read = async (pieces: readonly ItemPiece[]) => {
      const memory = MEMORIES.take(bytesOf(pieces));
      const done = await compute.run(
        readBatch,
        batchOf(pieces, { format: format.name, shape, allowSecrets, privacy }, memory),
      );
      MEMORIES.give(done.memory);
      return done;
    };
    // Threads take a while to start; until they answer the batches are read here.
    let awake = false;
    const wake = () => {
      awake = true;
    };
    // Threads that are up answer at once; for others no body waits long.
    await Promise.race([read([]).then(wake, wake), setTimeout(WAKING_MS, undefined, { ref: false })]);
    const work = async (pieces: readonly ItemPiece[]) => ({ pieces, read: awake ? await read(pieces) : undefined });
    const room = { most: UNDER_WAY_BYTES, size: bytesOf };
    for await (const { pieces, read } of inOrder(gathered(source.pieces()), work, room)) {
      if (read) {
        tally.add(read.counted);
        if (read.traces.length > 0) yield packedBatch(read, bytesOf(pieces));
      }
      yield* readHere(reader, pieces.slice(read?.items ?? 0));
    }
  } else for await (const pieces of gathered(source.pieces())) yield* readHere(reader, pieces);
  yield* inBatches(reader.end(), 0);
}

/** Memory for batches, used again and again: what is made anew for each has the system clear it and the garbage collector run for it. */
class Memories {
  readonly #free: ArrayBuffer[] = [];

  take(bytes: number): ArrayBuffer {
    if (bytes > MEMORY_BYTES) return new ArrayBuffer(bytes);
    return this.#free.pop() ?? new ArrayBuffer(MEMORY_BYTES);
  }

  give(memory: ArrayBuffer): void {
    if (memory.byteLength === MEMORY_BYTES && this.#free.length < MEMORIES_KEPT) this.#free.push(memory);
  }
}

const MEMORIES = new Memories();

function packedBatch({ traces, tools, first }: BatchRead, bytes: number): TraceBatch {
  const calls = traces.reduce((sum, trace) => sum + trace.calls, 0);
  return { traces: traces.map((packed) => ({ packed })), bytes, calls, tools, first };
}

async function* readHere(reader: TraceReader, pieces: readonly ItemPiece[]): AsyncGenerator<TraceBatch> {
  if (pieces.length === 0) return;
  // Other callers have their turn between batches.
  await setImmediate();
  const converted = async function* () {
    for (const piece of pieces) yield* reader.read(piece);
  };
  yield* inBatches(converted(), bytesOf(pieces));
}

async function* inBatches(converted: AsyncIterable<Converted>, bytes: number): AsyncGenerator<TraceBatch> {
  let traces: { readonly trace: CanonicalTrace }[] = [];
  const flushed = (): TraceBatch => {
    const whole = traces;
    traces = [];
    const tools = new Set(whole.flatMap(({ trace }) => trace.calls.map((call) => call.tool)));
    const calls = whole.reduce((sum, { trace }) => sum + trace.calls.length, 0);
    return { traces: whole, bytes, calls, tools: [...tools], first: whole[0]?.trace.labels };
  };
  for await (const { trace } of converted) {
    traces.push({ trace });
    if (traces.length >= BATCH_ITEMS) yield flushed();
  }
  if (traces.length > 0) yield flushed();
}

async function* gathered(pieces: AsyncIterable<ItemPiece>): AsyncGenerator<readonly ItemPiece[]> {
  let some: ItemPiece[] = [];
  let bytes = 0;
  let failure: { readonly cause: unknown } | undefined;
  try {
    for await (const piece of pieces) {
      some.push(piece);
      bytes += sizeOf(piece);
      if (some.length < BATCH_ITEMS && bytes < BATCH_BYTES) continue;
      yield some;
      some = [];
      bytes = 0;
    }
  } catch (cause) {
    failure = { cause };
  }
  if (some.length > 0) yield some;
  if (failure) throw failure.cause;
}

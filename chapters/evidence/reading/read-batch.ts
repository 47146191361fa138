import type { ComputeTask } from "../../compute.ts";
import type { PackedTrace } from "../../ports/store.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import type { PrivacyRule } from "../anonymize/index.ts";
import type { Sample } from "../formats/format.ts";
import { namedFormat } from "../formats/index.ts";
import { type ItemPiece, sizeOf } from "./split.ts";
import { type Counted, Tally } from "./tally.ts";
import { TraceReader } from "./trace-reader.ts";

/** Items that follow each other in a body, as one run of bytes. */
export interface PieceBatch {
  readonly format: string;
  readonly shape: Sample["shape"];
  readonly allowSecrets: boolean;
  readonly privacy?: PrivacyRule | undefined;
  readonly bytes: Uint8Array;
  /** Of each item, the byte after its last. */
  readonly ends: readonly number[];
  readonly numbers: readonly number[];
  readonly offsets: readonly number[];
}

/** What a batch came to, as far as it was read. */
export interface BatchRead {
  /** How many items were read; the next one is not a trace by itself, so that what follows needs what came before. */
  readonly items: number;
  readonly traces: readonly PackedTrace[];
  /** The memory that all bodies of the traces lie in. */
  readonly packed: ArrayBuffer;
  /** Names of the tools that were called. */
  readonly tools: readonly string[];
  readonly first: CanonicalTrace["labels"] | undefined;
  readonly counted: Counted;
  /** The memory that the batch came in, to be used again. */
  readonly memory: ArrayBuffer;
}

/** Reads and packs items that are each one trace, in the bytes that the store would write. Stops at the first other item. */
export const readBatch: ComputeTask<PieceBatch, BatchRead> = {
  name: "read_batch",
  brief: true,
  handsOver: ({ bytes }) => [bytes.buffer as ArrayBuffer],
  handsBack: ({ memory, packed }) => [memory, packed],
  async run({ format: name, shape, allowSecrets, privacy, ...batch }, { packTrace }) {
    const { format } = namedFormat(name);
    if (format.kind !== "traces") throw new Error("the evidence is of another kind");
    const tally = new Tally({});
    const reader = new TraceReader({ format, shape, allowSecrets, privacy }, tally);
    const traces: PackedTrace[] = [];
    const tools = new Set<string>();
    let first: CanonicalTrace["labels"] | undefined;
    let items = 0;
    for (const piece of piecesOf(batch)) {
      const read = reader.readAlone(piece);
      if (!read) break;
      items++;
      for await (const { trace } of read) {
        first ??= trace.labels;
        for (const { tool } of trace.calls) tools.add(tool);
        traces.push(packTrace(trace));
      }
    }
    const memory = batch.bytes.buffer as ArrayBuffer;
    return { items, ...together(traces), tools: [...tools], first, counted: tally.counted(), memory };
  },
};

/** A batch of pieces; their bytes are copied to the start of a memory that holds them, since it will be handed over. */
export function batchOf(
  pieces: readonly ItemPiece[],
  rules: Pick<PieceBatch, "format" | "shape" | "allowSecrets" | "privacy">,
  memory: ArrayBuffer,
): PieceBatch {
  const bytes = new Uint8Array(memory, 0, bytesOf(pieces));
  const ends: number[] = [];
  let end = 0;
  for (const piece of pieces) {
    for (const part of piece.parts ?? [piece.bytes]) {
      bytes.set(part, end);
      end += part.length;
    }
    ends.push(end);
  }
  return {
    ...rules,
    bytes,
    ends,
    numbers: pieces.map((piece) => piece.place),
    offsets: pieces.map((piece) => piece.offset),
  };
}

/** How many bytes the pieces are together. */
export function bytesOf(pieces: readonly ItemPiece[]): number {
  return pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
}

function piecesOf({ bytes, ends, numbers, offsets }: Pick<PieceBatch, "bytes" | "ends" | "numbers" | "offsets">) {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return ends.map(
    (end, i): ItemPiece => ({
      kind: "item",
      bytes: all.subarray(ends[i - 1] ?? 0, end),
      place: numbers[i] as number,
      offset: offsets[i] as number,
    }),
  );
}

/** The same traces with their bodies in one buffer: each would take all of the buffer it was made in along to the other thread. */
function together(traces: readonly PackedTrace[]): Pick<BatchRead, "traces" | "packed"> {
  const all = new Uint8Array(traces.reduce((sum, trace) => sum + trace.body.byteLength, 0));
  let at = 0;
  const moved = traces.map((trace) => {
    all.set(trace.body, at);
    const body = all.subarray(at, at + trace.body.byteLength);
    at += body.byteLength;
    return { ...trace, body };
  });
  return { traces: moved, packed: all.buffer };
}

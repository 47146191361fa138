import type { PackedTrace } from "../../../store/port.ts";
import type { ComputeTask } from "../../compute.ts";
import type { PrivacyRule } from "../anonymize/index.ts";
import type { Sample } from "../formats/format.ts";
import { namedFormat } from "../formats/index.ts";
import type { CanonicalTrace } from "../schema.ts";
import type { ItemPiece } from "./split.ts";
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
  readonly places: readonly number[];
  readonly offsets: readonly number[];
}

/** What a batch came to, as far as it was read. */
export interface BatchRead {
  /** How many items were read; the next one is not a trace by itself, so that what follows needs what came before. */
  readonly items: number;
  readonly traces: readonly PackedTrace[];
  /** Names of the tools that were called. */
  readonly tools: readonly string[];
  readonly first: CanonicalTrace["labels"] | undefined;
  readonly counted: Counted;
}

/** Reads items that are traces by themselves and packs these as they are stored, with the bytes that the store would make of them. Stops before the first item that is not. */
export const readBatch: ComputeTask<PieceBatch, BatchRead> = {
  name: "read_batch",
  brief: true,
  handsOver: ({ bytes }) => [bytes.buffer as ArrayBuffer],
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
    return { items, traces: together(traces), tools: [...tools], first, counted: tally.counted() };
  },
};

/** A batch of pieces; their bytes are copied, since it may be handed over. */
export function batchOf(
  pieces: readonly ItemPiece[],
  rules: Pick<PieceBatch, "format" | "shape" | "allowSecrets" | "privacy">,
): PieceBatch {
  // Memory of its own, which a pool's would not be.
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.bytes.length, 0));
  const ends: number[] = [];
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece.bytes, end);
    end += piece.bytes.length;
    ends.push(end);
  }
  return {
    ...rules,
    bytes,
    ends,
    places: pieces.map((piece) => piece.place),
    offsets: pieces.map((piece) => piece.offset),
  };
}

function piecesOf({ bytes, ends, places, offsets }: Pick<PieceBatch, "bytes" | "ends" | "places" | "offsets">) {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return ends.map(
    (end, i): ItemPiece => ({
      kind: "item",
      bytes: all.subarray(ends[i - 1] ?? 0, end),
      place: places[i] as number,
      offset: offsets[i] as number,
    }),
  );
}

/** The same traces with their bodies in one buffer: each would take all of the buffer it was made in along to the other thread. */
function together(traces: readonly PackedTrace[]): PackedTrace[] {
  const all = new Uint8Array(traces.reduce((sum, trace) => sum + trace.body.byteLength, 0));
  let at = 0;
  return traces.map((trace) => {
    all.set(trace.body, at);
    const body = all.subarray(at, at + trace.body.byteLength);
    at += body.byteLength;
    return { ...trace, body };
  });
}

import { setImmediate } from "node:timers/promises";
import type { ToolDefinition } from "../../worlds/bundle.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import type { Ctx } from "../context.ts";
import { readToolListing } from "../evidence/documents/contents.ts";
import { toObserved } from "../evidence/traces/observed.ts";
import type { StoredTrace } from "../ports/store.ts";
import type { Doc } from "../record.ts";
import type { Evidence } from "../records/evidence/evidence.ts";
import { joinListings } from "../sandboxes/surfaces/compile-newest.ts";

type EvidenceDoc = Doc<typeof Evidence>;

/** Calls and bytes of traces that one graph is compiled from: it is made in memory. */
const MOST = { calls: 100_000, bytes: 256_000_000 };
/** Traces read at once: other callers have their turn between two batches. */
const BATCH = 50;

/** What a graph is compiled from. */
export interface GraphInputs {
  /** Traces as JSON arrays, in batches. */
  readonly batches: readonly Uint8Array<ArrayBuffer>[];
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly traces: { readonly read: number; readonly of: number };
}

/** Reads the listings, as one, and the traces of some evidence; of more than a graph is made from, as many evenly spread. */
export async function readGraphInputs(
  ctx: Ctx,
  evidence: readonly EvidenceDoc[],
  most: typeof MOST = MOST,
): Promise<GraphInputs> {
  const listings = evidence.filter(({ kind }) => kind === "tool_listing");
  // By the bytes they came from, so that the same files compile alike whenever they were stored.
  const records = evidence.filter(({ kind }) => kind === "traces").sort((a, b) => (a.digest < b.digest ? -1 : 1));
  const sum = (of: "calls" | "bytes") => records.reduce((total, { stats }) => total + stats[of], 0);
  const share = Math.min(1, most.calls / sum("calls"), most.bytes / sum("bytes"));
  const batches: Uint8Array<ArrayBuffer>[] = [];
  const traces = { read: 0, of: 0 };
  for (const record of records) {
    traces.of += await ctx.store.traces.count(record.id);
    for await (const rows of share < 1 ? spread(ctx, record, share) : whole(ctx, record)) {
      traces.read += rows.length;
      batches.push(new TextEncoder().encode(JSON.stringify(rows.map((row) => observed(record, row)))));
      await setImmediate();
      ctx.signal.throwIfAborted();
    }
  }
  return {
    batches,
    tools: joinListings(await Promise.all(listings.map((listing) => readToolListing(ctx, listing)))),
    traces,
  };
}

async function* whole(ctx: Ctx, { id }: EvidenceDoc): AsyncGenerator<StoredTrace[]> {
  let rows: StoredTrace[] = [];
  for await (const row of ctx.store.traces.stream([id])) {
    rows.push(row);
    if (rows.length < BATCH) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** Traces at places evenly spread; places that hold none are passed over. */
async function* spread(ctx: Ctx, record: EvidenceDoc, share: number): AsyncGenerator<StoredTrace[]> {
  const places = record.rolling?.next ?? record.stats.traces;
  const positions = Array.from({ length: Math.ceil(places * share) }, (_, i) => Math.floor(i / share));
  for (let i = 0; i < positions.length; i += BATCH)
    yield await ctx.store.traces.at(record.id, positions.slice(i, i + BATCH));
}

/** What a graph shows of a trace: its calls. Its examples are named by the bytes that it came from. */
function observed({ digest }: EvidenceDoc, { trace, position }: StoredTrace): ObservedTrace {
  const { id, group, startedAt, calls } = toObserved(trace, `${digest.slice(0, 16)}.${position}`);
  return {
    id,
    ...(group === undefined ? {} : { group }),
    ...(startedAt === undefined ? {} : { startedAt }),
    calls,
  };
}

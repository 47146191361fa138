import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { digestOf } from "../../../worlds/digest.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import type { Ctx } from "../../context.ts";
import { readRecords, readToolListing } from "../../evidence/documents/contents.ts";
import { labelling } from "../../evidence/feedback/labels.ts";
import { diffListings } from "../../evidence/listing-diff.ts";
import { toObserved } from "../../evidence/traces/observed.ts";
import { Sessions } from "../../evidence/traces/one-session.ts";
import type { StoredTrace } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import type { ListingDiff } from "../../records/evidence/listing-diff.ts";
import { joinListings, traceName } from "./compile-newest.ts";

type EvidenceDoc = Doc<typeof Evidence>;

/** What a surface is compiled from. */
export interface SurfaceInputs {
  readonly evidence: readonly string[];
  readonly traces: readonly ObservedTrace[];
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly records: Record<string, unknown> | undefined;
  /** How the newest of several listings differs from the others; absent where it does not. */
  readonly listings?: ListingDiff;
  /** Over the digests of the evidence: the same inputs are not compiled twice. */
  readonly digest: string;
}

/** Changes when the compiler's output may: part of every inputs digest. */
const COMPILER = "compile-5";

/** The surface's evidence that still stands, oldest first. */
export async function surfaceEvidence(ctx: Ctx, surface: string): Promise<EvidenceDoc[]> {
  const found: EvidenceDoc[] = [];
  let cursor: string | undefined;
  do {
    const page = await ctx.store.records.list(Evidence, { where: { surface }, order: "oldest", limit: 500, cursor });
    found.push(...page.items.filter((row) => row.superseded_by === undefined));
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

/** The evidence of these ids, in their order; what was deleted since is left out. */
export function evidenceOf(ctx: Ctx, ids: readonly string[]): Promise<EvidenceDoc[]> {
  return ctx.store.records.getMany(Evidence, ids);
}

/** Digest of what a surface would be compiled from now, without reading any trace. */
export function inputsDigest(evidence: readonly EvidenceDoc[]): string {
  return digestOf([COMPILER, evidence.map(inputOf).sort()]);
}

/** What was erased of a record, or converted again, changes what is compiled of it. */
function inputOf({ kind, format, digest, erased, reconverted }: EvidenceDoc): (string | number)[] {
  const again = reconverted === undefined ? [] : [`reconverted ${reconverted}`];
  return [kind, format, digest, ...(erased === undefined ? [] : [erased]), ...again];
}

/** Reads a surface's traces, listing and database export; of a tool or table the newest listing or export counts. */
export async function readInputs(ctx: Ctx, evidence: readonly EvidenceDoc[]): Promise<SurfaceInputs> {
  const traces = await readTraces(ctx, evidence);
  const listings: ToolDefinition[][] = [];
  let records: Record<string, unknown> | undefined;
  for (const row of evidence) {
    if (row.kind === "tool_listing") listings.push(await readToolListing(ctx, row));
    if (row.kind === "document" && row.format === "records") records = { ...records, ...(await readRecords(ctx, row)) };
  }
  const tools = joinListings(listings);
  const differ = diffListings(listings);
  return {
    evidence: evidence.map((row) => row.id),
    traces,
    tools,
    records,
    ...(differ === undefined ? {} : { listings: differ }),
    digest: inputsDigest(evidence),
  };
}

/**
 * Traces are named and ordered by the bytes they came from, so that the same files compile alike whenever they were stored.
 * A session that several of them tell of, sent twice or again when it had grown, is one.
 */
async function readTraces(ctx: Ctx, evidence: readonly EvidenceDoc[]): Promise<ObservedTrace[]> {
  const sessions = new Sessions<ObservedTrace>();
  const observed = await observer(ctx);
  const ofTraces = evidence.filter((row) => row.kind === "traces").sort((a, b) => (a.digest < b.digest ? -1 : 1));
  for (const record of ofTraces)
    for await (const row of ctx.store.traces.stream([record.id])) sessions.add(row.trace, () => observed(record, row));
  return sessions.values;
}

/** The traces at these places of a record, as `readInputs` names them. */
export async function readSome(ctx: Ctx, record: EvidenceDoc, positions: readonly number[]): Promise<ObservedTrace[]> {
  const observed = await observer(ctx);
  return (await ctx.store.traces.at(record.id, positions)).map((row) => observed(record, row));
}

/** How a stored trace is observed, with what people said of it. */
async function observer(ctx: Ctx): Promise<(record: EvidenceDoc, row: StoredTrace) => ObservedTrace> {
  const { rewards, productionOnly } = await labelling(ctx);
  return (record, row) => {
    const observed = { ...toObserved(row.trace, traceName(record.digest, row.position)), source: record.digest };
    const apart = productionOnly && record.provenance !== "production";
    return rewarded(observed, apart ? null : rewards.get(row.id));
  };
}

/** A trace with a person's verdict in place of its source's; `null` takes any verdict off, so that no task is mined from it. */
function rewarded({ reward: said, ...trace }: ObservedTrace, label: number | null | undefined): ObservedTrace {
  const reward = label === undefined ? said : label;
  return reward === null || reward === undefined ? trace : { ...trace, reward };
}

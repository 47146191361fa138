import type { Ctx } from "../../context.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";
import { covers, type Ranges, withPositions } from "../attributes/ranges.ts";
import { landedSince } from "./new-traces.ts";

type EvidenceDoc = Doc<typeof Evidence>;

/** How far somebody read the traces that come. */
export interface ReadProgress {
  /** Records that landed before this unix second were read whole, but for those that exporters add to. */
  readonly since: number;
  /** By evidence record: the positions that were read of the others. */
  readonly read: Readonly<Record<string, [number, number][]>>;
}

/** What lands in one second may be listed in the next: so many seconds are looked through again. */
export const SLACK = 60;
const DAY = 86_400;

/** Records of traces that landed since then, and those that exporters may still add to, in the order they landed. */
export async function landedRecords(
  ctx: Ctx,
  since: number,
  keep: (record: EvidenceDoc) => boolean,
): Promise<EvidenceDoc[]> {
  // A day's record that exporters add to is added to for some hours after its day.
  const records = (await landedSince(ctx, since - DAY)).filter(
    (record) => record.kind === "traces" && (record.rolling !== undefined || record.created_at > since) && keep(record),
  );
  return records.sort((a, b) => a.created_at - b.created_at);
}

/** Batches of a record's positions that are in no range. */
export async function* unreadPositions(
  ctx: Ctx,
  evidence: string,
  ranges: Ranges,
  size: number,
): AsyncGenerator<number[]> {
  // What stands before the first place that was not read is not listed again.
  const from = ranges[0]?.[0] === 0 ? ranges[0][1] + 1 : 0;
  let batch: number[] = [];
  for await (const { position } of everyRow((page) => ctx.store.traces.heads(evidence, { ...page, from }))) {
    if (covers(ranges, position)) continue;
    batch.push(position);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** A mark of which these positions were read too. */
export function withRead<M extends ReadProgress>(mark: M, evidence: string, positions: readonly number[]): M {
  return { ...mark, read: { ...mark.read, [evidence]: withPositions(mark.read[evidence] ?? [], positions) } };
}

/** A mark of which all records that landed before `at` were read; `records` are those that are not forgotten. */
export function caughtUp<M extends ReadProgress>(mark: M, records: readonly EvidenceDoc[], at: number): M {
  const since = Math.max(mark.since, at - SLACK);
  const kept = records.filter(({ rolling, created_at }) => rolling !== undefined || created_at > since);
  const read = Object.fromEntries(kept.flatMap(({ id }) => (mark.read[id] ? [[id, mark.read[id]]] : [])));
  return { ...mark, since, read };
}

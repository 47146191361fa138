import { digestOf } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";

type EvidenceDoc = Doc<typeof Evidence>;

/** Newest records that the mark is made of. */
const MARKED = 50;
/** A body may take as long to be stored: its id is as much older than its landing, seconds. */
const LONGEST_UPLOAD = 86_400;

/** Digest of the newest evidence, of one surface if named; it changes when evidence lands or exporters add to a record. */
export async function ingestDigest(ctx: Ctx, surface?: string): Promise<string | undefined> {
  const where = surface === undefined ? {} : { where: { surface } };
  const { items } = await ctx.store.records.list(Evidence, { ...where, limit: MARKED });
  return items.length === 0 ? undefined : digestOf(items.map(({ id, rolling }) => [id, rolling?.next ?? 0]));
}

/** Evidence that landed or was added to since a time, oldest first. */
export async function landedSince(ctx: Ctx, since: number): Promise<EvidenceDoc[]> {
  const found: EvidenceDoc[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(Evidence, page))) {
    const grows = row.rolling !== undefined;
    if (row.created_at <= since - LONGEST_UPLOAD) break;
    if (row.superseded_by === undefined && (row.created_at > since || grows)) found.push(row);
  }
  return found.reverse();
}

/**
 * Places of a record's last traces, at most so many, in order; of a record that exporters add to, of those traces that
 * started since a time.
 */
export async function newestPositions(ctx: Ctx, record: EvidenceDoc, since: number, most: number): Promise<number[]> {
  const end = record.rolling?.next ?? record.stats.traces;
  const places: number[] = [];
  const from = Math.max(0, end - most);
  for await (const head of everyRow((page) => ctx.store.traces.heads(record.id, { ...page, from })))
    if (record.rolling === undefined || (head.startedAt ?? 0) > since) places.push(head.position);
  return places.slice(-most);
}

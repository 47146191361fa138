import { allows } from "../caller.ts";
import type { Ctx } from "../context.ts";
import { AppError, notFound } from "../errors.ts";
import { KINDS } from "../kinds.ts";
import type { PageInput } from "../page.ts";

const IDS = 500;

/** What `orgRecords` is asked: all kinds, or one kind's ids page by page. */
export interface RecordsInput extends PageInput {
  readonly kind?: string | undefined;
}

/** The org's records by kind: ids of each kind that a copy takes, a count and the reason for each that stays behind. */
export async function orgRecords(ctx: Ctx, input: RecordsInput) {
  const counts = new Map((await ctx.store.records.kinds()).map(({ kind, count }) => [kind, count]));
  const asked = KINDS.filter((kind) => input.kind === undefined || kind.kind === input.kind);
  if (asked.length === 0) throw notFound("kind of record");
  const kinds: { kind: string; count: number; ids: string[]; next?: string }[] = [];
  const stays_behind: { kind: string; count: number; reason: string }[] = [];
  for (const kind of asked) {
    const count = counts.get(kind.kind) ?? 0;
    if (kind.copy !== true) {
      stays_behind.push({ kind: kind.kind, count, reason: kind.copy.staysBehind });
      continue;
    }
    const page =
      count === 0
        ? { items: [] }
        : await ctx.store.records.list(kind, {
            order: "oldest",
            limit: input.limit ?? IDS,
            cursor: input.kind === undefined ? undefined : input.cursor,
          });
    kinds.push({
      kind: kind.kind,
      count,
      ids: page.items.map((doc) => String(doc.id)),
      ...("next" in page && page.next !== undefined ? { next: page.next } : {}),
    });
  }
  return { org: ctx.org.tag, kinds, stays_behind, tier: "deterministic" as const };
}

/** One record of a kind that a copy takes, as it is stored, with the digest of its stored text; 404 for all else and for what is staff's, 403 below the kind's scope. */
export async function orgRecord(ctx: Ctx, input: { readonly kind: string; readonly rid: string }) {
  const kind = KINDS.find((each) => each.kind === input.kind && each.copy === true);
  if (kind && !allows(ctx.caller.scope, kind.scope)) {
    throw new AppError("forbidden", `Records of this kind are read with a token of scope ${kind.scope}.`);
  }
  const stored = kind && (await ctx.store.records.raw(kind.kind, input.rid));
  if (!stored) throw notFound("record");
  const record = JSON.parse(stored.text) as Record<string, unknown>;
  if (ctx.caller.kind === "org" && kind.staffOnly?.(record)) throw notFound("record");
  return { kind: input.kind, id: input.rid, digest: stored.digest, record };
}

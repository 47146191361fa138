import { z } from "zod";
import { sha256 } from "../../worlds/digest.ts";
import { allows } from "../caller.ts";
import type { Ctx } from "../context.ts";
import { type AppError, forbidden, notFound } from "../errors.ts";
import { count, orgRef } from "../fields.ts";
import { KINDS } from "../kinds.ts";
import { type PageInput, pageInput } from "../page.ts";
import { type ExcludedKind, entryKinds, MEMBER_ROWS } from "./entries.ts";
import { type EntryIds, entryIds } from "./entry-ids.ts";

const IDS = 500;

/** What `orgRecords` is asked: all kinds, or one kind's ids page by page. */
export const RecordsInput = z.object({ ...orgRef, kind: z.string().max(60).optional(), ...pageInput });
export type RecordsInput = z.output<typeof RecordsInput>;

/** Ids of one kind, page by page. */
export const KindIds = z.object({ kind: z.string(), count, ids: z.array(z.string()), next: z.string().optional() });
type KindIds = z.infer<typeof KindIds>;

/** The org's records by kind: ids of each kind that a copy takes, a count and the reason for each that stays behind. */
export async function orgRecords(ctx: Ctx, input: RecordsInput) {
  const counts = new Map((await ctx.store.records.kinds()).map(({ kind, count }) => [kind, count]));
  const asked = KINDS.filter((kind) => input.kind === undefined || kind.kind === input.kind);
  const rows = entryIds().filter(({ kind }) => input.kind === undefined || kind === input.kind);
  if (asked.length + rows.length === 0) throw notFound("kind of record");
  const kinds: KindIds[] = [];
  const stays_behind: ExcludedKind[] = [];
  const page = { limit: input.limit ?? IDS, cursor: input.kind === undefined ? undefined : input.cursor };
  for (const kind of asked) {
    const count = counts.get(kind.kind) ?? 0;
    if (kind.copy !== true) {
      stays_behind.push({ kind: kind.kind, count, reason: kind.copy.staysBehind });
      continue;
    }
    const { items, next } =
      count === 0 ? { items: [] } : await ctx.store.records.list(kind, { order: "oldest", ...page });
    kinds.push({
      kind: kind.kind,
      count,
      ids: items.map((doc) => String(doc.id)),
      ...(next === undefined ? {} : { next }),
    });
  }
  for (const each of rows) kinds.push({ kind: each.kind, ...(await listed(ctx, each, page)) });
  return { org: ctx.org.tag, kinds, stays_behind, tier: "deterministic" as const };
}

async function listed(ctx: Ctx, { count, page }: EntryIds, asked: PageInput) {
  const [n, { items, next }] = [await count(ctx.store), await page(ctx.store, asked)];
  return { count: n, ids: items, ...(next === undefined ? {} : { next }) };
}

/**
 * One record of a kind that a copy takes, as it is stored, with the digest of its stored text; 404 for all else and for what
 * is staff's, 403 below the kind's scope. A trace is found by its own id too.
 */
export async function orgRecord(ctx: Ctx, input: { readonly kind: string; readonly rid: string }) {
  if (MEMBER_ROWS.includes(input.kind)) return orgRow(ctx, input);
  const kind = KINDS.find((each) => each.kind === input.kind && each.copy === true);
  if (kind && !allows(ctx.caller.scope, kind.scope)) throw below(kind.scope);
  const stored = kind && (await ctx.store.records.raw(kind.kind, input.rid));
  if (!stored) throw notFound("record");
  const record = JSON.parse(stored.text) as Record<string, unknown>;
  if (ctx.caller.kind === "org" && kind.staffOnly?.(record)) throw notFound("record");
  return { kind: input.kind, id: input.rid, digest: stored.digest, record };
}

/** A member that is a row of a table of its own. Blobs may hold what records of any scope name: they are an admin's. */
async function orgRow(ctx: Ctx, { kind, rid }: { readonly kind: string; readonly rid: string }) {
  if (kind === "blob" && !allows(ctx.caller.scope, "admin")) throw below("admin");
  const id = kind === "trace" && !rid.includes("/") ? await tracePath(ctx, rid) : rid;
  const member = entryKinds().find(({ name }) => name === kind);
  const bytes = id === undefined ? undefined : await member?.bytes(ctx.store, id);
  if (id === undefined || !bytes) throw notFound("record");
  const record =
    kind === "blob"
      ? { base64: Buffer.from(bytes).toString("base64") }
      : asRecord(kind, JSON.parse(Buffer.from(bytes).toString("utf8")));
  return { kind, id, digest: sha256(bytes), record };
}

function asRecord(kind: string, value: unknown): Record<string, unknown> {
  return Array.isArray(value) ? { [kind]: value } : (value as Record<string, unknown>);
}

async function tracePath(ctx: Ctx, id: string): Promise<string | undefined> {
  const row = await ctx.store.traces.get(id);
  return row && `${row.evidence}/${row.position}/${row.id}`;
}

function below(scope: string): AppError {
  return forbidden(`Records of this kind are read with a token of scope ${scope}.`);
}

import type { Ctx } from "../context.ts";
import { notFound } from "../errors.ts";
import { KINDS } from "../kinds.ts";
import { FileAnswer } from "../reply.ts";
import { type EntryHead, type EntryKind, entryKinds, excludedKinds } from "./entries.ts";

/** What narrows a round: kinds, and the time since which a record was made. */
export interface MirrorScope {
  readonly kinds?: readonly string[] | undefined;
  /** Unix seconds. */
  readonly since?: number | undefined;
}

/** The kinds of a round, in order. A kind that no copy takes is a 404. */
export function kindsOf(scope: MirrorScope): EntryKind[] {
  const all = entryKinds();
  for (const name of scope.kinds ?? []) if (!all.some((kind) => kind.name === name)) throw notFound("kind of member");
  return all.filter((kind) => scope.kinds === undefined || scope.kinds.includes(kind.name));
}

/** What a round would send, kind by kind in order: ids, digests and sizes, and what stays back and why. Nothing is sent. */
export async function mirrorList(
  ctx: Ctx,
  input: { readonly kinds?: string | undefined; readonly since?: number | undefined },
) {
  const kinds = kindsOf({ kinds: input.kinds?.split(",").map((name) => name.trim()) });
  const members: (EntryHead & { kind: string })[] = [];
  for (const kind of kinds)
    for await (const head of membersSince(ctx, kind, input.since)) members.push({ kind: kind.name, ...head });
  return {
    org: ctx.org.tag,
    order: kinds.map((kind) => kind.name),
    members,
    held_back: await excludedKinds(ctx.store),
    tier: "deterministic" as const,
  };
}

/** A kind's entries made since a time, by their ids or creation times. Blobs have no time and are always included. */
export async function* membersSince(ctx: Ctx, kind: EntryKind, since: number | undefined): AsyncGenerator<EntryHead> {
  for await (const head of kind.heads(ctx.store)) {
    const made = since === undefined ? undefined : (timeOf(head.id) ?? (await madeAt(ctx, kind.name, head.id)));
    if (since === undefined || made === undefined || made >= since) yield head;
  }
}

async function madeAt(ctx: Ctx, kind: string, id: string): Promise<number | undefined> {
  const known = KINDS.find((each) => each.kind === kind);
  const made = known && (await ctx.store.records.get(known, id));
  return typeof made?.created_at === "number" ? made.created_at : undefined;
}

/** One listed member's bytes as stored. Another org's and an unknown one are one 404. */
export async function mirrorEntry(
  ctx: Ctx,
  input: { readonly kind: string; readonly id: string },
): Promise<FileAnswer> {
  const kind = entryKinds().find((one) => one.name === input.kind);
  const bytes = await kind?.bytes(ctx.store, input.id);
  if (!bytes) throw notFound("member");
  return new FileAnswer(`${input.kind}.bin`, "application/octet-stream", bytes, { bytes: bytes.byteLength });
}

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const TIMED_ID = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/;

/** Unix seconds from a time-sortable id, or from the last such part of a composed one; undefined for other ids. */
function timeOf(id: string): number | undefined {
  const stamp = id
    .split("/")
    .map((part) => TIMED_ID.exec(part)?.[1])
    .findLast((found) => found !== undefined);
  if (stamp === undefined) return undefined;
  let milliseconds = 0;
  for (const letter of stamp) milliseconds = milliseconds * 32 + CROCKFORD.indexOf(letter);
  return milliseconds / 1000;
}

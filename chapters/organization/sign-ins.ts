import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import { MemberInvite, MemberSession } from "../records/organization/session.ts";

/** Lines of the audit chain that are looked through, newest first, and sign-ins that are told. */
const LINES = 5_000;
const SHOWN = 20;

/** What is known of when a member was here; times are unix seconds. */
export interface Activity {
  /** Their newest sign-in among the lines that are looked through, else of a session that is open. */
  readonly signed_in?: number;
  /** When an open session of theirs was last used. */
  readonly seen?: number;
  /** Sessions of theirs that are open: one for each browser. */
  readonly sessions: number;
  /** Until when a link waits that signs them in. */
  readonly invited_until?: number;
}

/** When each member signed in and was last here, and the org's newest sign-ins, read from its audit chain and its sessions. */
export async function readActivity(ctx: Ctx) {
  const { records, audit } = ctx.store;
  const of = new Map<string, Activity>();
  const add = (member: string, more: (known: Activity) => Activity) =>
    of.set(member, more(of.get(member) ?? { sessions: 0 }));
  const later = (a: number | undefined, b: number) => Math.max(a ?? 0, b);
  for await (const { member, created_at, seen_at } of everyRow((page) => records.list(MemberSession, page)))
    add(member, (known) => ({
      ...known,
      sessions: known.sessions + 1,
      seen: later(known.seen, seen_at),
      signed_in: later(known.signed_in, created_at),
    }));
  for await (const { member, expires_at } of everyRow((page) => records.list(MemberInvite, page)))
    if (expires_at > ctx.now())
      add(member, (known) => ({ ...known, invited_until: later(known.invited_until, expires_at) }));
  const newest: { readonly at: number; readonly member: string }[] = [];
  let read = 0;
  for await (const { at, act, fields } of everyRow((page) => audit.list({ ...page, order: "newest" }))) {
    if (read === LINES) break;
    read += 1;
    const { member } = fields;
    if (act !== "member_signed_in" || typeof member !== "string") continue;
    add(member, (known) => ({ ...known, signed_in: later(known.signed_in, at) }));
    if (newest.length < SHOWN) newest.push({ at, member });
  }
  return { of, newest };
}

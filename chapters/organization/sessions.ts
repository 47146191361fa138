import type { Ctx, ServiceCtx } from "../context.ts";
import { hashToken, mintToken } from "../credentials.ts";
import { conflict } from "../errors.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import { Member } from "../records/organization/organization.ts";
import { MemberSession } from "../records/organization/session.ts";

/** A session ends when it was not used for so long, and after the longer time whatever it was used for; seconds. */
export const SESSION_IDLE = 7 * 86_400;
export const SESSION_LIFE = 30 * 86_400;

/** Use is written down at most this often, seconds. */
const TOUCH_EVERY = 300;
/** Who did nothing for so long comes back for another visit; seconds. */
const VISIT_ENDS = 1_800;

/** Who is signed in, as the store has them now. */
export interface SignedIn {
  readonly org: { readonly id: string; readonly tag: string };
  readonly member: Doc<typeof Member>;
  readonly session: Doc<typeof MemberSession>;
}

/** Opens a session for a member; answers what their browser is to hold, of which only the hash is kept. */
export async function openSession(ctx: Ctx, member: string): Promise<string> {
  await clearEnded(ctx);
  const { raw } = mintToken("session");
  const at = ctx.now();
  const { items: others } = await ctx.store.records.list(MemberSession, { where: { member }, limit: 100 });
  const left = others.length === 0 ? {} : { left_at: Math.max(...others.map(({ seen_at }) => seen_at)) };
  await ctx.store.records.insert(MemberSession, {
    id: sessionId(raw),
    created_at: at,
    by: ctx.caller.name,
    member,
    expires_at: at + SESSION_LIFE,
    seen_at: at,
    ...left,
    sends: 0,
  });
  return raw;
}

/** Who holds a session; undefined when it is unknown or has ended, or when its member is not of the org any more. */
export async function sessionOf(service: ServiceCtx, raw: string): Promise<SignedIn | undefined> {
  const id = sessionId(raw);
  const org = await service.service.orgOfRecord(MemberSession.kind, id);
  const row = org === undefined ? undefined : await service.service.orgById(org);
  if (!row) return undefined;
  const { records } = service.service.forOrg(row.id);
  const session = await records.get(MemberSession, id);
  const member = session && (await records.get(Member, session.member));
  if (!session || !member || ended(session, service.now())) {
    await records.delete(MemberSession, id);
    return undefined;
  }
  const found = { id: row.id, tag: row.tag };
  const away = service.now() - session.seen_at;
  if (away < TOUCH_EVERY) return { org: found, member, session };
  const left = away < VISIT_ENDS ? {} : { left_at: session.seen_at };
  const touched = await records.update(MemberSession, id, (doc) => ({ ...doc, ...left, seen_at: service.now() }));
  return { org: found, member, session: touched ?? session };
}

/** Ends one session: what the member's browser holds opens nothing any more. One that has ended already stays so. */
export async function endSession(ctx: Ctx, id: string): Promise<void> {
  await ctx.store.records.delete(MemberSession, id);
}

/** Ends every session of a member. */
export async function endSessionsOf(ctx: Ctx, member: string): Promise<void> {
  const rows = everyRow((page) => ctx.store.records.list(MemberSession, { ...page, where: { member } }));
  for await (const row of rows) await ctx.store.records.delete(MemberSession, row.id);
}

/**
 * Takes the leave of one form to send: `sends` is what the session had when the form was made. A form that was sent
 * already, or is older than the session's last send, is a conflict; of two at once one passes.
 */
export async function takeSend(ctx: Ctx, id: string, sends: number): Promise<void> {
  let taken = false;
  await ctx.store.records.update(MemberSession, id, (doc) => {
    taken = doc.sends === sends;
    return taken ? { ...doc, sends: sends + 1 } : doc;
  });
  if (!taken)
    throw conflict(
      "This form was sent already, or is older than your last send. Look at the delivery log, then open the preview again.",
    );
}

async function clearEnded(ctx: Ctx): Promise<void> {
  const { items } = await ctx.store.records.list(MemberSession, { order: "oldest", limit: 100 });
  for (const held of items) if (ended(held, ctx.now())) await ctx.store.records.delete(MemberSession, held.id);
}

function ended({ expires_at, seen_at }: Doc<typeof MemberSession>, now: number): boolean {
  return expires_at <= now || seen_at + SESSION_IDLE <= now;
}

function sessionId(raw: string): string {
  return `${MemberSession.prefix}_${hashToken(raw)}`;
}

import { z } from "zod";
import { auditAct } from "../audit.ts";
import type { Ctx, ServiceCtx } from "../context.ts";
import { hashToken, mintToken } from "../credentials.ts";
import { AppError, notFound } from "../errors.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import { Member } from "../records/organization/organization.ts";
import { MemberInvite } from "../records/organization/session.ts";
import { openSession } from "./sessions.ts";

/** How long an invite holds, seconds. */
export const INVITE_SECONDS = 3 * 86_400;

/** How long a link for the person at the service's own machine holds, seconds. */
export const LOCAL_LINK_SECONDS = 600;

/** Where a link is used from: whether the browser is on the service's own machine. */
export interface InviteUse {
  readonly onThisMachine: boolean;
}

/** A one-time link to sign in with; a path where the service does not know its own address. */
export const InviteLink = z.object({
  url: z.string().describe("Opens the console once, for that member alone; shown this once."),
  expires_at: z.number(),
});
export type InviteLink = z.infer<typeof InviteLink>;

/** What someone who holds an invite is told before they use it. */
export interface Invitation {
  readonly org: string;
  readonly name: string;
}

/** Makes a member's one-time link, in place of those before. Only its hash is kept. An unknown member is a 404. */
export async function inviteMember(ctx: Ctx, member: string): Promise<InviteLink> {
  const { path, expires_at } = await makeInvite(ctx, member, INVITE_SECONDS, {});
  return { url: `${ctx.settings.publicUrl ?? ""}${path}`, expires_at };
}

/**
 * Makes a member's one-time link for a browser on the service's own machine, in place of those before: from elsewhere it
 * signs nobody in. Answers its path.
 */
export function inviteHere(ctx: Ctx, member: string): Promise<{ readonly path: string; readonly expires_at: number }> {
  return makeInvite(ctx, member, LOCAL_LINK_SECONDS, { loopback: true });
}

async function makeInvite(ctx: Ctx, member: string, life: number, limits: { readonly loopback?: boolean }) {
  if (!(await ctx.store.records.get(Member, member))) throw notFound("member");
  await dropInvites(ctx, member);
  await clearExpired(ctx);
  const { raw } = mintToken("invite");
  const at = ctx.now();
  const expires_at = at + life;
  const row = { id: inviteId(raw), created_at: at, by: ctx.caller.name, member, expires_at, ...limits };
  await ctx.store.records.insert(MemberInvite, row);
  await auditAct(ctx, "member_invited", { member });
  return { path: `/console/invite/${raw}`, expires_at };
}

/** Whom an invite is for; it is not used up. Throws `not_found` for one that is unknown, used, replaced or too old. */
export async function readInvite(service: ServiceCtx, raw: string, use: InviteUse): Promise<Invitation> {
  const { ctx, member } = await openInvite(service, raw, use);
  return { org: ctx.org.tag, name: member.name };
}

/** Uses an invite up and opens a session; of two at once one does. Answers what the browser is to hold. */
export async function acceptInvite(service: ServiceCtx, raw: string, use: InviteUse): Promise<string> {
  const { ctx, member } = await openInvite(service, raw, use);
  if (!(await ctx.store.records.delete(MemberInvite, inviteId(raw)))) throw spent();
  const session = await openSession(ctx, member.id);
  await auditAct(ctx, "member_signed_in", { member: member.id });
  return session;
}

/** Ends every invite of a member. */
export async function dropInvites(ctx: Ctx, member: string): Promise<void> {
  const rows = everyRow((page) => ctx.store.records.list(MemberInvite, { ...page, where: { member } }));
  for await (const row of rows) await ctx.store.records.delete(MemberInvite, row.id);
}

async function openInvite(
  service: ServiceCtx,
  raw: string,
  { onThisMachine }: InviteUse,
): Promise<{ ctx: Ctx; member: Doc<typeof Member> }> {
  const id = inviteId(raw);
  const org = await service.service.orgOfRecord(MemberInvite.kind, id);
  const row = org === undefined ? undefined : await service.service.orgById(org);
  if (!row) throw spent();
  const ctx = service.inOrg(row);
  const invite = await ctx.store.records.get(MemberInvite, id);
  const member = invite && (await ctx.store.records.get(Member, invite.member));
  if (!invite || !member || invite.expires_at <= ctx.now()) throw spent();
  // The same words as for a link that nobody made.
  if (invite.loopback === true && !onThisMachine) throw spent();
  return { ctx, member };
}

async function clearExpired(ctx: Ctx): Promise<void> {
  const { items } = await ctx.store.records.list(MemberInvite, { order: "oldest", limit: 100 });
  for (const held of items) if (held.expires_at <= ctx.now()) await ctx.store.records.delete(MemberInvite, held.id);
}

function spent(): AppError {
  return new AppError(
    "not_found",
    "This link does not sign anybody in: it was used, replaced by a newer one, or is too old. Ask an admin of your org for a new one; at the service's own machine, svc console makes one.",
  );
}

/** Only the hash is kept, so that who reads the store cannot sign in. */
function inviteId(raw: string): string {
  return `${MemberInvite.prefix}_${hashToken(raw)}`;
}

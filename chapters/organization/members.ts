import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { AppError, conflict, notFound, orNotFound } from "../errors.ts";
import { orgRef, recordId } from "../fields.ts";
import type { PageInput } from "../page.ts";
import type { Records } from "../ports/store.ts";
import { type Doc, idOfValue } from "../record.ts";
import { Member, MemberEmail, MemberRole } from "../records/organization/organization.ts";
import { dropInvites, InviteLink, inviteMember } from "./invites.ts";
import { endSessionsOf } from "./sessions.ts";

type MemberDoc = Doc<typeof Member>;

/** A member as answered. Times are unix seconds. */
export const MemberView = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: MemberRole,
  title: z.string().optional(),
  email_opt_out: z.boolean().describe("Whether no weekly email goes to them."),
  added_by: z.string(),
  created_at: z.number(),
  updated_at: z.number().optional(),
});
type MemberView = z.infer<typeof MemberView>;

/** A member who was just added, with the link that signs them in to the console. */
export const AddedMember = MemberView.extend({ invite: InviteLink });

/** The org's members, newest first. */
export async function listMembers(ctx: Ctx, input: PageInput) {
  const page = await ctx.store.records.list(Member, input);
  return { members: page.items.map(view), ...(page.next === undefined ? {} : { next: page.next }) };
}

export const name = z.string().min(1).max(200);
export const title = z.string().min(1).max(200);
export const emailOptOut = z.boolean().optional().describe("Whether to leave them out of the weekly email.");

/** What `members_post` takes. */
export const AddInput = z.object({
  ...orgRef,
  email: z.email().max(254),
  name,
  role: MemberRole.optional().describe("`member` when absent."),
  title: title.optional().describe("What they do, in words."),
  email_opt_out: emailOptOut,
  added_by: z.string().min(1).max(200).optional().describe("Who adds them; the caller's name when absent."),
});
export type AddInput = z.output<typeof AddInput>;

/** Adds a person with a one-time link to sign in. Throws `conflict` for an address of a member, in whatever case. */
export async function addMember(ctx: Ctx, input: AddInput): Promise<z.infer<typeof AddedMember>> {
  const member = await insertPerson(ctx, input);
  return { ...view(member), invite: await inviteMember(ctx, member.id) };
}

/** Nobody gets mail at this address: no mail leaves the machine for it. */
const LOCAL_ADDRESS = "local@localhost";

/** The id of the member that stands for the person at the service's own machine, an admin, made where there is none. */
export async function localPerson(ctx: Ctx): Promise<string> {
  const known = await ctx.store.records.get(MemberEmail, addressId(LOCAL_ADDRESS));
  if (known) return known.member;
  const made = { email: LOCAL_ADDRESS, name: "local", role: "admin" as const, email_opt_out: true };
  return (await insertPerson(ctx, made)).id;
}

async function insertPerson(ctx: Ctx, input: AddInput): Promise<MemberDoc> {
  const by = actor(ctx, input.added_by);
  const base = { created_at: ctx.now(), by };
  const member: MemberDoc = {
    ...base,
    id: ctx.id(Member.prefix),
    email: input.email,
    name: input.name,
    role: input.role ?? "member",
    ...(input.title === undefined ? {} : { title: input.title }),
    email_opt_out: input.email_opt_out ?? false,
  };
  const address = { ...base, id: addressId(input.email), member: member.id };
  try {
    await ctx.store.records.apply([
      { op: "insert", kind: MemberEmail, doc: address },
      { op: "insert", kind: Member, doc: member },
    ]);
  } catch (error) {
    throw error instanceof AppError && error.code === "conflict" ? taken() : error;
  }
  await auditAct(ctx, "member_added", { member: member.id, role: member.role }, by);
  return member;
}

export const mid = recordId("member");

/** What `members_patch` takes. */
export const ChangeInput = z.object({
  mid,
  name: name.optional(),
  role: MemberRole.optional(),
  title: title.nullable().optional().describe("Null takes it away."),
  email_opt_out: emailOptOut,
});
export type ChangeInput = z.output<typeof ChangeInput>;

/** Changes what is given of a member and leaves the rest. */
export async function changeMember(ctx: Ctx, input: ChangeInput): Promise<MemberView> {
  const { mid, name, role, title, email_opt_out } = input;
  const changed = await ctx.store.records.update(Member, mid, ({ title: was, ...doc }) => {
    const titled = title === undefined ? was : (title ?? undefined);
    return {
      ...doc,
      ...(name === undefined ? {} : { name }),
      ...(role === undefined ? {} : { role }),
      ...(titled === undefined ? {} : { title: titled }),
      ...(email_opt_out === undefined ? {} : { email_opt_out }),
      updated_at: ctx.now(),
    };
  });
  if (!changed) throw notFound("member");
  await auditAct(ctx, "member_changed", { member: mid, role: changed.role });
  return view(changed);
}

/** Removes a member, whose sessions end; their address can be added again. What they did stays under their name. */
export async function removeMember(ctx: Ctx, input: { readonly mid: string }) {
  const member = orNotFound(await ctx.store.records.get(Member, input.mid), "member");
  await ctx.store.records.apply([
    { op: "delete", kind: MemberEmail, id: addressId(member.email) },
    { op: "delete", kind: Member, id: member.id },
  ]);
  await dropInvites(ctx, member.id);
  await endSessionsOf(ctx, member.id);
  await auditAct(ctx, "member_removed", { member: member.id });
  return { deleted: member.id };
}

/** The member who has an email address, in whatever case. */
export async function memberWithEmail(records: Records, email: string): Promise<MemberDoc | undefined> {
  const address = await records.get(MemberEmail, addressId(email));
  return address && records.get(Member, address.member);
}

/** The id of the member who has an email address, in whatever case. None is a 404. */
export async function memberByEmail(ctx: Ctx, email: string): Promise<string> {
  const address = orNotFound(await ctx.store.records.get(MemberEmail, addressId(email)), "member");
  return address.member;
}

function taken(): AppError {
  return conflict("A member of the org has this email address already.", { by: "members_list" });
}

function addressId(email: string): string {
  return idOfValue(MemberEmail, email.toLowerCase());
}

function view({ by, ...member }: MemberDoc): MemberView {
  return { ...member, added_by: by };
}

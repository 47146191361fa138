import type { ServiceCtx } from "../../context.ts";
import { inviteMember } from "../../organization/invites.ts";
import { memberByEmail } from "../../organization/members.ts";
import { inOrg } from "./in-org.ts";

/** Makes the one-time link by which a member signs in. An unknown org or address is a 404. */
export async function inviteAct(service: ServiceCtx, input: { readonly orgtag: string; readonly email: string }) {
  const ctx = await inOrg(service, input.orgtag);
  const member = await memberByEmail(ctx, input.email);
  const link = await inviteMember(ctx, member);
  return { org: ctx.org.tag, member, ...link, note: "The link is shown this once, and signs one person in once." };
}

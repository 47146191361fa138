import { randomBytes } from "node:crypto";
import { z } from "zod";
import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { hashToken } from "../../credentials.ts";
import { forbidden, notFound } from "../../errors.ts";
import { orgRef } from "../../fields.ts";
import { DeliveryConfirm, Member } from "../../records/organization/organization.ts";
import { findGroup } from "../../runs/groups/group-data.ts";
import { Channel } from "./delivery-channels.ts";

/** What a confirm names as its group where it is for turning the weekly post on, which tells of no one group. */
export const WEEKLY_GROUP = "weekly";
/** What it names where it is for a schedule's alerts to a chat channel. */
export const ALERTS_GROUP = "alerts";
/** How long a confirm holds, seconds. */
export const CONFIRM_SECONDS = 600;

export const group = z.string().min(1).max(200).describe("The run group's id.");
const target = z.string().min(1).max(200).optional();

/** What `delivery_confirm` takes. */
export const ConfirmInput = z.object({
  ...orgRef,
  member: z.string().min(1).max(200).describe("The id of the member who is signed in."),
  channel: Channel,
  group: group.describe(`The run group's id, ${WEEKLY_GROUP}, or ${ALERTS_GROUP}.`),
  target: target.describe("Where to, when the leave is for that target alone."),
});
export type ConfirmInput = z.output<typeof ConfirmInput>;

/**
 * Leave for a signed-in member to send one group's finding over one channel, to turn its weekly post on, or to have alerts
 * sent to a chat channel, once, within ten minutes. Only the console, which holds the service-wide credential, may ask for it.
 */
export async function confirmDelivery(ctx: Ctx, input: ConfirmInput) {
  if (ctx.caller.kind !== "operator") {
    throw forbidden(
      "Only the console may ask for a confirm, with the service-wide token, for a member who is signed in.",
    );
  }
  if (!(await ctx.store.records.get(Member, input.member))) throw notFound("member");
  if (input.group !== WEEKLY_GROUP && input.group !== ALERTS_GROUP) await findGroup(ctx, input.group);
  await clearExpired(ctx);
  const confirm = `dcf_${randomBytes(32).toString("base64url")}`;
  const { member, channel, group, target } = input;
  await ctx.store.records.insert(DeliveryConfirm, {
    id: confirmId(confirm),
    created_at: ctx.now(),
    by: ctx.caller.name,
    member,
    channel,
    group,
    ...(target === undefined ? {} : { target }),
    expires_at: ctx.now() + CONFIRM_SECONDS,
  });
  await auditAct(ctx, "delivery_confirmed", { member, channel, group });
  return { org: ctx.org.tag, confirm, expires_in: CONFIRM_SECONDS, tier: "human" as const };
}

/**
 * Uses a confirm up for this send; the member it was given for comes back. `forbidden` when it is none, was used, is
 * too old, or was given for another channel, group or target; those that do not fit are not used up.
 */
export async function useConfirm(
  ctx: Ctx,
  confirm: string | undefined,
  send: { readonly channel: Channel; readonly group: string; readonly target: string | undefined },
): Promise<{ readonly member: string }> {
  const id = confirm === undefined ? undefined : confirmId(confirm);
  const held = id === undefined ? undefined : await ctx.store.records.get(DeliveryConfirm, id);
  const fits =
    held !== undefined &&
    held.expires_at > ctx.now() &&
    held.channel === send.channel &&
    held.group === send.group &&
    (held.target === undefined || held.target === send.target);
  // Two sends at once: the one whose delete finds it goes on.
  if (!fits || !(await ctx.store.records.delete(DeliveryConfirm, held.id))) {
    throw forbidden(
      "This send needs a member's confirm for this group, channel and target: each holds once, for ten minutes.",
    );
  }
  return { member: held.member };
}

async function clearExpired(ctx: Ctx): Promise<void> {
  const { items } = await ctx.store.records.list(DeliveryConfirm, { order: "oldest", limit: 100 });
  for (const held of items) if (held.expires_at <= ctx.now()) await ctx.store.records.delete(DeliveryConfirm, held.id);
}

/** Only the hash is kept, so that who reads the store cannot send. */
function confirmId(confirm: string): string {
  return `${DeliveryConfirm.prefix}_${hashToken(confirm)}`;
}

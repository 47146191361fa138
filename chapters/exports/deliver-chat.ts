import { z } from "zod";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { AppError, badField, conflict, unavailable } from "../errors.ts";
import { orgRef } from "../fields.ts";
import { chatMessage } from "../findings/render/chat.ts";
import { lastCompleteWeek } from "../iso-week.ts";
import { chatInstall, chatToken } from "../organization/chat.ts";
import { type OneSend, sendOnce, sendSignal, sentBefore } from "../send-once.ts";
import { deliveredFinding, findingFacts, openChannel } from "./delivered-finding.ts";
import { logDelivery } from "./delivery/delivery.ts";
import { useConfirm } from "./delivery/delivery-confirm.ts";
import { confirm, which } from "./fields.ts";

/** What `deliver_chat` takes. */
export const ChatInput = z.object({
  ...orgRef,
  ...which,
  channel: z
    .string()
    .regex(/^C[A-Z0-9]{1,30}$/)
    .optional()
    .describe("A channel's id at the chat tool; the one chosen for the org when absent."),
  thread_ts: z
    .string()
    .regex(/^\d{1,12}\.\d{1,9}$/)
    .optional()
    .describe("The message to answer in its thread."),
  dry_run: z.boolean().optional().describe("Answer the message and send nothing."),
  confirm,
  weekly: z.boolean().optional().describe("This is the week's post: a second one is refused."),
});
export type ChatInput = z.output<typeof ChatInput>;

/**
 * Posts a finding as one chat message and writes that down. It needs the channel on and a member's confirm for this
 * group, which holds once: a send that is refused uses it up too. A weekly post goes out once an ISO week. A dry run
 * answers the message and sends nothing.
 */
export async function deliverChat(ctx: Ctx, input: ChatInput) {
  const finding = await deliveredFinding(ctx, input, "chat");
  const message = chatMessage(finding);
  const facts = findingFacts(finding);
  if (input.dry_run === true)
    return { ...facts, channel: input.channel ?? null, dry_run: true, posted: false, ...message };
  const row = await openChannel(ctx, "chat");
  const channel = input.channel ?? row.target;
  if (channel === null) throw badField("channel", "is needed: no channel was chosen when chat was turned on");
  const week = input.weekly === true ? weekOf(ctx, input.group) : undefined;
  if (week && (await sentBefore(ctx, week)))
    throw conflict("This week's page was posted to chat already; it goes out once a week.");
  const install = await chatInstall(ctx);
  const token = install && (await chatToken(ctx, install));
  if (token === undefined) throw conflict("The chat connection went away while this was prepared.");
  const { member } = await useConfirm(ctx, input.confirm, { channel: "chat", group: input.group, target: channel });

  const post = () => ctx.vendors.chat.post(token, { channel, ...message, thread_ts: input.thread_ts }, sendSignal());
  const send = async () => {
    const { channel: where, ts, permalink } = await post().catch((error: unknown) => left(error));
    return { channel: where, ts, ...(permalink === undefined ? {} : { permalink }) };
  };
  // A send that may have arrived is a send: the log must not be silent about it, and its confirm is used up.
  const left = async (error: unknown) => {
    if (error instanceof AppError && error.code === "unavailable") {
      const reference = { outcome: "unknown" };
      await logDelivery(ctx, { by: member, channel: "chat", group: input.group, target: channel, reference });
      await auditAct(ctx, "delivery_unknown", { channel: "chat", group: input.group, member });
    }
    return unsure(error);
  };
  const once = week ? await sendOnce(ctx, week, { by: member, target: channel }, send) : undefined;
  const reference = once?.reference ?? (await send());
  const already = once?.already ?? false;
  const sent = {
    ...facts,
    channel,
    dry_run: false,
    posted: !already,
    ts: reference.ts,
    permalink: reference.permalink,
  };
  if (already) return sent;
  const line = { by: member, channel: "chat", group: input.group, target: channel, reference };
  const log = once?.log ?? (await logDelivery(ctx, line)).id;
  await auditAct(ctx, "delivered", { channel: "chat", group: input.group, member });
  return { ...sent, log };
}

/** One post an org and ISO week, whatever group it tells of. */
function weekOf(ctx: Ctx, group: string): OneSend {
  return { channel: "chat", group, key: ["weekly", lastCompleteWeek(ctx.now())] };
}

/** A chat tool that did not answer may have taken the message all the same. */
function unsure(error: unknown): never {
  if (error instanceof AppError && error.code === "unavailable")
    throw unavailable(
      "The chat tool did not answer, so the message may be there or not: look in the channel before you send it again.",
      error.details,
    );
  throw error;
}

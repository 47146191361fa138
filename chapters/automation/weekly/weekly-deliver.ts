import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { outsideFinding } from "../../findings/pages/outside.ts";
import { weeklyMessage } from "../../findings/render/chat.ts";
import type { WeeklyHeadline } from "../../findings/render/finding.ts";
import { orgFinding } from "../../findings/reports/org-finding.ts";
import type { ReportDoc } from "../../findings/reports/reports.ts";
import { newLink, switchedOn } from "../../findings/reports/share.ts";
import { chatInstall, chatToken } from "../../organization/chat.ts";
import { readPreferences } from "../../organization/preferences.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Member } from "../../records/organization/organization.ts";
import { sendOnce, sendSignal } from "../../send-once.ts";

/** How the mails of a week's page went. `sent`: every member who takes mail has it now. */
export const WeeklyMailed = z.object({
  state: z.enum(["off", "no_members", "no_key", "sent", "error"]),
  reason: z.string().optional(),
  sent: z.number().int().optional().describe("Mails that this call sent."),
  already: z.number().int().optional().describe("Members who had it before."),
  failed: z.number().int().optional(),
});
type WeeklyMailed = z.infer<typeof WeeklyMailed>;

/** How the chat post of a week's page went. `posted`: it is in the channel, from this call or one before. */
const WeeklyPosted = z.object({
  state: z.enum(["off", "no_install", "no_token", "posted", "error"]),
  reason: z.string().optional(),
  already: z.boolean().optional().describe("Whether an earlier call posted it."),
  channel: z.string().optional(),
  ts: z.string().optional(),
  permalink: z.string().optional(),
});
type WeeklyPosted = z.infer<typeof WeeklyPosted>;

/** What came of delivering a week's page. */
export const WeeklyDelivered = WeeklyPosted.extend({ email: WeeklyMailed });

/** Delivers a week's page where that is on, each message once for the week. A failure is told and can be tried again. */
export async function deliverWeekly(
  ctx: Ctx,
  report: ReportDoc,
  headline: WeeklyHeadline,
  by: string,
): Promise<z.infer<typeof WeeklyDelivered>> {
  const chat = await posted(ctx, report, headline, by).catch(told);
  const email = await mailed(ctx, report, headline, by);
  return { ...chat, email };
}

async function posted(ctx: Ctx, report: ReportDoc, headline: WeeklyHeadline, by: string): Promise<WeeklyPosted> {
  const chat = (await readPreferences(ctx)).weekly?.chat;
  if (!chat?.on) return { state: "off" };
  const install = await chatInstall(ctx);
  const confirmed = install === undefined || isConfirmed(chat, install);
  // What nobody confirmed is not shared either.
  const share = confirmed ? (await switchedOn(ctx, report.id, undefined, by)).share : undefined;
  if (!install) return { state: "no_install", reason: "No chat workspace is connected." };
  const token = await chatToken(ctx, install).catch(() => undefined);
  if (token === undefined) return { state: "no_token", reason: "The chat connection's bot token is not here." };
  const { channel } = chat;
  if (share === undefined)
    return { state: "error", reason: "No member has confirmed a channel of this chat workspace: turn it on again." };
  if (channel === undefined)
    return { state: "error", reason: "No channel was chosen: turn the weekly delivery on with one." };
  if (ctx.settings.publicUrl === undefined)
    return { state: "error", reason: "This service has no address that people could open the page at." };
  const send = { channel: "chat", group: report.id, key: ["weekly", headline.week] } as const;
  const { reference, already } = await sendOnce(ctx, send, { by, target: channel }, async () => {
    const message = weeklyMessage({ ...headline, url: await newLink(ctx, share) });
    const { channel: where, ts, permalink } = await ctx.vendors.chat.post(token, { channel, ...message }, sendSignal());
    return { channel: where, ts, ...(permalink === undefined ? {} : { permalink }) };
  });
  return { state: "posted", already, ...reference };
}

type Install = NonNullable<Awaited<ReturnType<typeof chatInstall>>>;

/** Whether a member confirmed this channel of this workspace; a confirm of an earlier or another channel does not count. */
function isConfirmed(chat: { readonly team?: string | undefined; readonly at: number }, install: Install): boolean {
  // Settings from before the workspace was kept: what was turned on while one was connected took a confirm.
  return chat.team === undefined ? chat.at > install.created_at : chat.team === install.team_id;
}

function told(error: unknown): WeeklyPosted {
  if (!(error instanceof AppError)) throw error;
  const unsure =
    error.code === "unavailable" ? " It may be there or not: look in the channel before you try again." : "";
  return { state: "error", reason: `${error.reason}${unsure}` };
}

async function mailed(ctx: Ctx, report: ReportDoc, headline: WeeklyHeadline, by: string): Promise<WeeklyMailed> {
  if (!(await readPreferences(ctx)).weekly?.email?.on) return { state: "off" };
  const members: Doc<typeof Member>[] = [];
  for await (const member of everyRow((page) => ctx.store.records.list(Member, page)))
    if (!member.email_opt_out) members.push(member);
  if (members.length === 0) return { state: "no_members", reason: "No member of the org takes mail." };
  const { provider } = ctx.vendors.mail;
  if (!provider.set) return { state: "no_key", reason: `The operator has set no mail provider (${provider.env}).` };
  const { weeklyMail } = await import("../../findings/render/mail.ts");
  const { finding } = await orgFinding(ctx);
  const mail = weeklyMail(headline, finding && (await outsideFinding(ctx, finding)));
  const counts = { sent: 0, already: 0, failed: 0 };
  let reason: string | undefined;
  for (const { id, email } of members) {
    const send = { channel: "email", group: report.id, key: ["weekly", headline.week, id] } as const;
    try {
      const { already } = await sendOnce(ctx, send, { by, target: id }, () =>
        ctx.vendors.mail.send({ to: email, ...mail }, sendSignal()),
      );
      counts[already ? "already" : "sent"] += 1;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      counts.failed += 1;
      reason ??= error.reason;
    }
  }
  return reason === undefined ? { state: "sent", ...counts } : { state: "error", reason, ...counts };
}

import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { alertMessage } from "../findings/render/chat.ts";
import { inert } from "../findings/render/inert.ts";
import { chatInstall, chatToken } from "../organization/chat.ts";
import { readPreferences } from "../organization/preferences.ts";
import { everyRow } from "../page.ts";
import type { AlertResult, OnlineTerms } from "../records/online/online.ts";
import { Member } from "../records/organization/organization.ts";
import { sendOnce, sendSignal } from "../send-once.ts";

/** What is told of an incident. Its name is somebody else's text. */
export interface AlertNote {
  readonly incident: string;
  readonly turn: "opened" | "closed";
  readonly name: string;
  readonly lines: readonly string[];
  readonly by: string;
}

/**
 * Tells of an incident over every channel that is on, each once: told again, nothing is sent again. What failed is said and
 * can be told again; what a channel may have taken all the same is `unknown` and is not sent a second time.
 */
export async function tellIncident(
  ctx: Ctx,
  chat: OnlineTerms["chat"],
  note: AlertNote,
  before: readonly AlertResult[] = [],
): Promise<AlertResult[]> {
  const settled = (channel: AlertResult["channel"]) =>
    before.find((one) => one.channel === channel && one.state !== "failed");
  const results: (AlertResult | undefined)[] = [
    settled("chat") ?? (chat === undefined ? undefined : await posted(ctx, chat, note)),
    settled("email") ?? (await mailed(ctx, note)),
  ];
  return results.filter((one) => one !== undefined);
}

async function posted(ctx: Ctx, chat: NonNullable<OnlineTerms["chat"]>, note: AlertNote): Promise<AlertResult> {
  const channel = "chat" as const;
  const failed = (reason: string): AlertResult => ({ channel, state: "failed", reason });
  const { delivery } = await readPreferences(ctx);
  if (delivery?.chat?.on === false) return failed("Delivery by chat was turned off; delivery_put turns it on.");
  const install = await chatInstall(ctx);
  if (!install) return failed("No chat workspace is connected.");
  if (install.team_id !== chat.team)
    return failed("Another chat workspace is connected than the one a member confirmed; make the schedule again.");
  const token = await chatToken(ctx, install).catch(() => undefined);
  if (token === undefined) return failed("The chat connection's bot token is not here.");
  const send = { channel, group: note.incident, key: ["incident", note.incident, note.turn] } as const;
  try {
    await sendOnce(ctx, send, { by: note.by, target: chat.channel, says: { turn: note.turn } }, async () => {
      const message = { channel: chat.channel, ...alertMessage(titleOf(note), note.lines) };
      const { channel: where, ts, permalink } = await ctx.vendors.chat.post(token, message, sendSignal());
      return { channel: where, ts, ...(permalink === undefined ? {} : { permalink }) };
    });
    return { channel, state: "sent" };
  } catch (error) {
    return refused(channel, error);
  }
}

async function mailed(ctx: Ctx, note: AlertNote): Promise<AlertResult | undefined> {
  const channel = "email" as const;
  const { delivery } = await readPreferences(ctx);
  if (delivery?.email?.on !== true) return undefined;
  const { provider } = ctx.vendors.mail;
  if (!provider.set)
    return { channel, state: "failed", reason: `The operator has set no mail provider (${provider.env}).` };
  const { alertMail } = await import("../findings/render/mail.ts");
  const mail = alertMail(ctx.org.tag, titleOf(note), note.lines);
  let worst: AlertResult = { channel, state: "sent" };
  let members = 0;
  for await (const { id, email, email_opt_out } of everyRow((page) => ctx.store.records.list(Member, page))) {
    if (email_opt_out) continue;
    members += 1;
    const send = { channel, group: note.incident, key: ["incident", note.incident, note.turn, id] } as const;
    try {
      await sendOnce(ctx, send, { by: note.by, target: id, says: { turn: note.turn } }, () =>
        ctx.vendors.mail.send({ to: email, ...mail }, sendSignal()),
      );
    } catch (error) {
      // Where one may have arrived nobody is sent a second one.
      const result = refused(channel, error);
      if (worst.state === "sent" || result.state === "unknown") worst = result;
    }
  }
  return members === 0 ? { channel, state: "failed", reason: "No member of the org takes mail." } : worst;
}

function refused(channel: AlertResult["channel"], error: unknown): AlertResult {
  if (!(error instanceof AppError)) throw error;
  return error.code === "unavailable"
    ? { channel, state: "unknown", reason: `${error.reason} It may be there or not.` }
    : { channel, state: "failed", reason: error.reason };
}

function titleOf({ name, turn }: AlertNote): string {
  return `Alert ${turn}: ${inert(name, 80)}`;
}

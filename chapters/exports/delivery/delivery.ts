import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict, forbidden } from "../../errors.ts";
import { byField, orgRef } from "../../fields.ts";
import { outsideFinding } from "../../findings/pages/outside.ts";
import { chatMessage } from "../../findings/render/chat.ts";
import type { Finding } from "../../findings/render/finding.ts";
import { obsPayloads } from "../../findings/render/obs.ts";
import { findingMarkdown, prComment } from "../../findings/render/pr-comment.ts";
import { orgFinding } from "../../findings/reports/org-finding.ts";
import { dropObsWrite, ObsWriteCredential, putObsWrite } from "../../organization/obs-write.ts";
import { changePreferences } from "../../organization/preferences.ts";
import type { PageInput } from "../../page.ts";
import type { DeliveryRow } from "../../ports/store.ts";
import { Channel, type ChannelRow, channelRows, whyNotReady } from "./delivery-channels.ts";

const TIER = "deterministic" as const;

/** Every channel with its state now, which one is recommended, and the finding that would be sent. */
export async function getDelivery(ctx: Ctx) {
  const [channels, { finding, why }] = await Promise.all([channelRows(ctx), orgFinding(ctx)]);
  return {
    org: ctx.org.tag,
    channels,
    recommended: channels.find((row) => row.recommended)?.channel ?? null,
    finding: finding ?? null,
    why,
    tier: finding?.tier ?? TIER,
  };
}

export const target = z.string().min(1).max(200).optional();

/** What `delivery_put` takes. */
export const PutInput = z.object({
  ...orgRef,
  channel: Channel,
  on: z.boolean(),
  target: target.describe("Where to; what was set before when absent."),
  credential: ObsWriteCredential.nullable()
    .optional()
    .describe("Of `obs`, by an admin: the org's own keys for writing; null takes them away."),
  ...byField,
});
export type PutInput = z.output<typeof PutInput>;

/** Turns a channel on, which its state must allow, or off, which is always allowed. */
export async function putDelivery(ctx: Ctx, input: PutInput) {
  const { channel, on } = input;
  await leaveCredential(ctx, input);
  const before = rowOf(await channelRows(ctx), channel);
  const target = input.target ?? before.target ?? undefined;
  if (on) {
    if (channel === "chat" && !/^C[A-Z0-9]{1,30}$/.test(target ?? ""))
      throw badField("target", "must be a channel's id at the chat tool, which begins with C");
    if (before.state !== "ready") throw conflict(`This channel cannot be turned on now. ${whyNotReady(before)}`);
  }
  const by = actor(ctx, input.by);
  await changePreferences(ctx, (doc) => ({
    ...doc,
    delivery: {
      ...doc.delivery,
      [channel]: { on, ...(target === undefined ? {} : { target }), by, at: ctx.now() },
    },
  }));
  await auditAct(ctx, on ? "delivery_on" : "delivery_off", { channel }, by);
  return { org: ctx.org.tag, channel: rowOf(await channelRows(ctx), channel), tier: TIER };
}

/** Leaves or takes away the org's own credential for writing. Keys that open nothing are not kept. */
async function leaveCredential(ctx: Ctx, { channel, credential, on, by }: PutInput): Promise<void> {
  if (credential === undefined) return;
  if (channel !== "obs") throw badField("credential", "is of the channel obs alone");
  if (ctx.caller.scope !== "admin")
    throw forbidden("The org's credential for writing is left and taken away by an admin.");
  if (credential === null) {
    if (on) throw badField("on", "cannot be true where the credential is taken away");
    return dropObsWrite(ctx, by);
  }
  const { obs } = ctx.vendors.sources;
  if (!obs.sites.includes(credential.site))
    throw badField("credential.site", `must be one of the vendor's sites: ${obs.sites.join(", ")}`);
  await obs.validate({ site: credential.site, apiKey: credential.api_key }, ctx.signal);
  await putObsWrite(ctx, credential, by);
}

/** What a channel would send now, by the channel's own renderer. Nothing is sent and nothing logged. */
export async function previewDelivery(ctx: Ctx, input: { readonly channel: Channel }) {
  const { finding: own, why } = await orgFinding(ctx);
  const finding = own && (await outsideFinding(ctx, own));
  return {
    org: ctx.org.tag,
    channel: input.channel,
    finding: finding ?? null,
    preview: finding ? await render(input.channel, finding) : null,
    why: finding?.example ? `${why} It rests on invented example data, and says so.` : why,
    tier: finding?.tier ?? TIER,
  };
}

async function render(channel: Channel, finding: Finding): Promise<Record<string, unknown>> {
  switch (channel) {
    case "chat":
      return { ...chatMessage(finding) };
    case "pr_comment":
      return { body: prComment(finding) };
    case "obs":
      return { ...obsPayloads(finding) };
    case "email": {
      const { mailMessage } = await import("../../findings/render/mail.ts");
      return { ...mailMessage(finding) };
    }
    case "download":
      return { name: `finding-${finding.tested.group}.md`, type: "text/markdown", content: findingMarkdown(finding) };
  }
}

/** Every send, newest first. */
export async function deliveryLog(ctx: Ctx, input: PageInput) {
  const page = await ctx.store.deliveries.list(input);
  return {
    org: ctx.org.tag,
    log: page.items.map((row) => ({ ...row, reference: { ...row.reference } })),
    ...(page.next === undefined ? {} : { next: page.next }),
    tier: TIER,
  };
}

/** Writes down a send once it was made: who, where to, what of, and what the receiver calls it. */
export async function logDelivery(ctx: Ctx, sent: Omit<DeliveryRow, "id" | "at">): Promise<DeliveryRow> {
  const row = { ...sent, id: ctx.id("dl"), at: ctx.now() };
  await ctx.store.deliveries.append(row);
  return row;
}

function rowOf(rows: readonly ChannelRow[], channel: Channel): ChannelRow {
  const row = rows.find((each) => each.channel === channel);
  if (!row) throw new Error(`no row of channel ${channel}`);
  return row;
}

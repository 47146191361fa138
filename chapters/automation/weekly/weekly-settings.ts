import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { useConfirm, WEEKLY_GROUP } from "../../exports/delivery/delivery-confirm.ts";
import { byField, orgRef, recordId } from "../../fields.ts";
import { present } from "../../modes/record-modes.ts";
import { chatInstall } from "../../organization/chat.ts";
import { changePreferences, readPreferences } from "../../organization/preferences.ts";
import { findGroup } from "../../runs/groups/group-data.ts";

const setBy = { by: z.string().nullable(), at: z.number().nullable() };

/** Where the weekly page goes: the chat half, and under `email` the other one. Both are off until somebody turns them on. */
export const WeeklyDelivery = z.object({
  on: z.boolean(),
  channel: z.string().nullable(),
  ...setBy,
  email: z.object({
    on: z.boolean(),
    ...setBy,
    finding: z
      .object({ a: z.string(), b: z.string(), main: z.enum(["a", "b"]).optional() })
      .nullable()
      .describe("The comparison that is the org's finding; null where it is found by rule."),
  }),
});

/** How the weekly page is delivered. */
export async function getWeeklyDelivery(ctx: Ctx) {
  const { weekly, finding } = await readPreferences(ctx);
  const { chat, email } = weekly ?? {};
  return {
    org: ctx.org.tag,
    delivery: {
      on: chat?.on ?? false,
      channel: chat?.channel ?? null,
      by: chat?.by ?? null,
      at: chat?.at ?? null,
      email: {
        on: email?.on ?? false,
        by: email?.by ?? null,
        at: email?.at ?? null,
        finding: finding ? { a: finding.a, b: finding.b, ...present({ main: finding.main }) } : null,
      },
    },
    slack_installed: (await chatInstall(ctx)) !== undefined,
    tier: "deterministic" as const,
  };
}

export const group = recordId("run group");

/** What `reports_weekly_delivery_put` takes. */
export const PutInput = z.object({
  ...orgRef,
  ...byField,
  on: z.boolean().optional().describe("The post to chat."),
  channel: z
    .string()
    .regex(/^C[A-Z0-9]{1,30}$/)
    .optional()
    .describe("The channel's id at the chat tool."),
  confirm: z.string().min(1).max(200).optional().describe("A member's leave for this channel."),
  email: z
    .object({
      on: z.boolean(),
      finding: z
        .object({ a: group, b: group, main: z.enum(["a", "b"]).optional() })
        .strict()
        .nullable()
        .optional()
        .describe("The comparison: run groups a and b, and which is the main one (a when absent)."),
    })
    .strict()
    .optional()
    .describe("The weekly mail."),
});
export type PutInput = z.output<typeof PutInput>;

/**
 * Changes one half or both. Turning the chat half on where a chat workspace is connected needs its channel and a
 * member's confirm for that channel, which holds once. Turned off, nothing new is shared, and links that were sent stay.
 */
export async function putWeeklyDelivery(ctx: Ctx, input: PutInput) {
  const { on, channel, email } = input;
  if (on === undefined && email === undefined) throw badField("on", "say on, or what changes under email");
  if (on === undefined && channel !== undefined) throw badField("channel", "belongs to on");
  const by = actor(ctx, input.by);
  const finding = email?.finding;
  if (finding) await bothThere(ctx, finding);
  const install = on === true ? await chatInstall(ctx) : undefined;
  if (install) {
    if (channel === undefined) throw badField("channel", "is needed: the channel's id at the chat tool");
    await useConfirm(ctx, input.confirm, { channel: "chat", group: WEEKLY_GROUP, target: channel });
  }
  const at = ctx.now();
  await changePreferences(ctx, ({ finding: was, ...doc }) => {
    const next = channel ?? doc.weekly?.chat?.channel;
    const named =
      finding === undefined
        ? was
        : finding === null
          ? undefined
          : { a: finding.a, b: finding.b, ...present({ main: finding.main }), by, at };
    return {
      ...doc,
      ...(named === undefined ? {} : { finding: named }),
      weekly: {
        ...doc.weekly,
        ...(on === undefined ? {} : { chat: { on, ...present({ channel: next, team: install?.team_id }), by, at } }),
        ...(email === undefined ? {} : { email: { on: email.on, by, at } }),
      },
    };
  });
  const halves = {
    ...(on === undefined ? {} : { chat: on }),
    ...(email === undefined ? {} : { email: email.on }),
  };
  await auditAct(ctx, "weekly_delivery_set", halves, input.by);
  return getWeeklyDelivery(ctx);
}

async function bothThere(ctx: Ctx, { a, b }: { readonly a: string; readonly b: string }): Promise<void> {
  if (a === b) throw badField("email.finding.b", "is the same group as a");
  await Promise.all([findGroup(ctx, a), findGroup(ctx, b)]);
}

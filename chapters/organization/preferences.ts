import { z } from "zod";
import type { Ctx } from "../context.ts";
import { type Doc, recordBase, recordKind } from "../record.ts";

const setBy = { by: z.string(), at: z.number() };

/** What a person calls an agent version, with who said so and when. */
export const VersionLabel = z.object({ version: z.string(), label: z.string(), ...setBy });
export type VersionLabel = z.infer<typeof VersionLabel>;

/** Whether a delivery channel is on and where it sends to. */
export const ChannelSwitch = z.object({ on: z.boolean(), target: z.string().optional(), ...setBy });

/** A model that was chosen to judge. */
export const JudgeChoice = z.object({ model: z.string(), ...setBy });
export type JudgeChoice = z.infer<typeof JudgeChoice>;

/** What an org's people set for the whole org; one record, under a fixed id. */
export const Preferences = recordKind({
  kind: "preferences",
  prefix: "pf",
  schema: z.object({
    ...recordBase,
    budget: z.object({ usd_per_day: z.number(), ...setBy }).optional(),
    confidence: z.object({ low: z.number().int(), high: z.number().int(), ...setBy }).optional(),
    version_labels: z.array(VersionLabel).optional(),
    /** Delivery channels that were turned on or off, by channel. */
    delivery: z.record(z.string(), ChannelSwitch).optional(),
    /** After how many days traces are erased; absent, they are kept. */
    retention: z.object({ days: z.number().int(), ...setBy }).optional(),
    /** Whether public demand weighs the values that are proposed from the corpus. */
    corpus: z.object({ public_demand: z.boolean(), ...setBy }).optional(),
    /** Whether tasks are mined from production traces alone. */
    labels: z.object({ production_only: z.boolean(), ...setBy }).optional(),
    /** The comparison that is the org's finding; absent, it is found by rule. */
    finding: z.object({ a: z.string(), b: z.string(), main: z.enum(["a", "b"]).optional(), ...setBy }).optional(),
    /** Where the weekly page goes once it is written; each half is off until somebody turns it on. */
    weekly: z
      .object({
        chat: z
          .object({
            on: z.boolean(),
            channel: z.string().optional(),
            /** The chat workspace that a member confirmed the channel of; absent where none was connected then. */
            team: z.string().optional(),
            ...setBy,
          })
          .optional(),
        email: z.object({ on: z.boolean(), ...setBy }).optional(),
      })
      .optional(),
    /** The models that decide judged checks: the org's, and single scorers' own. */
    judge: z.object({ org: JudgeChoice.optional(), scorers: z.record(z.string(), JudgeChoice) }).optional(),
  }),
});
type PreferencesDoc = Doc<typeof Preferences>;

const ID = "pf_org";

/** The org's preferences; what is absent was never set. */
export async function readPreferences(ctx: Ctx): Promise<PreferencesDoc> {
  return (await ctx.store.records.get(Preferences, ID)) ?? fresh(ctx);
}

/** Changes the org's preferences as one step. */
export async function changePreferences(
  ctx: Ctx,
  change: (doc: PreferencesDoc) => PreferencesDoc,
): Promise<PreferencesDoc> {
  await ctx.store.records.insert(Preferences, fresh(ctx));
  const changed = await ctx.store.records.update(Preferences, ID, change);
  if (!changed) throw new Error("the preferences record went away while it was changed");
  return changed;
}

function fresh(ctx: Ctx): PreferencesDoc {
  return { id: ID, created_at: ctx.now(), by: ctx.caller.name };
}

import type { Ctx } from "../../context.ts";
import { orNotFound } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import { HeldSet } from "../../records/findings/findings.ts";

/** A held set as stored. */
export type HeldSetDoc = Doc<typeof HeldSet>;

/** The newest held set of a group, if it has one. */
export async function newestSet(ctx: Ctx, group: string): Promise<HeldSetDoc | undefined> {
  return (await ctx.store.records.list(HeldSet, { where: { group }, limit: 1 })).items[0];
}

/** The held set of a group: its newest. A group without one is the same 404 as an unknown group. */
export async function heldSetOf(ctx: Ctx, group: string): Promise<HeldSetDoc> {
  return orNotFound(await newestSet(ctx, group), "held set");
}

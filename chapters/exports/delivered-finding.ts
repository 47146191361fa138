import type { Ctx } from "../context.ts";
import { badField, conflict, notFound } from "../errors.ts";
import { outsideFinding, wantsUnredacted } from "../findings/pages/outside.ts";
import type { Finding } from "../findings/render/finding.ts";
import { findingOfGroups, mainGroupFor, orgFinding } from "../findings/reports/org-finding.ts";
import { findGroup, type GroupDoc, groupState } from "../runs/groups/group-data.ts";
import { type Channel, type ChannelRow, channelRows, whyNotReady } from "./delivery/delivery-channels.ts";

/** Which finding is delivered: a group's, against another. */
export interface FindingInput {
  readonly group: string;
  readonly against?: string | undefined;
  /** Which of the two is told as the main one; `against` when absent. */
  readonly main?: "group" | "against" | undefined;
  /** Where people open the finding, in place of this service's own console. */
  readonly console?: string | undefined;
  /** False: what identifies people is left in; for a member or an admin to say. */
  readonly redact?: boolean | undefined;
}

/**
 * The finding of a landed group: against the one named, else as the org's own finding has it, else against the newest
 * landed group of the main version. With nothing to compare with, or while one of them still runs, it is a conflict.
 * What identifies people is taken out of it. Its address says over which channel it came, so that opens are counted by channel.
 */
export async function deliveredFinding(ctx: Ctx, input: FindingInput, via: Channel): Promise<Finding> {
  const group = await findGroup(ctx, input.group);
  await hasLanded(ctx, group);
  const whole = wantsUnredacted(ctx, input.redact);
  const made = input.against === undefined ? await byRule(ctx, group, input) : await named(ctx, group, input);
  const finding = whole ? made : await outsideFinding(ctx, made);
  const { publicUrl } = ctx.settings;
  const base = input.console?.replace(/\/+$/, "") ?? (publicUrl === undefined ? undefined : `${publicUrl}/console`);
  return base === undefined ? finding : { ...finding, url: pageOf(base, finding, via) };
}

async function named(ctx: Ctx, group: GroupDoc, { against = "", main }: FindingInput): Promise<Finding> {
  if (against === group.id) throw badField("against", "is the group itself");
  const other = await findGroup(ctx, against);
  await hasLanded(ctx, other);
  return compared(ctx, group.id, other.id, main);
}

async function byRule(ctx: Ctx, group: GroupDoc, { main }: FindingInput): Promise<Finding> {
  const { finding: own } = await orgFinding(ctx);
  if (main === undefined && own && (own.tested.group === group.id || own.main.group === group.id)) return own;
  const other = own?.tested.group === group.id ? own.main.group : await mainGroupFor(ctx, group);
  if (other === undefined)
    throw conflict("There is no landed group of a main version to compare this one with: name one in against.", {
      by: "run_groups_list",
    });
  return compared(ctx, group.id, other, main);
}

async function compared(ctx: Ctx, group: string, other: string, main: FindingInput["main"]): Promise<Finding> {
  const finding = await (main === "group" ? findingOfGroups(ctx, group, other) : findingOfGroups(ctx, other, group));
  if (!finding) throw notFound("run group");
  return finding;
}

async function hasLanded(ctx: Ctx, group: GroupDoc): Promise<void> {
  const { status } = await groupState(ctx, group);
  if (status !== "landed" && status !== "partial")
    throw conflict("A run group of this finding has not landed; deliver it when it has.", { by: "run_group" });
}

/** Where the comparison behind a finding is read. */
function pageOf(base: string, { main, tested }: Finding, via: Channel): string {
  return `${base}/compare?${new URLSearchParams({ a: main.group, b: tested.group, via })}`;
}

/** What of a finding every delivery answers beside how it was sent. */
export function findingFacts(finding: Finding) {
  const { org, main, tested, n, words, difference, confidence, tier, example, cannot_tell } = finding;
  const arm = ({ group, met, valid }: Finding["main"]) => ({ group, met, valid });
  const untold = cannot_tell === undefined ? {} : { cannot_tell };
  return {
    org,
    main: arm(main),
    tested: arm(tested),
    tasks: n,
    words,
    difference,
    confidence,
    example,
    tier,
    ...untold,
  };
}

/** The channel's row, if it is on and could send now; a conflict in words if not. */
export async function openChannel(ctx: Ctx, channel: Channel): Promise<ChannelRow> {
  const row = (await channelRows(ctx)).find((each) => each.channel === channel);
  if (!row) throw new Error(`no row of channel ${channel}`);
  if (row.state !== "ready") throw conflict(`This channel cannot send now. ${whyNotReady(row)}`);
  if (!row.on) throw conflict("This channel is off; a member turns it on with delivery_put.");
  return row;
}

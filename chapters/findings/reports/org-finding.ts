import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { confidenceBands } from "../../organization/confidence.ts";
import { readPreferences } from "../../organization/preferences.ts";
import { everyRow } from "../../page.ts";
import { Agent } from "../../records/agents/agents.ts";
import { MAIN_LABEL } from "../../records/organization/organization.ts";
import { RunGroup } from "../../records/runs/runs.ts";
import { compareGroups } from "../../runs/compare/compare.ts";
import { type GroupData, type GroupDoc, groupData, groupState } from "../../runs/groups/group-data.ts";
import { isComplete } from "../../runs/groups/last-group.ts";
import { invented } from "../modes/invented.ts";
import { type Finding, findingOf } from "../render/finding.ts";

/** The org's finding, or why it has none. */
export type OrgFinding =
  | { readonly finding: Finding; readonly why: string }
  | { readonly finding: undefined; readonly why: string };

/** The newest groups that are looked at for the two to compare. */
const LOOKED_AT = 200;

/**
 * The comparison that the org registered as its finding, else its primary agent's newest landed group of another version
 * against the newest one of the version labelled main.
 */
export async function orgFinding(ctx: Ctx): Promise<OrgFinding> {
  const { finding: registered } = await readPreferences(ctx);
  if (registered) {
    const [main, tested] = registered.main === "b" ? [registered.b, registered.a] : [registered.a, registered.b];
    const finding = await findingOfGroups(ctx, main, tested);
    return finding
      ? { finding, why: "The comparison that the org registered." }
      : { finding: undefined, why: "A group of the comparison that the org registered is not there any more." };
  }
  return byRule(ctx);
}

/** One group against another as a finding; undefined when one of them is not there. */
export async function findingOfGroups(ctx: Ctx, main: string, tested: string): Promise<Finding | undefined> {
  const [a, b] = await Promise.all([dataOf(ctx, main), dataOf(ctx, tested)]);
  if (!a || !b) return undefined;
  const comparison = compareGroups(a, b, await confidenceBands(ctx));
  const example = await invented(ctx, [a, b]);
  return findingOf(comparison, { main: a, tested: b }, { org: ctx.org.tag, example, at: ctx.now() });
}

async function byRule(ctx: Ctx): Promise<OrgFinding> {
  const [primary] = (await ctx.store.records.list(Agent, { where: { primary: true }, limit: 1 })).items;
  if (!primary || primary.retired_at !== undefined) return { finding: undefined, why: "The org has no primary agent." };
  const main = await mainVersion(ctx, primary.id);
  if (main === undefined)
    return {
      finding: undefined,
      why: "No version is labelled main and the primary agent names none, so there is nothing to compare with.",
    };
  const found = await newestLanded(ctx, primary.id, main);
  if (!found.main) return { finding: undefined, why: "The main version has no landed run group." };
  if (!found.other) return { finding: undefined, why: "No other version than main has a landed run group." };
  const finding = await findingOfGroups(ctx, found.main, found.other);
  return finding
    ? { finding, why: "The primary agent's newest run that ended, against its main version's newest one." }
    : { finding: undefined, why: "A run group went away while it was read." };
}

/** The newest landed group of the version labelled main, of the agent that ran this group; undefined where there is none. */
export async function mainGroupFor(ctx: Ctx, group: GroupDoc): Promise<string | undefined> {
  const main = group.agent === undefined ? undefined : await mainVersion(ctx, group.agent);
  if (main === undefined || group.agent === undefined || group.player.version === main) return undefined;
  return (await newestLanded(ctx, group.agent, main)).main;
}

/** The version that the org labelled main, else the one that the agent itself says is its main. */
async function mainVersion(ctx: Ctx, agent: string): Promise<string | undefined> {
  const { version_labels: labels } = await readPreferences(ctx);
  const labelled = labels?.find(({ label }) => label === MAIN_LABEL)?.version;
  return labelled ?? (await ctx.store.records.get(Agent, agent))?.main;
}

async function newestLanded(ctx: Ctx, agent: string, main: string): Promise<{ main?: string; other?: string }> {
  const found: { main?: string; other?: string } = {};
  // A run on some of the tasks is told only where there is no whole one.
  const some: { main?: string; other?: string } = {};
  let seen = 0;
  for await (const group of everyRow((page) => ctx.store.records.list(RunGroup, { ...page, where: { agent } }))) {
    const which = group.player.version === main ? "main" : "other";
    const landed = found[which] === undefined && counts(group) ? await groupState(ctx, group) : undefined;
    if (landed?.status === "landed") {
      if (landed.runs.every(({ run }) => isComplete(run))) found[which] = group.id;
      else some[which] ??= group.id;
    }
    seen += 1;
    if ((found.main !== undefined && found.other !== undefined) || seen >= LOOKED_AT) break;
  }
  return { ...some, ...found };
}

function counts(group: GroupDoc): boolean {
  return group.retired_at === undefined && group.control_of === undefined;
}

async function dataOf(ctx: Ctx, group: string): Promise<GroupData | undefined> {
  try {
    return await groupData(ctx, group);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}

import type { Ctx } from "../../context.ts";
import { everyRow } from "../../page.ts";
import { RunGroup } from "../../records/runs/runs.ts";
import { factsReader } from "../../runs/groups/find-groups.ts";
import type { GroupDoc } from "../../runs/groups/group-data.ts";
import { findingOfGroups, type OrgFinding } from "./org-finding.ts";

/** Groups that are looked at for two to compare, newest first. */
const LOOKED_AT = 200;

/**
 * The newest landed group of an agent against the newest one before it of another version that shares an environment:
 * nobody has to name a primary agent or a main version. Two on all tasks go before two of which one is on some.
 */
export async function newestComparison(ctx: Ctx): Promise<OrgFinding> {
  const pair = await newestPair(ctx);
  if (pair === undefined)
    return {
      finding: undefined,
      why: "No agent has two versions with a landed run on the same environment yet: run another version of one on the tasks that it ran.",
    };
  const finding = await findingOfGroups(ctx, pair.before.id, pair.after.id);
  const why = "The two newest versions of one agent that ran on the same environment.";
  return finding ? { finding, why } : { finding: undefined, why: "A run group went away while it was read." };
}

interface Pair {
  readonly before: GroupDoc;
  readonly after: GroupDoc;
}

async function newestPair(ctx: Ctx): Promise<Pair | undefined> {
  const factsOf = factsReader(ctx);
  const later: { readonly group: GroupDoc; readonly whole: boolean }[] = [];
  let some: Pair | undefined;
  let seen = 0;
  for await (const group of everyRow((page) => ctx.store.records.list(RunGroup, page))) {
    seen += 1;
    if (seen > LOOKED_AT) break;
    if (!isCompared(group)) continue;
    const { status, partial } = await factsOf(group);
    if (status !== "landed") continue;
    const others = later.filter((each) => isOtherVersion(each.group, group));
    const whole = others.find((each) => each.whole);
    if (whole && !partial) return { before: group, after: whole.group };
    if (others[0]) some ??= { before: group, after: others[0].group };
    later.push({ group, whole: !partial });
  }
  return some;
}

function isCompared({ player, retired_at, control_of }: GroupDoc): boolean {
  return retired_at === undefined && control_of === undefined && player.harness === null && player.version !== null;
}

function isOtherVersion(after: GroupDoc, before: GroupDoc): boolean {
  const agent = ({ player }: GroupDoc) => player.agent ?? player.name;
  if (agent(after) !== agent(before) || after.player.version === before.player.version) return false;
  const on = new Set(before.runs.map(({ environment }) => environment));
  return after.runs.some(({ environment }) => on.has(environment));
}

import { primaryAgent } from "../agents/versions/primary.ts";
import type { Ctx } from "../context.ts";
import { RunGroup } from "../records/runs/runs.ts";
import { type GroupData, groupData } from "./groups/group-data.ts";
import { isComplete } from "./groups/last-group.ts";
import { endsOf } from "./trials/rates.ts";

const RULE =
  "Per environment the newest group of the org's primary agent that finished, landed every environment, was of all their certified tasks and has every trial valid.";
/** How far back it looks, groups. */
const LOOKS_AT = 200;

/** Per environment the newest clean group of the primary agent. Nothing is started or spent. */
export async function cleanRuns(ctx: Ctx) {
  const agent = await primaryAgent(ctx);
  const answer = { org: ctx.org.tag, rule: RULE, tier: "deterministic" as const };
  if (!agent) return { ...answer, agent: null, note: "The org has no primary agent, so no run is clean.", clean: [] };
  const { items } = await ctx.store.records.list(RunGroup, { where: { agent: agent.id }, limit: LOOKS_AT });
  const clean = new Map<string, ReturnType<typeof rows>[number]>();
  for (const { id } of items) {
    const data = await groupData(ctx, id);
    if (!isClean(data)) continue;
    for (const row of rows(data)) if (!clean.has(row.environment)) clean.set(row.environment, row);
  }
  return { ...answer, agent: { id: agent.id, name: agent.name }, clean: [...clean.values()] };
}

function isClean({ status, group, runs }: GroupData): boolean {
  return (
    status === "landed" &&
    runs.every(({ run, trials }) => {
      const { met, failed } = endsOf(trials);
      return isComplete(run) && met + failed === run.tasks.length * group.trials;
    })
  );
}

function rows({ group, runs }: GroupData) {
  return runs.map(({ run, trials }) => {
    const { met, failed } = endsOf(trials);
    const { environment, label } = run;
    return {
      environment,
      label,
      group: group.id,
      run: run.id,
      version: group.player.version,
      met,
      valid: met + failed,
      created_at: group.created_at,
    };
  });
}

import { Agent } from "../agents/schema.ts";
import { findVersion } from "../agents/targets.ts";
import { versionBlocked } from "../agents/views.ts";
import type { Ctx } from "../context.ts";
import { Environment } from "../sandboxes/schema.ts";
import { environmentTasks } from "../sandboxes/task-records.ts";
import { findGroup } from "./group-data.ts";
import { counts } from "./select-tasks.ts";

/** Every version of a group's agent with whether it could be run on the group's environments now, on how many tasks, and what a start would refuse. Nothing is started. */
export async function groupVersions(ctx: Ctx, input: { readonly gid: string }) {
  const group = await findGroup(ctx, input.gid);
  const environments = await ctx.store.records.getMany(
    Environment,
    group.runs.map(({ environment }) => environment),
  );
  const live = environments.filter((row) => row.retired_at === undefined);
  let tasks = 0;
  for (const { id } of live) tasks += (await environmentTasks(ctx, id)).filter((task) => counts(task, false)).length;
  const would = { tasks, environments: live.length };
  const agent = group.player.agent === null ? undefined : await ctx.store.records.get(Agent, group.player.agent);
  const answer = { org: ctx.org.tag, group: group.id, agent: group.player.name, tier: "deterministic" as const };
  if (!agent) {
    const note = group.player.harness === null ? "The agent was removed." : "A built-in harness has no versions.";
    return { ...answer, note, versions: [] };
  }
  const versions = agent.versions.map(({ version }) => {
    const refusal = refusalOf(ctx, agent, version, would);
    return {
      version,
      current: version === group.player.version,
      runnable: refusal === undefined,
      ...would,
      ...(refusal === undefined ? {} : { refusal }),
    };
  });
  return { ...answer, versions };
}

/** The sentence with which a start of this version would be refused. */
function refusalOf(
  ctx: Ctx,
  agent: Parameters<typeof findVersion>[0],
  version: string,
  would: { readonly tasks: number; readonly environments: number },
): string | undefined {
  const row = findVersion(agent, version);
  if (agent.retired_at !== undefined) return "The agent is retired; restore it first.";
  if (row.retired_at !== undefined) return "This agent version is retired; restore it first.";
  const blocked = versionBlocked(row, ctx.settings.commandsAllowed);
  if (blocked !== undefined) return blocked;
  if (would.environments === 0) return "Every environment of the group is retired.";
  return would.tasks === 0 ? "No task of the group's environments has a certificate." : undefined;
}

import { versionBlocked } from "../../agents/views.ts";
import type { Ctx } from "../../context.ts";
import { findVersion } from "../../find-agent.ts";
import { Agent } from "../../records/agents/agents.ts";
import { Run } from "../../records/runs/runs.ts";
import { Environment } from "../../records/sandboxes/sandboxes.ts";
import { environmentTasks } from "../../sandboxes/tasks/task-records.ts";
import { counts } from "../start/select-tasks.ts";
import { findGroup } from "./group-data.ts";

/** Every version of a group's agent: whether it could start the group's tasks now, how many, and the refusal. Starts nothing. */
export async function groupVersions(ctx: Ctx, input: { readonly gid: string }) {
  const group = await findGroup(ctx, input.gid);
  const environments = await ctx.store.records.getMany(
    Environment,
    group.runs.map(({ environment }) => environment),
  );
  const live = environments.filter((row) => row.retired_at === undefined);
  const planned = await ctx.store.records.getMany(
    Run,
    group.runs.map(({ run }) => run),
  );
  const ids = new Set(planned.flatMap((run) => run.tasks.map((task) => task.id)));
  let tasks = 0;
  for (const { id } of live)
    tasks += (await environmentTasks(ctx, id)).filter((task) => ids.has(task.id) && counts(task, false)).length;
  const would = { tasks, environments: live.length, planned: ids.size, plannedEnvironments: group.runs.length };
  const agent = group.player.agent === null ? undefined : await ctx.store.records.get(Agent, group.player.agent);
  const answer = { org: ctx.org.tag, group: group.id, agent: group.player.name, tier: "deterministic" as const };
  if (planned.some((run) => run.imported !== undefined))
    return { ...answer, note: "The group was imported: its world is not here to play on.", versions: [] };
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
      tasks,
      environments: live.length,
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
  would: {
    readonly tasks: number;
    readonly environments: number;
    readonly planned: number;
    readonly plannedEnvironments: number;
  },
): string | undefined {
  const row = findVersion(agent, version);
  if (agent.retired_at !== undefined) return "The agent is retired; restore it first.";
  if (row.retired_at !== undefined) return "This agent version is retired; restore it first.";
  const blocked = versionBlocked(row, ctx.settings.commandsAllowed);
  if (blocked !== undefined) return blocked;
  if (would.environments < would.plannedEnvironments) return "An environment of the group is retired or gone.";
  if (would.tasks === 0) return "No task of the group has a certificate.";
  return would.tasks < would.planned ? "Some tasks of the group are gone or have no certificate." : undefined;
}

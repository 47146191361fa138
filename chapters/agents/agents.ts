import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { badField, conflict } from "../errors.ts";
import { byField, orgRef } from "../fields.ts";
import { findAgent } from "../find-agent.ts";
import { everyRow, type PageInput, pageOf } from "../page.ts";
import { idOfValue } from "../record.ts";
import { Agent, AgentName, AgentSecret, SurfaceVersion } from "../records/agents/agents.ts";
import { RunGroup } from "../records/runs/runs.ts";
import { traceStoreOf } from "../sources/trace-store-of.ts";
import { aid, targetFields, versionLabel } from "./fields.ts";
import { changeDoc, marked, nameTaken, raced, storedAgent } from "./save.ts";
import { hasTarget } from "./versions/new-target.ts";
import { resolveTarget } from "./versions/resolve-target.ts";
import { withVersion } from "./versions/versions.ts";
import { agentView, harnessViews, isHarness } from "./views.ts";

/** Connected agents, newest first, then the built-in harnesses on the last page. Retired ones only when asked for. */
export async function listAgents(ctx: Ctx, input: PageInput & { readonly retired?: boolean | undefined }) {
  const page = await pageOf(
    (next) => ctx.store.records.list(Agent, next),
    input,
    (agent) => input.retired === true || agent.retired_at === undefined,
  );
  const agents = page.items.map((agent) => agentView(agent, ctx.settings.commandsAllowed));
  return {
    agents: page.next === undefined ? [...agents, ...harnessViews(ctx.models.offered.length > 0)] : agents,
    as_of: ctx.now(),
    behind: 0,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** An agent with its versions, the newest groups it ran, and the newest refs of its server that were taken. */
export async function getAgent(ctx: Ctx, input: { readonly aid: string }) {
  const agent = await findAgent(ctx, input.aid);
  const groups = await ctx.store.records.list(RunGroup, { where: { agent: agent.id }, limit: 50 });
  return {
    agent: agentView(agent, ctx.settings.commandsAllowed),
    groups: groups.items.map(({ id, created_at, player, trials, runs }) => ({
      group: id,
      created_at,
      version: player.version,
      trials,
      environments: runs.map((run) => run.environment),
    })),
    trace_store: await traceStoreOf(ctx, agent.id),
    surface_versions: (await ctx.store.records.list(SurfaceVersion, { where: { agent: agent.id }, limit: 100 })).items,
  };
}

/** What `agents_patch` takes. */
export const ChangeInput = z.object({
  ...orgRef,
  aid,
  name: z.string().min(1).max(100).optional(),
  model: z.string().min(1).max(200).optional().describe("Which model it uses, for the record."),
  notes: z.string().max(4_000).optional(),
  version: versionLabel.optional().describe("Label of a version to add."),
  ...targetFields,
  ...byField,
});
export type ChangeInput = z.output<typeof ChangeInput>;

/** Changes what an agent is called or said to be; a new way to reach it, or a new label, becomes a new version. */
export async function changeAgent(ctx: Ctx, input: ChangeInput) {
  const agent = await findAgent(ctx, input.aid);
  const { name, model, notes } = input;
  const was = agent.versions.at(-1)?.target;
  const resolved = was && hasTarget(input) ? await resolveTarget(ctx, was.kind, input, was) : {};
  if (name !== undefined && name !== agent.name) {
    if (isHarness(name)) throw badField("name", "is the name of a built-in harness");
    if (await nameTaken(ctx, name)) throw conflict("Another agent of the org has this name.", { by: "agents_list" });
  }
  const reaches = hasTarget(input) || input.version !== undefined;
  const changed = await changeDoc(ctx, agent.id, (doc) => {
    const renamed = {
      ...doc,
      ...(name === undefined ? {} : { name }),
      ...(model === undefined ? {} : { model }),
      ...(notes === undefined ? {} : { notes }),
    };
    return reaches ? withVersion(ctx, renamed, input, input.version, resolved) : { doc: renamed };
  });
  await auditAct(ctx, "agent_changed", { agent: agent.id, version_added: reaches }, input.by);
  return agentView(changed, ctx.settings.commandsAllowed);
}

/** Takes an agent off the lists or puts it back; what it ran stays. */
export async function retireAgent(
  ctx: Ctx,
  input: { readonly aid: string; readonly retired: boolean; readonly by?: string | undefined },
) {
  const agent = await findAgent(ctx, input.aid);
  const mark = { at: ctx.now(), by: actor(ctx, input.by) };
  const changed = await changeDoc(ctx, agent.id, (doc) => ({ doc: marked(doc, input.retired, mark) }));
  const act = input.retired ? "agent_retired" : "agent_restored";
  await auditAct(ctx, act, { agent: agent.id }, input.by);
  return { agent: agentView(changed, ctx.settings.commandsAllowed), kept: await kept(ctx, agent.id) };
}

/** Removes an agent with its sealed values. Its groups stay with the names they were run under. */
export async function deleteAgent(ctx: Ctx, input: { readonly aid: string }) {
  const { id } = await findAgent(ctx, input.aid);
  const stays = await kept(ctx, id);
  const secrets: string[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(AgentSecret, { ...page, where: { agent: id } })))
    secrets.push(row.id);
  await raced(async () => {
    const { doc, expect } = await storedAgent(ctx, id);
    await ctx.store.records.apply([
      // Renamed meanwhile, it would leave a name behind that nobody could take.
      { op: "put", kind: Agent, doc, expect },
      ...secrets.map((secret) => ({ op: "delete" as const, kind: AgentSecret, id: secret })),
      { op: "delete", kind: AgentName, id: idOfValue(AgentName, doc.name) },
      { op: "delete", kind: Agent, id },
    ]);
  });
  await auditAct(ctx, "agent_deleted", { agent: id });
  return { deleted: id, kept: stays };
}

async function kept(ctx: Ctx, agent: string) {
  return { groups: await ctx.store.records.count(RunGroup, { agent }) };
}

import type { Ctx } from "../context.ts";
import { AppError, notFound } from "../errors.ts";
import type { Doc } from "../record.ts";
import { Agent, AgentEnv, type AgentTarget } from "./schema.ts";

/** An agent as stored. */
export type AgentDoc = Doc<typeof Agent>;
/** A version as stored: its secrets are sealed. */
export type VersionDoc = AgentDoc["versions"][number];

/** An agent of this org by id or by name. Unknown and another org's are the same 404. */
export async function findAgent(ctx: Ctx, idOrName: string): Promise<AgentDoc> {
  const byId = await ctx.store.records.get(Agent, idOrName);
  if (byId) return byId;
  const { items } = await ctx.store.records.list(Agent, { where: { name: idOrName }, limit: 1 });
  if (!items[0]) throw notFound("agent");
  return items[0];
}

/** A version by its name, or the newest one that is not retired. */
export function findVersion(agent: AgentDoc, version: string | undefined): VersionDoc {
  const found =
    version === undefined
      ? agent.versions.findLast((row) => row.retired_at === undefined)
      : agent.versions.find((row) => row.version === version);
  if (!found) {
    throw version === undefined
      ? new AppError("conflict", "Every version of this agent is retired; restore one or name one.")
      : notFound("agent version");
  }
  return found;
}

/** A target's secrets sealed, as it is stored. */
export function sealTarget(ctx: Ctx, target: AgentTarget): AgentTarget {
  const sealed = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, ctx.sealer.seal(value)]));
  return target.kind === "command"
    ? { ...target, env: sealed(target.env) }
    : { ...target, headers: sealed(target.headers) };
}

/** A version's target with its secrets opened, for launching only. */
export async function openTarget(ctx: Ctx, agent: string, version: string): Promise<AgentTarget> {
  const { target } = findVersion(await findAgent(ctx, agent), version);
  const opened = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, ctx.sealer.open(value)]));
  const token = target.token_env === undefined ? undefined : await namedValue(ctx, target.token_env);
  if (target.kind === "command") {
    return { ...target, env: { ...opened(target.env), ...(token ? { [token.name]: token.value } : {}) } };
  }
  const bearer = token ? { authorization: `Bearer ${token.value}` } : {};
  return { ...target, headers: { ...opened(target.headers), ...bearer } };
}

async function namedValue(ctx: Ctx, name: string): Promise<{ name: string; value: string }> {
  const { items } = await ctx.store.records.list(AgentEnv, { where: { name }, limit: 1 });
  const [row] = items;
  if (!row) {
    throw new AppError("conflict", "The agent needs an environment value that is not set; set it with agent_env_put.", {
      names: [name],
    });
  }
  return { name, value: ctx.sealer.open(row.sealed) };
}

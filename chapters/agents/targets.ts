import { openRepository } from "../code-host/repository-access.ts";
import type { Ctx } from "../context.ts";
import { conflict } from "../errors.ts";
import { findAgent, findVersion } from "../find-agent.ts";
import { idOfValue } from "../record.ts";
import { AgentEnv, AgentSecret, type OpenTarget } from "../records/agents/agents.ts";

/** A version's target with opened secrets and a fetched commit, for launching only. Throws `conflict` naming a missing value. */
export async function openTarget(ctx: Ctx, agentId: string, named: string): Promise<OpenTarget> {
  const agent = await findAgent(ctx, agentId);
  const { target, version } = findVersion(agent, named);
  if (target.kind === "surface")
    throw conflict("A surface's version is driven by a harness of the service; it is not launched.");
  const values = await valuesOf(ctx, agent.id, version, target.kind === "http" ? target.headers : target.env);
  const token = target.token_env === undefined ? undefined : await namedValue(ctx, target.token_env);
  if (target.kind === "http")
    return { ...target, headers: { ...values, ...(token ? { authorization: `Bearer ${token.value}` } : {}) } };
  const env = { ...values, ...(token ? { [token.name]: token.value } : {}) };
  if (target.kind === "command") return { ...target, env };
  const { kind, adapter, setup, egress, command } = target;
  if (command === undefined)
    throw conflict("Nothing says how this version is run: detect it, or add a version with run.", {
      by: "agent_detect",
    });
  const checkout = await (await openRepository(ctx, target.url)).checkout(target.sha);
  return { kind, adapter, egress, command, env, checkout, ...(setup === undefined ? {} : { setup }) };
}

async function valuesOf(ctx: Ctx, agent: string, version: string, names: readonly string[]) {
  const sealed = names.length === 0 ? {} : await sealedValues(ctx, agent, version);
  const missing = names.filter((name) => sealed[name] === undefined);
  if (missing.length > 0)
    throw conflict("Values of this version were not copied with the org; add a version that has them.", {
      names: missing,
    });
  return Object.fromEntries(names.map((name) => [name, ctx.sealer.open(sealed[name] ?? "")]));
}

/** The sealed values of a version by name; none when it has none. */
export async function sealedValues(
  ctx: Ctx,
  agent: string,
  version: string,
): Promise<Readonly<Record<string, string>>> {
  return (await ctx.store.records.get(AgentSecret, idOfValue(AgentSecret, agent, version)))?.sealed ?? {};
}

async function namedValue(ctx: Ctx, name: string): Promise<{ name: string; value: string }> {
  const { items } = await ctx.store.records.list(AgentEnv, { where: { name }, limit: 1 });
  const [row] = items;
  if (!row) {
    throw conflict("The agent needs an environment value that is not set; set it with agent_env_put.", {
      names: [name],
    });
  }
  return { name, value: ctx.sealer.open(row.sealed) };
}

import type { Ctx } from "./context.ts";
import { conflict, notFound } from "./errors.ts";
import type { Doc } from "./record.ts";
import { Agent } from "./records/agents/agents.ts";

/** An agent as stored. */
export type AgentDoc = Doc<typeof Agent>;
/** A version as stored: of its secrets only the names. */
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
      ? conflict("Every version of this agent is retired; restore one or name one.", { by: "agent_version_patch" })
      : notFound("agent version");
  }
  return found;
}

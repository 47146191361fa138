import { z } from "zod";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { conflict, notFound, orNotFound } from "../errors.ts";
import { byField, orgRef, recordId } from "../fields.ts";
import { type AgentDoc, findAgent } from "../find-agent.ts";
import { SurfaceVersion } from "../records/agents/agents.ts";
import { changeDoc } from "./save.ts";
import { surfaceTarget } from "./versions/surface-versions.ts";
import { agentView } from "./views.ts";

/** What names the connected tools themselves in place of a version. */
export const BASE = "base";

export const aid = recordId("surface agent, or its name");

/** What `agent_main` takes. */
export const MainInput = z.object({
  ...orgRef,
  aid,
  version: z.string().min(1).max(200).describe("The version, the id of its ref's row, or base."),
  ...byField,
});
export type MainInput = z.output<typeof MainInput>;

/**
 * Makes a version of a surface agent stand for main; `base` returns to the connected tools. The version before stays
 * listed, and nothing is served anew. A retired or superseded version, and a ref that is not ready, are conflicts.
 */
export async function makeMain(ctx: Ctx, input: MainInput) {
  const agent = await findAgent(ctx, input.aid);
  surfaceTarget(agent);
  const main = input.version === BASE ? undefined : await labelOf(ctx, agent, input.version);
  const same = agent.main === main;
  const changed = same
    ? agent
    : await changeDoc(ctx, agent.id, ({ main: _was, ...doc }) => ({
        doc: { ...doc, ...(main === undefined ? {} : { main: eligible(doc, main) }) },
      }));
  if (!same) await auditAct(ctx, "agent_main", { agent: agent.id, version: main ?? BASE }, input.by);
  return { agent: agentView(changed, ctx.settings.commandsAllowed), main: changed.main ?? BASE, same };
}

/** The version's label: by itself, or by the row of the ref that it was readied for. */
async function labelOf(ctx: Ctx, agent: AgentDoc, named: string): Promise<string> {
  if (agent.versions.some((row) => row.version === named)) return eligible(agent, named);
  const row = await ctx.store.records.get(SurfaceVersion, named);
  if (row?.agent !== agent.id) throw notFound("agent version");
  if (row.version === undefined) throw conflict("This ref is not ready as a version; its row says what it needs.");
  return eligible(agent, row.version);
}

function eligible(agent: Pick<AgentDoc, "versions">, label: string): string {
  const found = orNotFound(
    agent.versions.find((row) => row.version === label),
    "agent version",
  );
  if (found.retired_at !== undefined)
    throw conflict("This agent version is retired; restore it first.", { by: "agent_version_patch" });
  if (found.superseded_by !== undefined)
    throw conflict("This version was superseded by a branch's; it stays listed and cannot be main.");
  return label;
}

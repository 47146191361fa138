import type { Ctx } from "../../context.ts";
import { AppError, conflict } from "../../errors.ts";
import { type AgentDoc, findAgent, findVersion, type VersionDoc } from "../../find-agent.ts";
import { versionBlocked } from "../views.ts";

/** A version of an agent, by default the newest that is not retired, that can be started here now; else why it cannot. */
export async function readyVersion(
  ctx: Ctx,
  aid: string,
  version: string | undefined,
): Promise<{ readonly agent: AgentDoc; readonly version: VersionDoc }> {
  const agent = await findAgent(ctx, aid);
  return { agent, version: startable(ctx, agent, version) };
}

/** The same of a version that is launched as an agent of its own: a tool server, which a harness drives, is a conflict. */
export async function launchedVersion(ctx: Ctx, aid: string, version: string | undefined) {
  const ready = await readyVersion(ctx, aid, version);
  if (ready.version.target.kind === "surface")
    throw conflict(
      "This agent is a tool server that a harness drives: there is no agent to ask. Onboard its version instead.",
    );
  return ready;
}

/** The same of an agent that is at hand. */
export function startable(ctx: Ctx, agent: AgentDoc, named: string | undefined): VersionDoc {
  if (agent.retired_at !== undefined) throw conflict("The agent is retired; restore it first.", { by: "agent_retire" });
  const version = findVersion(agent, named);
  if (version.retired_at !== undefined)
    throw conflict("This agent version is retired; restore it first.", { by: "agent_version_patch" });
  const blocked = versionBlocked(version, ctx.settings.commandsAllowed);
  if (blocked !== undefined) throw new AppError(ctx.settings.commandsAllowed ? "conflict" : "forbidden", blocked);
  return version;
}

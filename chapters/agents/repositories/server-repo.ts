import { auditAct } from "../../audit.ts";
import { openRepository } from "../../code-host/repository-access.ts";
import { actor, type Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { type AgentDoc, findAgent } from "../../find-agent.ts";
import type { ServerRepo } from "../../records/agents/version.ts";
import { changeDoc } from "../save.ts";
import { surfaceTarget } from "../versions/surface-versions.ts";
import { agentView } from "../views.ts";

interface ServerRepoInput {
  readonly aid: string;
  readonly url: string;
  readonly ref?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly listing?: string | undefined;
  readonly run?: string | undefined;
  readonly setup?: string | undefined;
  readonly upstream_env?: string | undefined;
  readonly by?: string | undefined;
}

/**
 * Names the repository of a surface agent's server, read through the code host's app where it is the host's. The base
 * branch is resolved to a commit once: naming the same branch again keeps it. Nothing is built or run.
 */
export async function nameServerRepo(ctx: Ctx, input: ServerRepoInput) {
  const agent = await findAgent(ctx, input.aid);
  surfaceTarget(agent);
  const { url, ref = "main", paths = [], listing, run, setup, upstream_env } = input;
  const access = await openRepository(ctx, url, "covered");
  const before = agent.server;
  const same = before?.url === url && before.ref === ref;
  const base_sha = same ? before.base_sha : (await access.commit(ref)).sha;
  const server: ServerRepo = {
    url,
    ...(access.repo === undefined ? {} : { repo: access.repo }),
    ref,
    base_sha,
    paths: [...paths],
    ...(listing === undefined ? {} : { listing }),
    ...(run === undefined ? {} : { run }),
    ...(setup === undefined ? {} : { setup }),
    ...(upstream_env === undefined ? {} : { upstream_env }),
    at: ctx.now(),
    by: actor(ctx, input.by),
  };
  const changed = await changeDoc(ctx, agent.id, (doc) => ({ doc: { ...doc, server } }));
  await auditAct(ctx, "agent_server_repo", { agent: agent.id, base: base_sha }, input.by);
  return { agent: agentView(changed, ctx.settings.commandsAllowed) };
}

/** The repository of a surface agent's server; a conflict where none is named. */
export function serverOf(agent: AgentDoc): ServerRepo {
  surfaceTarget(agent);
  if (agent.server) return agent.server;
  throw new AppError("conflict", "Name the repository of this agent's server first (agent_server_repo).");
}

import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { openRepository } from "../../code-host/repository-access.ts";
import { actor, type Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { byField, orgRef, recordId, words } from "../../fields.ts";
import { type AgentDoc, findAgent } from "../../find-agent.ts";
import type { ServerRepo } from "../../records/agents/version.ts";
import { given } from "../fields.ts";
import { changeDoc } from "../save.ts";
import { surfaceTarget } from "../versions/surface-versions.ts";
import { agentView } from "../views.ts";

export const aid = recordId("surface agent, or its name");
const path = words(500).regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))/, "write a path inside the repository");
const line = given(10_000).min(1);

/** What `agent_server_repo` takes. */
export const ServerRepoInput = z.object({
  ...orgRef,
  aid,
  url: words(4_000).describe("The repository's address, or owner/name at the code host."),
  ref: words(250).optional().describe("The base branch; main when absent."),
  paths: z
    .array(path)
    .max(100)
    .optional()
    .describe("Where tools are defined: a scan takes only commits that touch one of these."),
  listing: path.optional().describe("A file of the repository that lists the tools."),
  run: line.optional().describe("What serves the tools over standard input and output."),
  setup: line.optional().describe("What sets a checkout up before, with the network."),
  upstream_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
    .optional()
    .describe("The environment variable that tells the server where its upstream is."),
  ...byField,
});
export type ServerRepoInput = z.output<typeof ServerRepoInput>;

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
  throw conflict("Name the repository of this agent's server first (agent_server_repo).");
}

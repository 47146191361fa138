import { z } from "zod";
import { targetFields, versionLabel } from "../../agents/fields.ts";
import { secretChange } from "../../agents/save.ts";
import { newTarget } from "../../agents/versions/new-target.ts";
import { resolveTarget } from "../../agents/versions/resolve-target.ts";
import { originOf } from "../../agents/versions/versions.ts";
import { agentView, isHarness } from "../../agents/views.ts";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { AppError, badField, conflict } from "../../errors.ts";
import { byField, orgRef } from "../../fields.ts";
import type { AgentDoc } from "../../find-agent.ts";
import { idOfValue } from "../../record.ts";
import { Agent, AgentName } from "../../records/agents/agents.ts";
import { startDetect } from "./detect.ts";

/** What `agents_post` takes. */
export const ConnectInput = z.object({
  ...orgRef,
  kind: z.enum(["command", "http", "repository", "surface"]),
  name: z.string().min(1).max(100),
  version: versionLabel.optional().describe("Label of the first version; 1 when absent."),
  ...targetFields,
  model: z.string().min(1).max(200).optional().describe("Which model it uses, for the record."),
  notes: z.string().max(4_000).optional(),
  ...byField,
});
export type ConnectInput = z.output<typeof ConnectInput>;

/**
 * Connects an agent with its first version. A repository's ref is resolved to its commit at once; where nothing says how
 * it is run, a job reads that from the repository. Else nothing is started. A taken name is a conflict.
 */
export async function connectAgent(ctx: Ctx, input: ConnectInput) {
  if (isHarness(input.name)) throw badField("name", "is the name of a built-in harness");
  const base = { created_at: ctx.now(), by: actor(ctx, input.by) };
  const resolved = await resolveTarget(ctx, input.kind, input);
  const { target, values } = newTarget(ctx, input.kind, input, resolved);
  const version = input.version ?? "1";
  const agent: AgentDoc = {
    ...base,
    id: ctx.id(Agent.prefix),
    name: input.name,
    agent_kind: input.kind,
    ...(input.model === undefined ? {} : { model: input.model }),
    ...(input.notes === undefined ? {} : { notes: input.notes }),
    primary: false,
    versions: [{ ...base, version, target, ...originOf(resolved) }],
  };
  try {
    await ctx.store.records.apply([
      { op: "insert", kind: AgentName, doc: { ...base, id: idOfValue(AgentName, input.name), agent: agent.id } },
      { op: "insert", kind: Agent, doc: agent },
      ...(await secretChange(ctx, agent, version, values)),
    ]);
  } catch (error) {
    throw error instanceof AppError && error.code === "conflict"
      ? conflict("An agent of this name is connected already; add a version to it.", { by: "agents_patch" })
      : error;
  }
  await auditAct(ctx, "agent_connected", { agent: agent.id, kind: input.kind }, base.by);
  const unread = target.kind === "repository" && target.command === undefined;
  const job = unread ? (await startDetect(ctx, { aid: agent.id })).job : null;
  return { agent: agentView(agent, ctx.settings.commandsAllowed), job };
}

import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { AppError, conflict } from "../../errors.ts";
import { type AgentDoc, findAgent } from "../../find-agent.ts";
import { idOfValue } from "../../record.ts";
import { Agent, AgentPrimary } from "../../records/agents/agents.ts";
import { raced, storedAgent } from "../save.ts";
import { agentView, isHarness } from "../views.ts";

/** Makes an agent the org's primary one; the one before it no longer is, in one step. */
export async function makePrimary(ctx: Ctx, input: { readonly aid: string; readonly by?: string | undefined }) {
  if (isHarness(input.aid)) throw conflict("A built-in harness cannot be made primary.");
  const { id } = await findAgent(ctx, input.aid);
  const changed = await raced(() => promote(ctx, id, actor(ctx, input.by)));
  await auditAct(ctx, "agent_primary", { agent: id }, input.by);
  return { primary_agent: agentView(changed, ctx.settings.commandsAllowed) };
}

async function promote(ctx: Ctx, id: string, by: string): Promise<AgentDoc> {
  const mark = { id: idOfValue(AgentPrimary, "primary"), created_at: ctx.now(), by, agent: id };
  const marked = await ctx.store.records.raw(AgentPrimary.kind, mark.id);
  const { doc, expect } = await storedAgent(ctx, id);
  if (doc.retired_at !== undefined)
    throw conflict("A retired agent cannot be made primary; restore it.", { by: "agent_retire" });
  const { items } = await ctx.store.records.list(Agent, { where: { primary: true }, limit: 500 });
  const before = await Promise.all(items.filter((row) => row.id !== id).map((row) => standing(ctx, row.id)));
  const next: AgentDoc = { ...doc, primary: true };
  await ctx.store.records.apply([
    marked
      ? { op: "put", kind: AgentPrimary, doc: mark, expect: marked.digest }
      : { op: "insert", kind: AgentPrimary, doc: mark },
    ...before
      .flat()
      .map((was) => ({ op: "put" as const, kind: Agent, doc: { ...was.doc, primary: false }, expect: was.expect })),
    { op: "put", kind: Agent, doc: next, expect },
  ]);
  return next;
}

/** An agent as it is stored; none where it was removed meanwhile. */
async function standing(ctx: Ctx, id: string) {
  return storedAgent(ctx, id).then(
    (found) => [found],
    (error: unknown) => {
      if (error instanceof AppError && error.code === "not_found") return [];
      throw error;
    },
  );
}

/** The org's primary agent, if it has one that is not retired. */
export async function primaryAgent(ctx: Ctx): Promise<AgentDoc | undefined> {
  const { items } = await ctx.store.records.list(Agent, { where: { primary: true }, limit: 1 });
  return items.find((agent) => agent.retired_at === undefined);
}

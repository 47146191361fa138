import { agentView } from "../../agents/views.ts";
import type { Ctx } from "../../context.ts";
import { AppError, conflict } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import { Agent } from "../../records/agents/agents.ts";
import { Surface } from "../../records/sandboxes/sandboxes.ts";
import { Reply } from "../../reply.ts";
import { connectAgent } from "./connect-agent.ts";

/**
 * Writes the org's first agent where it has none, retired ones included: its oldest live surface's tools, driven by the
 * keyless `rule` harness. Two at once make one. An org without a compiled surface is a conflict.
 */
export async function firstAgent(ctx: Ctx) {
  const before = await ctx.store.records.list(Agent, { order: "oldest", limit: 1 });
  const created = before.items.length === 0 && (await connectFirst(ctx));
  const { items } = await ctx.store.records.list(Agent, { order: "oldest", limit: 1 });
  const [first] = items;
  if (!first) throw conflict("The agent that was there has been removed meanwhile; call again.");
  const answer = {
    org: ctx.org.tag,
    created,
    agent: agentView(first, ctx.settings.commandsAllowed),
    agents: await ctx.store.records.count(Agent),
  };
  return created ? answer : new Reply(200, answer);
}

/** False when another caller was first. */
async function connectFirst(ctx: Ctx): Promise<boolean> {
  const surface = await oldestSurface(ctx);
  if (!surface)
    throw conflict(
      "The org has no compiled surface to make an agent of; connect one with agents_post, or send evidence and run the pipeline.",
    );
  try {
    await connectAgent(ctx, { kind: "surface", name: FIRST, surface: surface.id, harness: "rule" });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") return false;
    throw error;
  }
}

/** One name for all who come at once: only one of them can take it. */
const FIRST = "first agent";

async function oldestSurface(ctx: Ctx) {
  for await (const surface of everyRow((page) => ctx.store.records.list(Surface, { ...page, order: "oldest" }))) {
    const stands = surface.retired_at === undefined && surface.superseded_by === undefined;
    if (stands && surface.bundle !== undefined) return surface;
  }
  return undefined;
}

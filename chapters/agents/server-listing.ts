import type { z } from "zod";
import type { ToolDefinition } from "../../worlds/bundle.ts";
import type { Ctx } from "../context.ts";
import { AppError, notFound } from "../errors.ts";
import { listedTools } from "../evidence/formats/tool-listings.ts";
import { type Doc, idOfValue } from "../record.ts";
import { getJson, putJson } from "../sandboxes/blobs.ts";
import { openRepository } from "./repository-access.ts";
import { ServerTools } from "./schema.ts";
import { type AgentDoc, findAgent } from "./targets.ts";
import type { ListingReader, ServerRepo } from "./version-schema.ts";

/** A server's tools at one commit, with how they were read. */
export interface Listing {
  readonly record: Doc<typeof ServerTools>;
  readonly tools: readonly ToolDefinition[];
}

type Reader = z.infer<typeof ListingReader>;

/** The listing of a commit as it was read before; undefined where no reader read it. */
export async function listingAt(ctx: Ctx, agent: string, sha: string): Promise<Listing | undefined> {
  const record = await ctx.store.records.get(ServerTools, idOfValue(ServerTools, agent, sha));
  return record && { record, tools: (await getJson(ctx, record.blob)) as ToolDefinition[] };
}

/**
 * The tools of a surface agent's server at a commit, read once: of the server as it is started where commands may run,
 * else of the file that lists them, else of its definitions in source. Where none of them reads it, it is refused.
 */
export async function readListing(ctx: Ctx, agent: AgentDoc, server: ServerRepo, sha: string): Promise<Listing> {
  const known = await listingAt(ctx, agent.id, sha);
  if (known) return known;
  const { reader, tools } = await read(ctx, server, sha);
  const record: Doc<typeof ServerTools> = {
    id: idOfValue(ServerTools, agent.id, sha),
    created_at: ctx.now(),
    by: ctx.caller.name,
    agent: agent.id,
    sha,
    reader,
    tier: "deterministic",
    count: tools.length,
    blob: await putJson(ctx, tools),
  };
  await ctx.store.records.put(ServerTools, record);
  return { record, tools };
}

async function read(
  ctx: Ctx,
  server: ServerRepo,
  sha: string,
): Promise<{ readonly reader: Reader; readonly tools: readonly ToolDefinition[] }> {
  const checkout = await (await openRepository(ctx, server.url)).checkout(sha);
  const { run, setup, listing, upstream_env } = server;
  if (run !== undefined && ctx.settings.commandsAllowed) {
    const env = upstream_env === undefined ? {} : { [upstream_env]: NO_UPSTREAM };
    const tools = await ctx.agents.withServer(
      { checkout, run, env, ...(setup === undefined ? {} : { setup }) },
      async (session) => session.tools,
      ctx.signal,
    );
    return { reader: "served", tools };
  }
  const text = listing === undefined ? undefined : await ctx.repositories.text(checkout, listing);
  const listed = text === undefined ? undefined : listedTools(text);
  if (listed && listed.length > 0) return { reader: "listing", tools: listed };
  const { tools } = await ctx.repositories.source(checkout, ctx.signal);
  if (tools.length > 0) return { reader: "source", tools: tools.map(({ tool }) => tool) };
  throw new AppError(
    "unprocessable",
    ctx.settings.commandsAllowed
      ? "No tools were found at this commit: say what serves it (run), or which file lists its tools (listing)."
      : "No tools were found at this commit in a listing or in source, and commands are off here: name the file that lists them (listing).",
  );
}

/** An address where nothing answers: listing tools asks no upstream. */
const NO_UPSTREAM = "http://127.0.0.1:9";

/** The commit of the version that stands for main, else the server's base. */
function mainCommit(agent: AgentDoc): string | undefined {
  const main = agent.versions.find((row) => row.version === agent.main);
  return main?.origin?.sha ?? agent.server?.base_sha;
}

/** The tools that were read at a commit, or at main's. A commit that no reader read is a 404. */
export async function serverTools(ctx: Ctx, input: { readonly aid: string; readonly sha: string }) {
  const agent = await findAgent(ctx, input.aid);
  const sha = input.sha === "main" ? mainCommit(agent) : input.sha;
  const found = sha === undefined ? undefined : await listingAt(ctx, agent.id, sha);
  if (!found) throw notFound("tool listing");
  const { reader, tier, count } = found.record;
  const tools = found.tools.map(({ name, description, inputSchema }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: inputSchema,
  }));
  return { sha: found.record.sha, reader, tier, count, tools };
}

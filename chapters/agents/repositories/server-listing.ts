import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { getJson, putJson } from "../../blobs.ts";
import { openRepository } from "../../code-host/repository-access.ts";
import type { Ctx } from "../../context.ts";
import { AppError, orNotFound } from "../../errors.ts";
import { listedTools } from "../../evidence/formats/documents/tool-listings.ts";
import { type AgentDoc, findAgent } from "../../find-agent.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { ServerTools } from "../../records/agents/agents.ts";
import type { ServerRepo } from "../../records/agents/version.ts";
import type { Checkout } from "../../repositories.ts";
import { readChanges, type ToolsBefore } from "../versions/tool-changes.ts";

/** A server's tools at one commit, with how they were read. */
export interface Listing {
  readonly record: Doc<typeof ServerTools>;
  readonly tools: readonly ToolDefinition[];
}

/** The listing of a commit as it was read before; undefined where no reader read it. */
export async function listingAt(ctx: Ctx, agent: string, sha: string): Promise<Listing | undefined> {
  const record = await ctx.store.records.get(ServerTools, idOfValue(ServerTools, agent, sha));
  return record && { record, tools: (await getJson(ctx, record.blob)) as ToolDefinition[] };
}

/** No reader found the tools of a commit. */
export class ToolsUnread extends AppError {}

/**
 * The tools of a surface agent's server at a commit, read once: of the server as it is started where commands may run,
 * else of the file that lists them, else of its definitions in source, else, where models are offered and it is known
 * what stood `before`, by one of them from what was changed since. Where none reads it: `ToolsUnread`.
 */
export async function readListing(
  ctx: Ctx,
  agent: AgentDoc,
  server: ServerRepo,
  sha: string,
  before?: ToolsBefore,
): Promise<Listing> {
  const known = await listingAt(ctx, agent.id, sha);
  if (known) return known;
  const { tools, ...how } = await read(ctx, server, sha, before);
  const record: Doc<typeof ServerTools> = {
    id: idOfValue(ServerTools, agent.id, sha),
    created_at: ctx.now(),
    by: ctx.caller.name,
    agent: agent.id,
    sha,
    ...how,
    count: tools.length,
    blob: await putJson(ctx, tools),
  };
  await ctx.store.records.put(ServerTools, record);
  return { record, tools };
}

type Read = Pick<Doc<typeof ServerTools>, "reader" | "tier" | "model" | "not_served"> & {
  readonly tools: readonly ToolDefinition[];
};

async function read(ctx: Ctx, server: ServerRepo, sha: string, before: ToolsBefore | undefined): Promise<Read> {
  const access = await openRepository(ctx, server.url);
  const checkout = await access.checkout(sha);
  const served = await asServed(ctx, server, checkout);
  if (Array.isArray(served)) return { reader: "served", tier: "deterministic", tools: served };
  const not_served = served === undefined ? {} : { not_served: served.reason };
  const text = server.listing === undefined ? undefined : await ctx.repositories.text(checkout, server.listing);
  const listed = text === undefined ? undefined : listedTools(text);
  if (listed && listed.length > 0) return { reader: "listing", tier: "deterministic", ...not_served, tools: listed };
  const source = (await ctx.repositories.source(checkout, ctx.signal)).tools.map(({ tool }) => tool);
  if (source.length > 0) return { reader: "source", tier: "deterministic", ...not_served, tools: source };
  if (before && ctx.models.offered.length > 0)
    return { reader: "model", ...not_served, ...(await readChanges(ctx, access, checkout, before)) };
  if (served) throw new ToolsUnread(served.code, served.reason, served.details);
  throw new ToolsUnread(
    "unprocessable",
    ctx.settings.commandsAllowed
      ? "No tools were found at this commit: say what serves it (run), or which file lists its tools (listing)."
      : "No tools were found at this commit in a listing or in source, and commands are off here: name the file that lists them (listing).",
  );
}

/** What the server lists when it is started; why it does not; undefined where it is not to be started. */
async function asServed(
  ctx: Ctx,
  server: ServerRepo,
  checkout: Checkout,
): Promise<ToolDefinition[] | AppError | undefined> {
  const { run, setup, upstream_env } = server;
  if (run === undefined || !ctx.settings.commandsAllowed) return undefined;
  const env = upstream_env === undefined ? {} : { [upstream_env]: NO_UPSTREAM };
  try {
    return await ctx.agents.withServer(
      { checkout, run, env, ...(setup === undefined ? {} : { setup }) },
      async (session) => [...session.tools],
      ctx.signal,
    );
  } catch (error) {
    // A build that does not stand; anything else may be otherwise next time.
    if (error instanceof AppError && error.code === "unprocessable") return error;
    throw error;
  }
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
  const found = orNotFound(sha === undefined ? undefined : await listingAt(ctx, agent.id, sha), "tool listing");
  const { reader, tier, count, model, not_served } = found.record;
  const tools = found.tools.map(({ name, description, inputSchema }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: inputSchema,
  }));
  return {
    sha: found.record.sha,
    reader,
    tier,
    ...(model === undefined ? {} : { model }),
    ...(not_served === undefined ? {} : { not_served }),
    count,
    tools,
  };
}

import type { Bundle, ToolDefinition } from "../bundle.ts";
import { asOfNewestDay } from "../floor/session-days.ts";
import type { ObservedTrace } from "../observation.ts";
import { describedReads } from "./described-reads.ts";
import { unlistedAnswer, usersTools } from "./listing.ts";
import { missingArgument } from "./missing-arguments.ts";
import { callsByTool, observe } from "./observations.ts";
import type { CompileOptions, CompileResult } from "./report.ts";
import { seenEffects } from "./reproduced-effects.ts";
import { compileSessions } from "./ways.ts";

export type { CompileOptions, CompileResult } from "./report.ts";

/**
 * Compiles observed traces to a bundle and its initial state. Three ways to explain a service are tried: tables with the
 * row history that traces tell, tools bound to the rows of an export or to those that answers showed, and programs over
 * tables and cells; which is kept is decided on held-out sessions. The
 * same traces, tools and records give the same bytes of canonical JSON, whatever the order of the
 * traces. Never throws on odd evidence: what it cannot explain stays recorded or a gap.
 */
export function compile(traces: readonly ObservedTrace[], options: CompileOptions): CompileResult {
  const sessions = observe(asOfNewestDay(traces));
  const told = options.tools && { ...options, tools: describedReads(sessions, options.tools) };
  const compiled = compileSessions(sessions, told ?? options);
  const byTool = callsByTool(sessions);
  const unlisted = unlistedAnswer(options.tools, byTool);
  const apart = forAgents(compiled.bundle, usersTools(options.tools, byTool));
  const effects = seenEffects(sessions, options.tools, apart);
  const bundle = { ...asListed(apart, options.tools), tools: hinted(apart.tools, options.tools, effects), effects };
  const missing = missingArgument(options.tools ?? [], byTool);
  const words = { ...(unlisted && { unlisted }), ...(missing && { missing_argument: missing }) };
  return { ...compiled, bundle: { ...bundle, ...words } };
}

/** The manifest: as listed; of a tool that only calls show, what those show of its effect and no more. */
function hinted(
  tools: readonly ToolDefinition[],
  listed: readonly ToolDefinition[] | undefined,
  effects: NonNullable<Bundle["effects"]>,
): ToolDefinition[] {
  const given = new Map(listed?.map((tool) => [tool.name, tool]));
  return tools.map((tool) => {
    const own = given.get(tool.name);
    if (own) return own;
    const { annotations: _, ...rest } = tool;
    const effect = effects[tool.name]?.effect;
    if (effect === undefined || effect === "unknown") return rest;
    return { ...rest, annotations: { readOnlyHint: effect === "none" } };
  });
}

/** A bundle whose users' tools stand as listed: what was told of their effects is the compiler's own. */
function asListed(bundle: Bundle, listed: readonly ToolDefinition[] | undefined): Bundle {
  if (!bundle.user_tools) return bundle;
  const given = new Map(listed?.map((tool) => [tool.name, tool]));
  return { ...bundle, user_tools: bundle.user_tools.map((tool) => given.get(tool.name) ?? tool) };
}

/** A bundle whose manifest is the agent's: what only the user has stands apart. */
function forAgents(bundle: Bundle, users: ReadonlySet<string>): Bundle {
  if (users.size === 0) return bundle;
  const theirs = bundle.tools.filter(({ name }) => users.has(name));
  return { ...bundle, tools: bundle.tools.filter(({ name }) => !users.has(name)), user_tools: theirs };
}

import { z } from "zod";
import { ToolDefinition } from "../../../worlds/bundle.ts";
import type { RepositoryAccess } from "../../code-host/repository-access.ts";
import type { Ctx } from "../../context.ts";
import { tooLarge } from "../../errors.ts";
import { evidence, pass, read } from "../../models/pass.ts";
import type { Checkout } from "../../repositories.ts";
import type { Tier } from "../../tier.ts";
import { areaOf } from "./change-areas.ts";

/** A commit, and the tools that its server has. */
export interface ToolsBefore {
  readonly sha: string;
  readonly tools: readonly ToolDefinition[];
}

/** Characters of changed files that a reader is shown; what touches tools comes first. */
const MOST_TEXT = 150_000;

interface ChangedText {
  readonly path: string;
  /** Absent where the file is new. */
  readonly before?: string;
  /** Absent where the file is gone. */
  readonly after?: string;
}

interface ChangesInput {
  readonly tools: readonly Pick<ToolDefinition, "name" | "description" | "inputSchema">[];
  readonly files: readonly ChangedText[];
}

const Said = z.object({
  removed: z.array(z.string().max(64)).max(500),
  tools: z
    .array(
      z.object({
        name: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
        description: z.string().max(20_000).optional(),
        inputSchema: z.looseObject({ type: z.literal("object") }),
      }),
    )
    .max(500),
});

const toolChangesPass = pass<ChangesInput, z.infer<typeof Said>>({
  name: "tool_changes",
  version: "tool-changes-1",
  output: Said,
  maxOutputTokens: 8000,
  prompt: ({ tools, files }) => ({
    system:
      "You read what a change does to the source of a server that offers tools over MCP. You are given the tools it had, and each changed file before and after. Answer which of those tools it no longer has (removed, by name), and the whole definition (name, description, inputSchema as JSON Schema of an object) of every tool that is new or whose definition is another now (tools). A tool whose inner working alone changed is in neither list. What the files do not show did not change.",
    user: evidence(JSON.stringify({ tools, files })),
  }),
  check: ({ removed, tools }, input) => {
    const known = new Set(input.tools.map(({ name }) => name));
    const named = tools.map(({ name }) => name);
    if (removed.some((name) => !known.has(name))) return "removed names a tool that the server did not have";
    if (new Set([...removed, ...named]).size < removed.length + named.length) return "a tool is named twice";
    return undefined;
  },
});

/** The tools at a commit as a model reads them from what was changed since another one. */
export async function readChanges(
  ctx: Ctx,
  access: RepositoryAccess,
  checkout: Checkout,
  before: ToolsBefore,
): Promise<{ readonly tools: readonly ToolDefinition[]; readonly tier: Tier; readonly model: string }> {
  const files = await changedTexts(ctx, access, checkout, before.sha);
  const tools = before.tools.map(({ name, description, inputSchema }) => ({
    name,
    inputSchema,
    ...(description === undefined ? {} : { description }),
  }));
  const { value, tier, model } = await read(ctx, toolChangesPass, { tools, files }, { reader: "model" });
  const gone = new Set(value.removed);
  const anew = new Map(value.tools.map((tool) => [tool.name, ToolDefinition.parse(tool)]));
  const kept = before.tools.filter(({ name }) => !gone.has(name)).map((tool) => anew.get(tool.name) ?? tool);
  const had = new Set(before.tools.map(({ name }) => name));
  const added = [...anew.values()].filter(({ name }) => !had.has(name));
  return { tools: [...kept, ...added], tier, model: model ?? "" };
}

async function changedTexts(
  ctx: Ctx,
  access: RepositoryAccess,
  checkout: Checkout,
  since: string,
): Promise<readonly ChangedText[]> {
  const old = await access.checkout(since);
  const { files } = await access.compare(since, checkout.commit);
  const order = files.map(({ name }) => name).sort((a, b) => Number(isOther(a)) - Number(isOther(b)));
  const texts: ChangedText[] = [];
  let room = MOST_TEXT;
  for (const path of order) {
    const [before, after] = [await ctx.repositories.text(old, path), await ctx.repositories.text(checkout, path)];
    room -= (before?.length ?? 0) + (after?.length ?? 0);
    if (room < 0 && !isOther(path))
      throw tooLarge("More was changed than a model is shown at once; name a file that lists the tools.");
    if (room < 0) break;
    texts.push({ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) });
  }
  return texts;
}

function isOther(path: string): boolean {
  return areaOf(path) === "other";
}

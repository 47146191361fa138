import { ToolDefinition } from "../../../../worlds/bundle.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { Item, ListingFormat, Reading, Sample } from "../format.ts";
import { defined, object, text } from "../values.ts";

/** The tools of a body: a list of them, an object with `tools`, or a protocol answer that holds one. */
function toolsIn(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(toolsIn);
  const record = object(value);
  if (!record) return [];
  const inner = record.tools ?? object(record.result)?.tools;
  return Array.isArray(inner) ? inner.flatMap(toolsIn) : [record];
}

function isToolListing(sample: Sample, fits: (tool: JsonObject) => boolean): boolean {
  // A request that offers tools beside its messages is a trace.
  if (sample.items.some(({ value }) => object(value)?.messages !== undefined)) return false;
  const tools = sample.items.flatMap(({ value }) => toolsIn(value));
  return tools.length > 0 && tools.every(fits);
}

function read(items: readonly Item[], reading: Reading, one: (tool: JsonObject) => unknown): ToolDefinition[] {
  const tools = new Map<string, ToolDefinition>();
  for (const { value, place } of items) {
    const found = toolsIn(value);
    if (found.length === 0) reading.refuse(place, "no tool definition");
    for (const tool of found) {
      const made = ToolDefinition.safeParse(one(tool));
      if (!made.success) reading.refuse(place, "a tool without a name or with a schema that is no object");
      else if (tools.has(made.data.name)) reading.lose("tool_named_twice");
      else tools.set(made.data.name, made.data);
    }
  }
  return [...tools.values()];
}

const NO_INPUT = { type: "object", properties: {} };

/** MCP tool listings: a `tools/list` result, with or without its protocol frame, or a bare list. */
export const mcpTools: ListingFormat = {
  name: "mcp",
  kind: "tool_listing",
  detect: (sample) =>
    isToolListing(sample, (tool) => object(tool.inputSchema) !== undefined && text(tool.name) !== undefined)
      ? { score: 0.95, why: "tools with name and inputSchema" }
      : undefined,
  tools: (items, reading) =>
    read(items, reading, (tool) => ({
      ...defined({
        title: text(tool.title),
        description: text(tool.description),
        outputSchema: object(tool.outputSchema),
        annotations: object(tool.annotations),
      }),
      name: tool.name,
      inputSchema: tool.inputSchema ?? NO_INPUT,
    })),
};

/** Whether it is a function's declaration by itself, without the wrapping that says so. */
const isBare = (tool: JsonObject): boolean =>
  text(tool.name) !== undefined && object(tool.parameters)?.type === "object" && tool.type === undefined;

/** OpenAI function tools, nested under `function`, flat, or the bare declarations. */
export const openaiTools: ListingFormat = {
  name: "openai-tools",
  kind: "tool_listing",
  detect: (sample) =>
    isToolListing(
      sample,
      (tool) => tool.type === "function" && text((object(tool.function) ?? tool).name) !== undefined,
    )
      ? { score: 0.95, why: "tools of type function" }
      : isToolListing(sample, isBare)
        ? { score: 0.9, why: "functions with name and parameters" }
        : undefined,
  tools: (items, reading) =>
    read(items, reading, (outer) => {
      const tool = object(outer.function) ?? outer;
      return {
        ...defined({ description: text(tool.description) }),
        name: tool.name,
        inputSchema: tool.parameters ?? NO_INPUT,
      };
    }),
};

/** Anthropic tools, with `input_schema`. */
export const anthropicTools: ListingFormat = {
  name: "anthropic-tools",
  kind: "tool_listing",
  detect: (sample) =>
    isToolListing(sample, (tool) => object(tool.input_schema) !== undefined && text(tool.name) !== undefined)
      ? { score: 0.95, why: "tools with name and input_schema" }
      : undefined,
  tools: (items, reading) =>
    read(items, reading, (tool) => ({
      ...defined({ description: text(tool.description) }),
      name: tool.name,
      inputSchema: tool.input_schema ?? NO_INPUT,
    })),
};

/** The tools of a file that lists them, in any of the forms above; what is no tool is left out. Empty where it is no JSON. */
export function listedTools(body: string): ToolDefinition[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [];
  }
  const made = toolsIn(value).flatMap((outer) => {
    const tool = object(outer.function) ?? outer;
    const inputSchema = tool.inputSchema ?? tool.input_schema ?? tool.parameters;
    const own = defined({ description: text(tool.description), annotations: object(tool.annotations) });
    const read = ToolDefinition.safeParse({ ...own, name: tool.name, inputSchema });
    return read.success ? [read.data] : [];
  });
  return [...new Map(made.map((tool) => [tool.name, tool])).values()];
}

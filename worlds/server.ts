import type { ToolDefinition } from "./bundle.ts";
import { isObject, type Json } from "./json.ts";
import type { WorldAnswer } from "./world-api.ts";

/** A world as its endpoint sees it. */
export interface ServedWorld {
  /** What the server calls itself towards a client. */
  readonly name: string;
  readonly tools: readonly ToolDefinition[];
  call(tool: string, args: Record<string, unknown>): Promise<WorldAnswer>;
}

interface Listing {
  readonly tools: readonly ToolDefinition[];
  /** Tools that promise structured content: whether a value that is no object goes under `result`. */
  readonly structured: ReadonlyMap<string, boolean>;
}

const listings = new WeakMap<readonly ToolDefinition[], Listing>();

/** The tools as a client may be shown them: the manifest as it is, with the object type that the protocol demands of schemas. */
function listingOf(tools: readonly ToolDefinition[]): Listing {
  const known = listings.get(tools);
  if (known) return known;
  const structured = new Map<string, boolean>();
  for (const { name, outputSchema } of tools) {
    if (outputSchema === undefined) continue;
    const properties = Object.keys(isObject(outputSchema.properties) ? outputSchema.properties : {});
    structured.set(name, properties.length === 1 && properties[0] === "result");
  }
  const made: Listing = {
    tools: tools.map(({ http: _http, ...tool }) => ({ ...tool, inputSchema: { ...tool.inputSchema, type: "object" } })),
    structured,
  };
  listings.set(tools, made);
  return made;
}

function structuredOf(value: Json, wrapped: boolean): Record<string, unknown> | undefined {
  if (wrapped && !(isObject(value) && Object.hasOwn(value, "result"))) return { result: value };
  return isObject(value) ? value : undefined;
}

/** An answer as the protocol has it. */
interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}

/** What a world's tool server offers: its list is the manifest. */
export interface WorldTools {
  readonly identity: { readonly name: string; readonly version: string };
  /** The same array for worlds of one manifest. */
  readonly tools: readonly ToolDefinition[];
  /** A call that the world refuses is a tool error; undefined when it has no tool of that name. */
  call(request: {
    readonly name: string;
    readonly arguments: Record<string, unknown>;
  }): Promise<ToolResult | undefined>;
}

/** One world as a tool server offers it. Who may reach it is decided before. */
export function worldTools(world: ServedWorld): WorldTools {
  const listing = listingOf(world.tools);
  const names = new Set(listing.tools.map((tool) => tool.name));
  return {
    identity: { name: world.name, version: "1.0.0" },
    tools: listing.tools,
    call: async ({ name, arguments: args }) => {
      const answer = await world.call(name, args);
      if (answer.answerClass === "error:unknown_tool" || !names.has(name)) return undefined;
      const content = [{ type: "text" as const, text: answer.text }];
      if (answer.isError) return { content, isError: true };
      const wrapped = listing.structured.get(name);
      const structuredContent = wrapped === undefined ? undefined : structuredOf(answer.value, wrapped);
      return { content, ...(structuredContent === undefined ? {} : { structuredContent }) };
    },
  };
}

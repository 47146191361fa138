import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { declaredEffect, effectByName } from "../../../worlds/compile/effects.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { World } from "../../../worlds/world-api.ts";
import type { Ctx } from "../../context.ts";
import { storeEvidence } from "../../evidence/intake/store-evidence.ts";
import { once } from "../../evidence/reading/bytes.ts";
import type { ServedSession } from "../../ports/launcher.ts";
import { Door } from "../../records/sandboxes/doors.ts";

/** Calls of one tool, and of all tools, that are recorded. */
const MOST_A_TOOL = 12;
const MOST = 200;
/** Values of a column that arguments are tried with. */
const MOST_VALUES = MOST_A_TOOL - 1;

interface Call {
  readonly tool: string;
  readonly args: JsonObject;
}

/** What a server answered to a call. */
export interface Recorded extends Call {
  readonly text: string;
  readonly isError: boolean;
}

/** What came of the calls: those whose upstream had no answer taught nothing of the server, and are counted alone. */
export interface Recording {
  readonly calls: readonly Recorded[];
  readonly upstream_gaps: number;
}

/**
 * Calls the tools of a server that read, with values that its upstream's world holds and one that it does not, and keeps
 * what it answers. A call during which the door met a gap is left out: what the server made of that is not what it does.
 */
export async function recordReads(
  ctx: Ctx,
  session: ServedSession,
  upstream: { readonly door: string; readonly world: World },
): Promise<Recording> {
  const calls: Recorded[] = [];
  let upstream_gaps = 0;
  let before = await gapsOf(ctx, upstream.door);
  for (const { tool, args } of readsOf(session.tools, upstream.world)) {
    ctx.signal.throwIfAborted();
    const answer = await session.call(tool, args);
    if (!answer) break;
    const after = await gapsOf(ctx, upstream.door);
    if (after === before) calls.push({ tool, args, ...answer });
    else upstream_gaps += 1;
    before = after;
  }
  return { calls, upstream_gaps };
}

async function gapsOf(ctx: Ctx, door: string): Promise<number> {
  const tally = (await ctx.store.records.get(Door, door))?.tally;
  return [...Object.values(tally?.gaps ?? {}), ...Object.values(tally?.unserved ?? {}), tally?.limited ?? 0].reduce(
    (sum, n) => sum + n,
    0,
  );
}

/** The calls that are made: a few a tool, tools that need what no row has left out. */
export function readsOf(tools: readonly ToolDefinition[], world: World): Call[] {
  const values = new Values(world);
  return tools
    .filter((tool) => (declaredEffect(tool) ?? effectByName(tool.name)) === "read")
    .flatMap((tool) => callsOf(tool, values))
    .slice(0, MOST);
}

function callsOf({ name, inputSchema }: ToolDefinition, values: Values): Call[] {
  const properties = (inputSchema.properties ?? {}) as Readonly<Record<string, Property>>;
  const required = Array.isArray(inputSchema.required) ? inputSchema.required.map(String) : [];
  const options = required.map((param) => [param, values.of(name, param, properties[param] ?? {})] as const);
  if (options.some(([, found]) => found.length === 0)) return [];
  const rounds = Math.max(1, ...options.map(([, found]) => found.length));
  return Array.from({ length: rounds }, (_, i) => ({
    tool: name,
    args: Object.fromEntries(options.map(([param, found]) => [param, found[i % found.length] as Json])),
  }));
}

interface Property {
  readonly type?: unknown;
  readonly enum?: unknown;
}

/** Values of a world's rows by the names that arguments have for them. */
class Values {
  readonly #columns = new Map<string, Json[]>();
  readonly #ids = new Map<string, Json[]>();

  constructor(world: World) {
    for (const table of world.tables()) {
      const ids: Json[] = [];
      let rows = 0;
      for (const [key, row] of world.rows(table)) {
        if (rows++ >= 500) break;
        ids.push((row.id as Json | undefined) ?? key);
        for (const [column, value] of Object.entries(row))
          if (typeof value === "string" || typeof value === "number") this.#add(wordOf(column), value);
      }
      this.#ids.set(singular(wordOf(table)), ids.slice(0, MOST_VALUES));
    }
  }

  /** Values to try for a parameter: its enumeration, its column's values, or ids of its or the tool's thing; then one invalid value. */
  of(tool: string, param: string, { type, enum: closed }: Property): Json[] {
    if (Array.isArray(closed)) return closed.slice(0, MOST_VALUES) as Json[];
    if (type === "boolean") return [true, false];
    const word = wordOf(param);
    const named = /^(?:id|key)$/.test(word) ? wordOf(tool) : /^(.+)_(?:id|key|number)$/.exec(word)?.[1];
    const ids = named === undefined ? [] : this.#named(named);
    const found = (ids.length > 0 ? ids : (this.#columns.get(word) ?? [])).flatMap((value) => fitted(value, type));
    const [first] = found;
    if (first === undefined) return [];
    return [...found, typeof first === "number" ? first + 987_654_321 : `${String(first)}-none`];
  }

  #named(words: string): Json[] {
    const parts = new Set(words.split("_").map(singular));
    const table = [...this.#ids.keys()].find((name) => name.split("_").every((part) => parts.has(part)));
    return table === undefined ? [] : (this.#ids.get(table) ?? []);
  }

  #add(column: string, value: Json): void {
    const held = this.#columns.get(column) ?? [];
    if (held.length < MOST_VALUES && !held.includes(value)) held.push(value);
    this.#columns.set(column, held);
  }
}

/** The value as the parameter's type has it; none where it has no such form. */
function fitted(value: Json, type: unknown): Json[] {
  if (type === "string") return [String(value)];
  if (type === "integer" || type === "number") return Number.isFinite(Number(value)) ? [Number(value)] : [];
  return type === undefined ? [value] : [];
}

function wordOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[\s./-]+/g, "_")
    .toLowerCase();
}

function singular(word: string): string {
  return word.replace(/ies$/, "y").replace(/([^s])s$/, "$1");
}

/** Stores recorded calls as evidence of a surface, a trace a tool; undefined where nothing was recorded. */
export async function storeRecording(
  ctx: Ctx,
  calls: readonly Recorded[],
  of: { readonly surface: string; readonly commit: string },
): Promise<string | undefined> {
  if (calls.length === 0) return undefined;
  const traces = [...Map.groupBy(calls, ({ tool }) => tool)].map(([tool, made]) => ({
    id: `${of.surface} ${of.commit.slice(0, 12)} ${tool}`,
    messages: [
      { role: "user", content: `Calls of ${tool}, as the served version answers them.` },
      ...made.flatMap(({ args, text, isError }, i) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `c${i}`, type: "function", function: { name: tool, arguments: JSON.stringify(args) } }],
        },
        { role: "tool", tool_call_id: `c${i}`, content: text, is_error: isError },
      ]),
    ],
  }));
  const { doc } = await storeEvidence(ctx, once(JSON.stringify(traces)), {
    kind: "traces",
    format: "openai-chat",
    by: ctx.caller.name,
    surface: of.surface,
    origin: "pull",
    provenance: "synthetic",
  });
  return doc.id;
}

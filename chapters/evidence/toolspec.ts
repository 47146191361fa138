import { setImmediate } from "node:timers/promises";
import { parseResult } from "../../worlds/answers.ts";
import type { Json } from "../../worlds/json.ts";
import { isObject } from "../../worlds/json.ts";
import type { Ctx } from "../context.ts";
import { unprocessable } from "../errors.ts";
import type { CanonicalTrace } from "../records/evidence/evidence.ts";
import { evidenceOf } from "./evidence.ts";

/** Distinct values counted per parameter. */
const DISTINCT = 1000;
/** A parameter with at most this many values, each seen often, is closed. */
const CLOSED = 12;
const TIMES_EACH = 5;

/** Traces that one toolspec reads: of a record with more, as many evenly spread. */
const MOST_READ = 500;
/** Traces read at once: other callers have their turn between two batches. */
const BATCH = 50;

/** What was seen of a parameter: in how many calls, and each value as text with how often. */
interface Param {
  n: number;
  readonly types: Map<string, number>;
  readonly values: Map<string, number>;
  readonly formats: Map<string, number>;
  readonly from: Map<string, number>;
  min: number;
  max: number;
}

/** What was seen of a tool: its calls and its parameters by dotted path. */
export interface ObservedTool {
  calls: number;
  errors: number;
  readonly params: Map<string, Param>;
}

/** The observed values of each parameter: type, share, values, range, format and source results, from at most 500 traces (`read`). */
export async function evidenceToolspec(ctx: Ctx, input: { readonly eid: string }) {
  const doc = await evidenceOf(ctx, input.eid);
  if (doc.kind !== "traces")
    throw unprocessable("Only evidence of kind traces has calls. evidence_list with kind traces lists it.");
  const traces = await ctx.store.traces.count(doc.id);
  const { tools, read } = await sampledTools(ctx, doc.id, Math.max(traces, doc.stats.traces));
  return {
    id: doc.id,
    org: ctx.org.tag,
    traces,
    read,
    tier: "deterministic" as const,
    tools: [...tools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, tool]) => toolView(name, tool)),
  };
}

/** The tools that the traces of these evidence records call, with the values of their parameters. */
export async function observedTools(ctx: Ctx, evidence: readonly string[]): Promise<Map<string, ObservedTool>> {
  const tools = new Map<string, ObservedTool>();
  for await (const { trace } of ctx.store.traces.stream(evidence)) {
    ctx.signal.throwIfAborted();
    readTrace(trace, tools);
  }
  return tools;
}

/** The tools that some traces of a record call, at positions evenly spread below `places`; places that hold none are passed over. */
async function sampledTools(ctx: Ctx, evidence: string, places: number) {
  const step = Math.max(1, places / MOST_READ);
  const positions = Array.from({ length: Math.min(places, MOST_READ) }, (_, i) => Math.floor(i * step));
  const tools = new Map<string, ObservedTool>();
  let read = 0;
  for (let i = 0; i < positions.length; i += BATCH) {
    for (const { trace } of await ctx.store.traces.at(evidence, positions.slice(i, i + BATCH))) {
      readTrace(trace, tools);
      read += 1;
    }
    await setImmediate();
    ctx.signal.throwIfAborted();
  }
  return { tools, read };
}

function readTrace(trace: CanonicalTrace, tools: Map<string, ObservedTool>): void {
  const known = new Map<string, Set<string>>();
  for (const call of trace.calls) {
    const tool: ObservedTool = tools.get(call.tool) ?? { calls: 0, errors: 0, params: new Map() };
    tools.set(call.tool, tool);
    tool.calls++;
    if (call.answer_class.startsWith("error:") || call.answer_class === "refused") tool.errors++;
    const seen = new Set<string>();
    for (const [path, value] of leavesOf(call.args, "")) {
      const param: Param = tool.params.get(path) ?? {
        n: 0,
        types: new Map(),
        values: new Map(),
        formats: new Map(),
        from: new Map(),
        min: Infinity,
        max: -Infinity,
      };
      tool.params.set(path, param);
      if (!seen.has(path)) param.n++;
      seen.add(path);
      readValue(param, value);
      for (const origin of known.get(String(value)) ?? []) add(param.from, origin);
    }
    for (const [path, value] of leavesOf(parseResult((call.result ?? null) as Json).value, "")) {
      if (!traceable(value)) continue;
      const origins = known.get(String(value)) ?? new Set();
      origins.add(`${call.tool}:${path}`);
      known.set(String(value), origins);
    }
  }
}

/** Values so short that they agree by chance say nothing of where they came from. */
function traceable(value: unknown): boolean {
  return (typeof value === "string" && value.length >= 4) || (typeof value === "number" && Math.abs(value) >= 1000);
}

function* leavesOf(value: unknown, path: string): Generator<[path: string, value: unknown]> {
  if (Array.isArray(value)) for (const each of value) yield* leavesOf(each, `${path}[]`);
  else if (isObject(value))
    for (const [key, each] of Object.entries(value)) yield* leavesOf(each, path === "" ? key : `${path}.${key}`);
  else yield [path, value];
}

function readValue(param: Param, value: unknown): void {
  add(
    param.types,
    value === null ? "null" : typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value,
  );
  const text = String(value);
  if (param.values.size < DISTINCT || param.values.has(text)) add(param.values, text);
  if (typeof value === "number") {
    param.min = Math.min(param.min, value);
    param.max = Math.max(param.max, value);
  }
  if (typeof value === "string") add(param.formats, formatOf(value));
}

const FORMATS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["datetime", /^\d{4}-\d\d-\d\dT\d\d:\d\d/],
  ["date", /^\d{4}-\d\d-\d\d$/],
  ["time", /^\d\d:\d\d(?::\d\d)?$/],
  ["email", /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ["url", /^https?:\/\/\S+$/],
  ["uuid", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ["phone", /^\+?\d[\d ()-]{7,}\d$/],
  ["money", /^[$€£]\s?\d[\d,]*(?:\.\d\d)?$/],
  ["number", /^-?\d+(?:\.\d+)?$/],
  ["id", /^(?=.*\d)[#A-Za-z0-9][A-Za-z0-9_#:-]{2,40}$/],
];

function formatOf(value: string): string {
  return FORMATS.find(([, pattern]) => pattern.test(value))?.[0] ?? "text";
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function toolView(name: string, tool: ObservedTool) {
  return {
    tool: name,
    calls: tool.calls,
    errors: tool.errors,
    params: [...tool.params].map(([path, param]) => paramView(path, param, tool.calls)),
  };
}

function paramView(path: string, param: Param, calls: number) {
  const seen = [...param.values.values()].reduce((sum, n) => sum + n, 0);
  const closed = param.values.size <= CLOSED && seen >= param.values.size * TIMES_EACH;
  const [format, share] = most(param.formats);
  return {
    path,
    types: [...param.types.keys()].sort(),
    share: param.n / calls,
    n: param.n,
    distinct: param.values.size,
    ...(closed ? { values: [...param.values.keys()].sort() } : {}),
    ...(Number.isFinite(param.min) ? { range: [param.min, param.max] } : {}),
    ...(format !== undefined && share >= 0.9 ? { format } : {}),
    from: [...param.from]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 5)
      .map(([field, n]) => ({ field, n })),
  };
}

function most(counts: Map<string, number>): [name: string | undefined, share: number] {
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  return best ? [best[0], best[1] / total] : [undefined, 0];
}

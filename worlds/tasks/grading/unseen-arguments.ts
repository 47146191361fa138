import { canonicalJson } from "../../digest.ts";
import type { Json, JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import type { World } from "../../world-api.ts";
import type { Kit } from "../kit.ts";
import type { CallPattern, Script } from "../schema.ts";
import { refOf, resolveArgs, ScriptError } from "../script.ts";
import { playCall } from "../trial.ts";

/** How many other values of an argument are tried. */
const TRIED = 3;
/** Texts of so many words are prose: who says them otherwise has said them. */
const PROSE_WORDS = 4;

/** Every value that recorded calls gave to a tool's argument, by tool and argument, those of most calls first. */
export function givenValues(traces: readonly ObservedTrace[]): (tool: string, name: string) => readonly Json[] {
  const counts = new Map<string, Map<string, { readonly value: Json; n: number }>>();
  for (const { calls } of traces)
    for (const { tool, args, isError } of calls) {
      if (isError) continue;
      for (const [name, value] of Object.entries(args)) {
        const place = `${tool}\n${name}`;
        const values = counts.get(place) ?? new Map<string, { readonly value: Json; n: number }>();
        counts.set(place, values);
        const key = canonicalJson(value);
        const known = values.get(key);
        if (known) known.n += 1;
        else values.set(key, { value, n: 1 });
      }
    }
  return (tool, name) =>
    [...(counts.get(`${tool}\n${name}`)?.values() ?? [])].sort((a, b) => b.n - a.n).map(({ value }) => value);
}

/**
 * What calls are required to give that the world's state does not tell, in the writes of a script: an argument where
 * another value that sessions gave leaves the same difference, and the elements of a list where one of them alone does.
 */
export function unseenArguments(
  kit: Kit,
  script: Script,
  given: (tool: string, name: string) => readonly Json[],
): CallPattern[] {
  const right = endOf(kit.fork(), script.calls);
  if (right === undefined) return [];
  return script.calls.flatMap(({ tool, args }, at) => {
    if (kit.bundle.behaviours[tool]?.effect !== "write") return [];
    /** Which of other values for an argument leave the same difference; those that are refused are left out. */
    const endsAlike = (name: string, others: readonly Json[]) =>
      others.flatMap((other) => {
        const calls = script.calls.map((call, i) => (i === at ? { tool, args: { ...args, [name]: other } } : call));
        const end = endOf(kit.fork(), calls);
        return end === undefined ? [] : [end === right];
      });
    const alike = Object.entries(args).flatMap(([path, value]) => {
      if (value === null || typeof value === "object" || refOf(value) || isProse(value)) return [];
      const others = given(tool, path).filter((other) => other !== value && typeof other === typeof value);
      const ends = endsAlike(path, others.slice(0, TRIED));
      return ends.length > 0 ? [{ own: { path, op: "equals" as const, value }, unseen: !ends.includes(false) }] : [];
    });
    const unseen = alike.flatMap((one) => (one.unseen ? [one.own] : []));
    const deciding = alike.map(({ own }) => own);
    const lists = Object.entries(args).flatMap(([name, value]) => {
      const elements = elementsOf(value);
      const ends = endsAlike(
        name,
        elements.map((one) => [one]),
      );
      if (ends.length === 0 || ends.includes(false)) return [];
      return elements.map((value) => ({
        tool,
        args: [...deciding, { path: `${name}[*]`, op: "equals" as const, value }],
      }));
    });
    return [...(unseen.length > 0 ? [{ tool, args: unseen }] : []), ...lists];
  });
}

/** The plain elements of a list of several; none where a list holds anything else. */
function elementsOf(value: unknown): Json[] {
  const elements: Json[] = Array.isArray(value) ? [...new Set(value)] : [];
  const isPlain = elements.every((one) => typeof one !== "object" && !refOf(one) && !isProse(one));
  return isPlain && elements.length > 1 ? elements : [];
}

const isProse = (value: unknown): boolean =>
  typeof value === "string" && value.trim().split(/\s+/).length >= PROSE_WORDS;

/** What calls leave behind, as text; undefined where one fails or leads nowhere. */
export function endOf(world: World, calls: Script["calls"]): string | undefined {
  const results: Json[] = [];
  try {
    for (const { tool, args } of calls) {
      const call = playCall(world, tool, resolveArgs(args, results) as JsonObject);
      if (call.is_error) return undefined;
      results.push(call.answer as Json);
    }
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
  return canonicalJson(world.diff() as unknown as Json);
}

import type { Bundle } from "../bundle.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import type { World, WorldAnswer } from "../world-api.ts";
import { type Leaf, leaves } from "./leaves.ts";
import type { Random } from "./random.ts";
import { type Anchor, feedScore, type ToolView } from "./surface.ts";

/** How a read is fed from one row: each required parameter takes the value at a path of the row. Proven by calls that gave data. */
export interface Binding {
  readonly tool: string;
  readonly table: string;
  readonly sources: Readonly<Record<string, string>>;
  /** `row`: the answer is the row. `key`: the answer gives the row's key, from other attributes. `other`: anything else. */
  readonly gives: "row" | "key" | "list" | "other";
}

const TRIES = 6;
const COMBINATIONS = 24;

function combinations(options: readonly (readonly string[])[]): string[][] {
  let all: string[][] = [[]];
  for (const option of options) {
    all = all.flatMap((head) => option.map((one) => [...head, one])).slice(0, COMBINATIONS);
  }
  return all;
}

/** Arguments for a binding from a row; undefined when the row lacks a value. Of several values the n-th is taken. */
export function feed(binding: Pick<Binding, "sources">, anchor: Anchor, n = 0): JsonObject | undefined {
  const args: JsonObject = {};
  for (const [param, generic] of Object.entries(binding.sources)) {
    const fitting = anchor.leaves.filter(
      (leaf) => leaf.generic === generic && leaf.value !== null && leaf.value !== "",
    );
    const leaf = fitting[n % Math.max(1, fitting.length)];
    if (!leaf) return undefined;
    args[param] = leaf.value;
  }
  return args;
}

function classify(
  anchors: readonly { anchor: Anchor; answer: WorldAnswer }[],
  sources: Readonly<Record<string, string>>,
): Binding["gives"] {
  const votes = { row: 0, key: 0, list: 0, other: 0 };
  for (const { anchor, answer } of anchors) {
    if (Array.isArray(answer.value)) {
      votes.list += 1;
      continue;
    }
    const said = leaves(answer.value);
    const own = new Set(
      anchor.leaves.filter((l) => !l.generic.includes("@key")).map((l) => `${l.name}\u001f${String(l.value)}`),
    );
    const shared = said.filter((leaf) => own.has(`${leaf.name}\u001f${String(leaf.value)}`)).length;
    const keyed = Object.values(sources).some(
      (generic) => anchor.leaves.find((l) => l.generic === generic)?.value === anchor.key,
    );
    if (said.length > 2 && shared >= said.length * 0.6 && shared >= own.size * 0.3) votes.row += 1;
    else if (!keyed && (answer.value === anchor.key || said.some((leaf) => leaf.value === anchor.key))) votes.key += 1;
    else votes.other += 1;
  }
  return (Object.entries(votes) as [Binding["gives"], number][]).sort((a, b) => b[1] - a[1])[0]?.[0] ?? "other";
}

/** Every way to feed the reads from rows that was seen to give data; the best per tool and table. Reads only: the world stays as it is. */
export function findBindings(
  bundle: Bundle,
  tools: readonly ToolView[],
  anchors: ReadonlyMap<string, readonly Anchor[]>,
  world: World,
  rng: Random,
): Binding[] {
  const found: Binding[] = [];
  for (const view of tools) {
    if (view.effect !== "read") continue;
    const required = view.params.filter((p) => p.required);
    if (required.length === 0 || required.some((p) => p.type === "array" || p.type === "object")) continue;
    for (const [table, rows] of anchors) {
      if (rows.length === 0) continue;
      const sample = rng.fork(`${view.name} ${table}`).shuffled(rows).slice(0, TRIES);
      const options = required.map((param) => {
        const scored = new Map<string, number>();
        for (const anchor of sample) {
          for (const leaf of anchor.leaves) {
            const score = feedScore(bundle, view.name, param, table, leaf);
            if (score >= 2) scored.set(leaf.generic, Math.max(scored.get(leaf.generic) ?? 0, score));
          }
        }
        return [...scored].sort((a, b) => b[1] - a[1]).slice(0, 3);
      });
      if (options.some((o) => o.length === 0)) continue;
      let best:
        | { sources: Record<string, string>; rate: number; hits: { anchor: Anchor; answer: WorldAnswer }[] }
        | undefined;
      for (const choice of combinations(options.map((o) => o.map(([generic]) => generic)))) {
        const sources = Object.fromEntries(required.map((param, i) => [param.name, choice[i] as string]));
        const hits: { anchor: Anchor; answer: WorldAnswer }[] = [];
        let tried = 0;
        for (const anchor of sample) {
          const args = feed({ sources }, anchor);
          if (!args) continue;
          tried += 1;
          const answer = world.call(view.name, args);
          if (answer.answerClass === "data") hits.push({ anchor, answer });
        }
        const rate = tried === 0 ? 0 : hits.length / tried;
        if (hits.length > 0 && rate > (best?.rate ?? 0.3)) best = { sources, rate, hits };
      }
      if (best) found.push({ tool: view.name, table, sources: best.sources, gives: classify(best.hits, best.sources) });
    }
  }
  return found;
}

/** A reference that an answer holds to another read: its leaf feeds that read's only parameter, and gives data. */
export interface Hop {
  readonly from: string;
  readonly generic: string;
  readonly to: string;
  readonly param: string;
}

/** Whether a field tells how many: its figure names no row, though a row may be called so. */
export function isCount(name: string): boolean {
  return /(?:^|_)(?:count|total|quantity|amount|size|length)$|[a-z](?:Count|Total|Quantity|Amount|Size|Length)$/.test(
    name,
  );
}

/** The leaves of an answer that another read takes, by name, proven by a call. */
export function findHops(bundle: Bundle, from: string, answer: Json, tools: readonly ToolView[], world: World): Hop[] {
  const hops: Hop[] = [];
  const tried = new Set<string>();
  const said: readonly Leaf[] = isObject(answer) || Array.isArray(answer) ? leaves(answer) : [];
  for (const view of tools) {
    const required = view.params.filter((p) => p.required);
    const [param] = required;
    if (view.effect !== "read" || required.length !== 1 || !param || view.name === from) continue;
    for (const leaf of said) {
      if (leaf.value === null || isCount(leaf.name) || tried.has(`${view.name} ${leaf.generic}`)) continue;
      if (feedScore(bundle, view.name, param, "", leaf) < 2) continue;
      tried.add(`${view.name} ${leaf.generic}`);
      const next = world.call(view.name, { [param.name]: leaf.value });
      if (next.answerClass === "data") hops.push({ from, generic: leaf.generic, to: view.name, param: param.name });
    }
  }
  return hops;
}

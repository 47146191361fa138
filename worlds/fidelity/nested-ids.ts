import type { BaseState, TableModel } from "../bundle.ts";
import type { Call } from "../compile/observations.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";

/** Share of an argument's observed values that one place must hold to be where the argument's ids live. */
const SHARE = 0.8;

function idLike(value: Json): value is string {
  return typeof value === "string" && value.length <= 64 && /\d/.test(value);
}

/** Ids inside a row, each with its place: columns of nested objects, and keys of nested maps. */
function* idsIn(row: JsonObject, table: string): Generator<[place: string, id: string]> {
  for (const [column, value] of Object.entries(row)) yield* nestedIds(value, `${table}\u0000${column}`);
}

function* nestedIds(value: Json, place: string): Generator<[place: string, id: string]> {
  if (Array.isArray(value)) for (const item of value) yield* nestedIds(item, `${place}[]`);
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) {
      if (idLike(key)) yield [`${place}{}`, key];
      const inner = idLike(key) ? `${place}{}` : `${place}.${key}`;
      if (idLike(item)) yield [inner, item];
      else yield* nestedIds(item, inner);
    }
}

function* argumentIds(call: Pick<Call, "args">): Generator<[arg: string, id: string]> {
  for (const [arg, value] of Object.entries(call.args))
    for (const item of Array.isArray(value) ? value : [value]) if (idLike(item)) yield [arg, item];
}

/** Arguments whose values are ids of rows inside other rows, such as an order's lines: such an id names the row that holds it. */
export class NestedIds {
  private readonly held = new Map<string, Set<string>>();
  /** `tool\nargument` → the place that holds its ids. */
  private readonly places = new Map<string, string>();

  constructor(tables: readonly TableModel[], base: BaseState) {
    for (const { name } of tables)
      for (const row of Object.values(base.tables[name] ?? {}))
        for (const [place, id] of idsIn(row as JsonObject, name)) {
          const ids = this.held.get(place);
          if (ids) ids.add(id);
          else this.held.set(place, new Set([id]));
        }
  }

  /** Learns from successful calls where each argument's ids live; arguments in `known` name whole rows already. */
  learn(train: readonly Call[], known: ReadonlyMap<string, string>): void {
    const values = new Map<string, Set<string>>();
    for (const call of train) {
      if (!call.ok) continue;
      for (const [arg, id] of argumentIds(call)) {
        const name = `${call.tool}\n${arg}`;
        if (!known.has(name)) values.set(name, (values.get(name) ?? new Set()).add(id));
      }
    }
    for (const [name, ids] of values) {
      let best: { place: string; share: number } | undefined;
      for (const [place, held] of this.held) {
        const share = [...ids].filter((id) => held.has(id)).length / ids.size;
        if (share >= SHARE && (!best || share > best.share)) best = { place, share };
      }
      if (best && ids.size >= 2) this.places.set(name, best.place);
    }
  }

  /** Whether every id of a call's arguments stands in a row that evidence or the replay showed. */
  knows(call: Pick<Call, "tool" | "args">, seen: ReadonlySet<string>): boolean {
    for (const [arg, id] of argumentIds(call)) {
      const place = this.places.get(`${call.tool}\n${arg}`);
      if (place !== undefined && !this.held.get(place)?.has(id) && !seen.has(`${place}\n${id}`)) return false;
    }
    return true;
  }

  /** Remembers the ids inside a row that the replay showed. */
  remember(table: string, row: JsonObject, seen: Set<string>): void {
    for (const [place, id] of idsIn(row, table)) seen.add(`${place}\n${id}`);
  }
}

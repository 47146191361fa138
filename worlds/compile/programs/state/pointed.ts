import { getOwn, type JsonObject } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { arg, cell, type Expr, type Facts } from "../expressions/expr.ts";
import type { RowPath } from "./row-paths.ts";

/** Readings that show what a cell points at: their answers are rows under the value that the cell has. */
export interface Pointers {
  readonly paths: readonly RowPath[];
  /** What pointing cells hold before each call, as far as it is known. */
  readonly pointed: ReadonlyMap<Call, JsonObject>;
}

export const NO_POINTERS: Pointers = { paths: [], pointed: new Map() };

/** How a call leads to rows under the value of a cell: where the cell points, and where a path that it is given leads from there. */
export function pointing(args: JsonObject, name: string): { readonly id: string; readonly key: readonly Expr[] }[] {
  const out: { id: string; key: Expr[] }[] = [{ id: `cell ${name}`, key: [cell(name)] }];
  for (const [given, value] of Object.entries(args))
    if (typeof value === "string")
      out.push({ id: `from ${name} ${given}`, key: [{ op: "resolve", a: cell(name), b: arg(given) }] });
  return out;
}

/** The cell that a table's rows are keyed by the value of. */
export const pointerOf = (places: ReadonlyMap<string, readonly RowPath[]>, table: string): string | undefined => {
  for (const of of places.values())
    for (const rowPath of of) if (rowPath.table === table && rowPath.key.from === "cell") return rowPath.key.name;
  return undefined;
};

/** The facts before a call of which pointing cells are known. */
export const pointedFacts = (pointed: ReadonlyMap<Call, JsonObject>, call: Call): Facts => ({
  cells: new Map(Object.entries(pointed.get(call) ?? {})),
  tables: new Map(),
});

export const pointedAt = (pointed: ReadonlyMap<Call, JsonObject>, call: Call, name: string): string | undefined => {
  const value = getOwn(pointed.get(call) ?? {}, name);
  return typeof value === "string" ? value : undefined;
};

import type { Assignment } from "../behaviour/schema.ts";
import type { JsonObject } from "../json.ts";
import type { Term } from "./term.ts";
import { byText } from "./values.ts";

/** What a row's columns become; a list that was empty in every row seen is added to, since a call that lists its own item says nothing of others. */
export function assignments(solved: ReadonlyMap<string, Term>, rows: readonly JsonObject[]): Assignment[] {
  return [...solved]
    .map(([path, { cel }]): Assignment => {
      const empty = rows.every((row) => Array.isArray(row[path]) && row[path].length === 0);
      const item = empty && /^\w+$/.test(path) ? /^\[(\{.*\})\]$/.exec(cel)?.[1] : undefined;
      return item === undefined ? { path, op: "=", expr: cel } : { path, op: "append", expr: item };
    })
    .sort((a, b) => byText(a.path, b.path));
}

import type { Assignment } from "../../behaviour/schema.ts";
import type { Json, JsonObject } from "../../json.ts";
import { member, type Term } from "../conditions/term.ts";
import { byText } from "../values.ts";

/** Whether all known values are lists of texts that stand in their order. */
function inOrder(vals: readonly (Json | undefined)[]): boolean {
  const known = vals.filter((value) => value !== undefined);
  return (
    known.length > 0 &&
    known.every(
      (value) =>
        Array.isArray(value) &&
        value.every((item, i) => typeof item === "string" && (i === 0 || byText(value[i - 1] as string, item) <= 0)),
    )
  );
}

/** What a row's columns become; a list that was always empty before is appended to. */
export function assignments(solved: ReadonlyMap<string, Term>, rows: readonly JsonObject[]): Assignment[] {
  return [...solved]
    .map(([path, { cel, vals }]): Assignment => {
      // Lists that all were in order tell nothing of whether others are put in order.
      if (/^args\.\w+$/.test(cel) && inOrder(vals))
        return { path, op: "=", expr: `(${cel} == ${cel}.sort() ? ${cel} : not_served())` };
      const empty = rows.every((row) => Array.isArray(row[path]) && row[path].length === 0);
      const item = empty && /^\w+$/.test(path) ? /^\[(\{.*\})\]$/.exec(cel)?.[1] : undefined;
      // Nothing was there before: whether what is given takes its place or is added to it shows only where something is.
      const given = /^args\.(\w+)$/.exec(cel)?.[1];
      if (given !== undefined && given !== path && rows.length > 0 && rows.every((row) => row[path] === 0))
        return { path, op: "=", expr: `(${member("row", path)} == 0 ? ${cel} : not_served())` };
      return item === undefined ? { path, op: "=", expr: cel } : { path, op: "append", expr: item };
    })
    .sort((a, b) => byText(a.path, b.path));
}

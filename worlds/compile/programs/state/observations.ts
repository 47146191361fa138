import { getOwn, isObject, type JsonObject, setOwn } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { isScalar } from "../../values.ts";
import type { Expr } from "../expressions/expr.ts";
import type { Turns } from "../expressions/switches.ts";
import { pointedAt } from "./pointed.ts";
import { leavesOf, objectsIn, type RowPath, type Values, valuesOf } from "./row-paths.ts";

/** A row as an answer showed it. */
export interface RowObservation {
  readonly place: RowPath;
  readonly key: string;
  readonly columns: JsonObject;
  /** The row that it stands in, by its place. */
  readonly within: { readonly table: string; readonly key: string } | undefined;
}

/** What one answer shows of the system right after its call. */
export interface AnswerObservation {
  readonly cells: JsonObject;
  readonly rows: readonly RowObservation[];
}

/** Tools that only compute, and by act what each leaf of their answers is of the arguments. */
export interface Functions {
  readonly tools: ReadonlySet<string>;
  readonly leaves: ReadonlyMap<string, ReadonlyMap<string, Expr>>;
}

export const NO_FUNCTIONS: Functions = { tools: new Set(), leaves: new Map() };

/** What was found of how a service's answers show its state. */
export interface Layout {
  readonly paths: ReadonlyMap<string, readonly RowPath[]>;
  readonly readers: ReadonlySet<string>;
  /** Objects in answers that are values and have no fields. */
  readonly values: Values;
  /** Key columns by table. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** The table whose keys an argument holds, by tool and argument. */
  readonly refs: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Leaves that show nothing stored: they are computed, fixed, or another thing of the same name. */
  readonly derived: ReadonlySet<string>;
  /** Leaves among them that say how long the list of their name is, by tool and place. */
  readonly sizes: ReadonlyMap<string, readonly string[]>;
  /** What leaves that are derived follow from, by table and column; cells under the empty table. */
  readonly computed: ReadonlyMap<string, ReadonlyMap<string, Expr>>;
  /** Cells of leaves whose name is that of another thing elsewhere. */
  readonly own: ReadonlyMap<string, string>;
  /** Cells that a write's own answers say that it set, by tool and cell; with the two values that its calls switch. */
  readonly echoes: ReadonlyMap<string, Turns | undefined>;
  /** Cells that a call's ending tells, beside what its answer shows. */
  readonly tells: ReadonlyMap<Call, JsonObject>;
  /** Cells among them that are reasons for refusing and that no answer shows: true while calls are refused. */
  readonly reasons: ReadonlySet<string>;
  /** Columns that lists tell of all their rows without showing them, by call and place. */
  readonly listed: ReadonlyMap<Call, ReadonlyMap<string, JsonObject>>;
  /** What pointing cells hold before each call. */
  readonly pointed: ReadonlyMap<Call, JsonObject>;
  /** Leaves among them that are another value each time they are asked for. */
  readonly volatile: ReadonlySet<string>;
  /** Tools whose answers are computed from arguments alone. */
  readonly functions: Functions;
}

/** The name of a leaf of a place, as `derived` lists it. */
export const leafId = (tool: string, path: string, name: string): string => `${tool} ${path} ${name}`;

/** The column that a tool's whole answer is, where it is no object. */
export const WHOLE = "value";

function keyAtPath(
  rowPath: RowPath,
  object: JsonObject | undefined,
  call: Call,
  { pointed }: Pick<Layout, "pointed">,
): string | undefined {
  const { args } = call;
  if (rowPath.key.from === "cell") return pointedAt(pointed, call, rowPath.key.name);
  if (rowPath.key.from === "field") {
    const value = object && getOwn(object, rowPath.key.name);
    return isScalar(value) ? String(value) : undefined;
  }
  const parts = rowPath.key.names.map((name) => getOwn(args, name));
  return parts.every((part) => isScalar(part)) ? parts.map(String).join("\u001f") : undefined;
}

const known = new WeakMap<Layout, Map<Call, AnswerObservation>>();

/** Everything that an answer shows, by the layout: looked at once. */
export function observationOf(call: Call, layout: Layout): AnswerObservation {
  const of = known.get(layout) ?? new Map<Call, AnswerObservation>();
  if (of.size === 0) known.set(layout, of);
  let sights = of.get(call);
  if (!sights) {
    sights = lookAt(call, layout);
    of.set(call, sights);
  }
  return sights;
}

function lookAt(call: Call, layout: Layout): AnswerObservation {
  const cells: JsonObject = { ...layout.tells.get(call) };
  const rows: RowObservation[] = [];
  if (!call.ok || layout.functions.tools.has(call.tool)) return { cells, rows };
  const places = layout.paths.get(call.tool) ?? [];
  const at = new Map(places.map((rowPath) => [rowPath.path, rowPath]));
  const isPlace = (path: string): boolean => at.has(path);
  const root = at.get("$");
  const values = valuesOf(layout.values, call.tool);
  if (!isObject(call.value)) {
    if (root && root.key.from !== "field" && !(Array.isArray(call.value) && at.has("$[]"))) {
      const key = keyAtPath(root, undefined, call, layout);
      if (key !== undefined) rows.push({ place: root, key, columns: { [WHOLE]: call.value }, within: undefined });
    } else if (!root && !at.has("$[]") && layout.readers.has(call.tool)) setOwn(cells, call.tool, call.value);
  }
  for (const { path, object, around } of objectsIn(call.value, values)) {
    const place = at.get(path);
    if (place) {
      const key = keyAtPath(place, object, call, layout);
      if (key === undefined) continue;
      const implied = layout.listed.get(call)?.get(path);
      const columns = { ...implied, ...columnsOf(place, object, call, layout, isPlace) };
      rows.push({ place, key, columns, within: holder(around, at, call, layout) });
    } else if (path === "$")
      for (const [name, value] of leavesOf(object, isPlace, values)) {
        const leaf = leafId(call.tool, "$", name);
        if (!layout.derived.has(leaf)) setOwn(cells, layout.own.get(leaf) ?? name, value);
      }
  }
  return { cells, rows };
}

function holder(
  around: readonly { readonly path: string; readonly object: JsonObject }[],
  at: ReadonlyMap<string, RowPath>,
  call: Call,
  layout: Pick<Layout, "pointed">,
): RowObservation["within"] {
  for (const { path, object } of [...around].reverse()) {
    const place = at.get(path);
    const key = place && keyAtPath(place, object, call, layout);
    if (place && key !== undefined) return { table: place.table, key };
  }
  return undefined;
}

function columnsOf(
  rowPath: RowPath,
  object: JsonObject,
  call: Call,
  layout: Layout,
  isPlace: (path: string) => boolean,
): JsonObject {
  const out: JsonObject = {};
  const [keyColumn] = layout.tables.get(rowPath.table) ?? [];
  for (const [name, value] of leavesOf(object, isPlace, valuesOf(layout.values, call.tool), rowPath.path)) {
    if (rowPath.key.from === "field" && name === rowPath.key.name) {
      if (keyColumn !== undefined) setOwn(out, keyColumn, value);
    } else if (!layout.derived.has(leafId(call.tool, rowPath.path, name))) setOwn(out, name, value);
  }
  return out;
}

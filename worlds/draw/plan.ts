import type { BaseState, Bundle } from "../bundle.ts";
import type { Json, JsonObject } from "../json.ts";
import { findJoins, findMutuals, type Join, type Mutual, type Scalars, scalarsOf } from "./relations.ts";
import { poolOf } from "./renew.ts";
import { Telling } from "./telling.ts";
import { findEchoes, type Together, together } from "./together.ts";
import { findTotals } from "./totals.ts";

/** What a state's rows are drawn by. */
export interface Plan {
  readonly joins: readonly Join[];
  readonly mutuals: readonly Mutual[];
  readonly scalars: Scalars;
  /** How many rows hold each text. */
  readonly held: ReadonlyMap<string, number>;
  /** What tells observed rows apart: no drawn row has it in common with one. */
  readonly telling: Telling;
  /** References, and columns that repeat what they refer to, as table and path on two lines. */
  readonly joined: ReadonlySet<string>;
  /** Numbers that are sums of a list, as table and path on two lines. */
  readonly summed: ReadonlySet<string>;
  /** The values of each column, by table and path. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, readonly Json[]>>;
  together(table: string): Together;
  /** The elements of a list in all rows of a table. */
  pool(table: string, list: string): readonly Json[];
}

/** Reads from a state's rows what others are drawn by. */
export function planOf(bundle: Bundle, base: BaseState, seed: string): Plan {
  const scalars = scalarsOf(base);
  const joins = findJoins(bundle, base, scalars);
  const columns = new Map<string, Map<string, Json[]>>();
  for (const [table, rows] of scalars) {
    const own = new Map<string, Json[]>();
    columns.set(table, own);
    for (const all of rows.values())
      for (const { generic, value } of all) {
        const values = own.get(generic);
        if (values) values.push(value);
        else own.set(generic, [value]);
      }
  }
  const rowsOf = (table: string) => Object.values(base.tables[table] ?? {}) as JsonObject[];
  const pools = remembered((name) => {
    const [table = "", list = ""] = name.split("\n");
    return poolOf(rowsOf(table), list);
  });
  const summed = Object.keys(base.tables).flatMap((table) =>
    findTotals(rowsOf(table)).map(({ column }) => `${table}\n${column}`),
  );
  return {
    joins,
    mutuals: findMutuals(joins, scalars),
    scalars,
    held: rowCountByText(scalars),
    telling: new Telling(base, joins, scalars),
    joined: new Set([...joins.map(({ table, generic }) => `${table}\n${generic}`), ...findEchoes(base, joins).keys()]),
    summed: new Set(summed),
    columns,
    together: remembered((table) => together(rowsOf(table), `${seed} ${table}`)),
    pool: (table, list) => pools(`${table}\n${list}`),
  };
}

/** A function of a name that is asked once of each. */
function remembered<T>(of: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const value = known.get(name) ?? of(name);
    known.set(name, value);
    return value;
  };
}

function rowCountByText(scalars: Scalars): Map<string, number> {
  const held = new Map<string, number>();
  for (const rows of scalars.values()) {
    for (const all of rows.values()) {
      for (const value of new Set(all.map((l) => l.value)))
        if (typeof value === "string") held.set(value, (held.get(value) ?? 0) + 1);
    }
  }
  return held;
}

import type { BaseState, Bundle } from "../bundle.ts";
import type { JsonObject } from "../json.ts";
import { type Leaf, leaves } from "../tasks/leaves.ts";

/** A column whose values are keys of a table. `share` of its values are keys of rows that are there. */
export interface Join {
  readonly table: string;
  readonly generic: string;
  readonly to: string;
  readonly share: number;
}

/**
 * Two joins that say the same of a pair of rows: the owner lists its parts, or names its only one, and each part names
 * its owner. Of two tables that name each other one to one, the owner is the one that is listed itself, then that with more
 * such parts, then with more rows.
 */
export interface Mutual {
  readonly parent: string;
  readonly list: string;
  readonly part: string;
  readonly back: string;
}

const LEAST = 3;
const ENOUGH = 0.5;

/** The scalars of every row, by table and key. */
export type Scalars = ReadonlyMap<string, ReadonlyMap<string, readonly Leaf[]>>;

/** Reads the scalars of all rows once. */
export function scalarsOf(base: BaseState): Scalars {
  return new Map(
    Object.entries(base.tables).map(([table, rows]) => [
      table,
      new Map(Object.entries(rows).map(([key, row]) => [key, leaves(row as JsonObject, 500)])),
    ]),
  );
}

/** The joins that the rows show: declared by the bundle, or at least half of three or more distinct values are keys of one other table. */
export function findJoins(bundle: Bundle, base: BaseState, scalars: Scalars): Join[] {
  const joins: Join[] = [];
  for (const [table, rows] of scalars) {
    const columns = new Map<string, Set<string>>();
    for (const all of rows.values()) {
      for (const leaf of all) {
        if (typeof leaf.value !== "string") continue;
        const values = columns.get(leaf.generic) ?? new Set();
        values.add(leaf.value);
        columns.set(leaf.generic, values);
      }
    }
    const declared = new Map(
      bundle.tables
        .find((t) => t.name === table)
        ?.columns.flatMap((c) => (c.refers_to ? [[c.name, c.refers_to.table] as const] : [])),
    );
    for (const [generic, values] of columns) {
      for (const [to, targets] of Object.entries(base.tables)) {
        if (to === table) continue;
        const known = [...values].filter((v) => Object.hasOwn(targets, v)).length;
        const share = known / values.size;
        const said = declared.get(generic) === to || declared.get(generic.replace("[*]", "")) === to;
        if ((said && known > 0) || (values.size >= LEAST && known >= LEAST && share >= ENOUGH))
          joins.push({ table, generic, to, share });
      }
    }
  }
  return joins;
}

/** The pairs of joins that hold each other up, on all rows where both ends are there. */
export function findMutuals(joins: readonly Join[], scalars: Scalars): Mutual[] {
  const found: Mutual[] = [];
  for (const list of joins) {
    if (!list.generic.includes("[*]") && !isOneToOne(list, scalars)) continue;
    for (const back of joins) {
      if (back.table !== list.to || back.to !== list.table || back.generic.includes("[*]")) continue;
      let pairs = 0;
      let held = 0;
      for (const [owner, all] of scalars.get(list.table) ?? []) {
        for (const leaf of all) {
          if (leaf.generic !== list.generic) continue;
          const part = scalars.get(list.to)?.get(String(leaf.value));
          const named = part?.find((l) => l.generic === back.generic);
          if (!named) continue;
          pairs += 1;
          if (named.value === owner) held += 1;
        }
      }
      if (pairs >= LEAST && held >= pairs * 0.9)
        found.push({ parent: list.table, list: list.generic, part: list.to, back: back.generic });
    }
  }
  const partners = (table: string) => found.filter(({ parent }) => parent === table).length;
  const listed = (table: string) => found.filter(({ part, list }) => part === table && list.includes("[*]")).length;
  const rank = (table: string) => [listed(table), partners(table), scalars.get(table)?.size ?? 0, table] as const;
  return found.filter(({ parent, part, list }) => {
    if (list.includes("[*]") || !found.some((other) => other.parent === part && other.part === parent)) return true;
    const [own, other] = [rank(parent), rank(part)];
    const at = own.findIndex((value, i) => value !== other[i]);
    return (own[at] ?? 0) > (other[at] ?? 0);
  });
}

/** Whether no two rows name the same row by a column. */
function isOneToOne({ table, generic }: Join, scalars: Scalars): boolean {
  const named = new Set<unknown>();
  for (const all of scalars.get(table)?.values() ?? [])
    for (const leaf of all) {
      if (leaf.generic !== generic || leaf.value === null) continue;
      if (named.has(leaf.value)) return false;
      named.add(leaf.value);
    }
  return true;
}

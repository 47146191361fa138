import type { BaseState } from "../bundle.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { leaves } from "../tasks/leaves.ts";
import { type Random, random } from "../tasks/random.ts";
import { elements, readPath } from "../tasks/select.ts";
import { findOrders } from "./orders.ts";
import type { Join } from "./relations.ts";
import { findSums, near, type Sum, sumOf } from "./totals.ts";

/** Which columns of a table's rows go together, as far as rows show it. */
export interface Together {
  /** The columns in groups that are drawn from one row each. */
  readonly groups: readonly (readonly string[])[];
  /** What lists add up to, the most certain first. */
  readonly sums: readonly Sum[];
  /** Lists whose elements say nothing of each other: each may be another row's. */
  readonly loose: ReadonlySet<string>;
}

/** Rows of fewer than these show nothing. */
const LEAST = 4;
/** Share of rows in which two columns hold the same value. */
const SHARED = 0.5;
/** Rows looked at for what goes together. */
const MOST = 400;
/** How much of a column another has to tell, and how often at most chance may tell as much. */
const TELLS = 0.15;
const SHUFFLES = 60;
const LEAST_FOR_CHANCE = 10;

/** Finds what goes together: totals, orders of dates, values in two columns, and columns that tell each other more than chance does. */
export function together(all: readonly JsonObject[], seed: string): Together {
  const rows = all.slice(0, MOST);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].sort();
  const group = new Map(columns.map((column) => [column, column]));
  const rootOf = (column: string): string => {
    const parent = group.get(column) ?? column;
    return parent === column ? column : rootOf(parent);
  };
  const tie = (a: string, b: string) => group.set(rootOf(a), rootOf(b));
  const top = (path: string) => /^[^.[]+/.exec(path)?.[0] ?? path;
  const sums = rows.length < LEAST ? [] : findSums(rows);
  for (const sum of sums) for (const column of columns) if (holdsSum(rows, sum, column)) tie(column, sum.list);
  for (const { before, after } of findOrders(rows)) tie(top(before), top(after));
  for (const [a, b] of sharing(rows, columns)) tie(a, b);
  const bins = columns.map((column) =>
    features(rows.map((row) => row[column] ?? null)).flatMap((one) => binned(one) ?? []),
  );
  const rng = random(`together ${seed}`);
  if (rows.length >= LEAST_FOR_CHANCE)
    columns.forEach((a, i) => {
      for (let j = i + 1; j < columns.length; j += 1) {
        const b = columns[j] as string;
        if (rootOf(a) !== rootOf(b) && bins[i]?.some((x) => bins[j]?.some((y) => tellsMore(x, y, rng)))) tie(a, b);
      }
    });
  const groups = new Map<string, string[]>();
  for (const column of columns) groups.set(rootOf(column), [...(groups.get(rootOf(column)) ?? []), column]);
  return {
    groups: [...groups.values()],
    sums,
    loose: looseOf(rows, sums),
  };
}

const looseOf = (rows: readonly JsonObject[], sums: readonly Sum[]) =>
  new Set(sums.map(({ list }) => list).filter((list) => !chained(rows, list)));

/** Lists whose elements say nothing of each other, such as what an order is of. */
export function findLoose(all: readonly JsonObject[]): ReadonlySet<string> {
  const rows = all.slice(0, MOST);
  return rows.length < LEAST ? new Set() : looseOf(rows, findSums(rows));
}

/** Whether a column holds a list's sum in most rows. */
function holdsSum(rows: readonly JsonObject[], sum: Sum, column: string): boolean {
  if (column === sum.list) return false;
  const full = rows.filter((row) => elements(row[sum.list] ?? null).length > 0 && row[column] !== undefined);
  const held = full.filter((row) => {
    const total = sumOf(row, sum);
    return leaves({ value: row[column] ?? null }).some(
      ({ value }) => typeof value === "number" && total !== undefined && near(value, total),
    );
  });
  return full.length >= LEAST && held.length >= SHARED * full.length;
}

/** The texts and amounts of a column's value that are worth a comparison. */
function words(value: Json): Set<string> {
  return new Set(
    leaves({ value }, 50).flatMap(({ value: leaf }) =>
      (typeof leaf === "string" && leaf.length >= 3) || (typeof leaf === "number" && String(leaf).length >= 4)
        ? [String(leaf)]
        : [],
    ),
  );
}

/** Columns that mostly repeat what the row they refer to says, as table and column on two lines, with the paths of such references. */
export function findEchoes(base: BaseState, joins: readonly Join[]): Map<string, readonly Join[]> {
  const found = new Map<string, readonly Join[]>();
  for (const join of joins) {
    const { table, generic, to } = join;
    if (generic.includes("[*]")) continue;
    const pairs = Object.values(base.tables[table] ?? {})
      .slice(0, MOST)
      .flatMap((row): { row: JsonObject; said: Set<string> }[] => {
        const [key] = readPath(row as Json, generic);
        const target = base.tables[to]?.[String(key)];
        return target ? [{ row: row as JsonObject, said: words(target as Json) }] : [];
      });
    const columns = new Set(pairs.flatMap(({ row }) => Object.keys(row)));
    for (const column of columns) {
      if (generic === column) continue;
      const held = pairs
        .map(({ row, said }) => ({ own: words(row[column] ?? null), said }))
        .filter(({ own }) => own.size > 0);
      const same = held.filter(({ own, said }) => [...own].some((word) => said.has(word)));
      if (held.length >= LEAST && same.length >= SHARED * held.length) {
        const name = `${table}\n${column}`;
        found.set(name, [...(found.get(name) ?? []), join]);
      }
    }
  }
  return found;
}

/** Pairs of columns that hold the same in most rows, and not the same in all. */
function sharing(rows: readonly JsonObject[], columns: readonly string[]): [string, string][] {
  const common = new Map<string, number>();
  const held = rows.map((row) => new Map(columns.map((column) => [column, words(row[column] ?? null)] as const)));
  for (const row of held)
    for (const word of new Set([...row.values()].flatMap((all) => [...all])))
      common.set(word, (common.get(word) ?? 0) + 1);
  const own = (word: string) => (common.get(word) ?? 0) * 2 <= rows.length;
  return columns.flatMap((a, i) =>
    columns.slice(i + 1).flatMap((b): [string, string][] => {
      let both = 0;
      let same = 0;
      for (const row of held) {
        const [x, y] = [row.get(a), row.get(b)];
        if (!x?.size || !y?.size) continue;
        both += 1;
        if ([...x].some((word) => y.has(word) && own(word))) same += 1;
      }
      return both >= LEAST && same >= SHARED * both ? [[a, b]] : [];
    }),
  );
}

/** Whether elements of a list hold each other's values, as the legs of a way do. */
function chained(rows: readonly JsonObject[], list: string): boolean {
  const long = rows.map((row) => elements(row[list] ?? null)).filter((all) => all.length > 1);
  const linked = long.filter((all) => {
    const seen = new Map<string, string>();
    return all.some((element) =>
      leaves(element).some(({ value, generic }) => {
        if (typeof value !== "string" || value.length < 3) return false;
        const before = seen.get(value);
        seen.set(value, generic);
        return before !== undefined && before !== generic;
      }),
    );
  });
  return linked.length * 2 > long.length;
}

const MOST_KINDS = 12;

/** What of a column's values is compared: the values; of lists how long they are, and what their elements' numbers add up to. */
function features(values: readonly Json[]): Json[][] {
  if (!values.some(Array.isArray)) return [[...values]];
  const lists = values.map((value) => (Array.isArray(value) ? value : []));
  const fields = new Set(
    lists
      .flat()
      .flatMap((item) => (isObject(item) ? Object.keys(item).filter((field) => typeof item[field] === "number") : [])),
  );
  const sums = [...fields].sort().map((field) => lists.map((list) => totalOf(list, field)));
  return [lists.map((list) => list.length), ...sums];
}

const totalOf = (list: readonly Json[], field: string): number =>
  list.reduce<number>((sum, item) => sum + (isObject(item) && typeof item[field] === "number" ? item[field] : 0), 0);

/** A column's values as a few kinds; undefined where they are not of few kinds. */
function binned(values: readonly Json[]): [readonly string[]] | undefined {
  const amounts = values.filter((value) => typeof value === "number").sort((a, b) => a - b);
  const kinds = values.map((value) => {
    if (typeof value === "number" && new Set(amounts).size > MOST_KINDS) {
      const low = amounts[Math.floor(amounts.length / 3)] ?? 0;
      const high = amounts[Math.floor((2 * amounts.length) / 3)] ?? 0;
      return value < low ? "low" : value < high ? "middle" : "high";
    }
    return value !== null && typeof value === "object" ? "some" : String(value);
  });
  const n = new Set(kinds).size;
  return n < 2 || n > MOST_KINDS || n * 3 > values.length ? undefined : [kinds];
}

/** Whether one column tells of another what no shuffling of it does. */
function tellsMore(a: readonly string[], b: readonly string[], rng: Random): boolean {
  const least = Math.min(entropy(a), entropy(b));
  const told = (of: readonly string[]) =>
    (entropy(of) + entropy(b) - entropy(of.map((x, i) => `${x}\n${b[i]}`))) / least;
  const seen = told(a);
  if (seen < TELLS) return false;
  for (let i = 0; i < SHUFFLES; i += 1) if (told(rng.shuffled(a)) >= seen) return false;
  return true;
}

function entropy(kinds: readonly string[]): number {
  const n = new Map<string, number>();
  for (const kind of kinds) n.set(kind, (n.get(kind) ?? 0) + 1);
  let sum = 0;
  for (const count of n.values()) sum -= (count / kinds.length) * Math.log2(count / kinds.length);
  return sum;
}

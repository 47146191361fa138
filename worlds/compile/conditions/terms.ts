import { isObject, type Json, type JsonObject } from "../../json.ts";
import { isDataMap } from "../tables/entities.ts";
import { addMatches, addPicked } from "../tables/nested-rows.ts";
import { isScalar, joinKey, same } from "../values.ts";
import { found, type KeyedTable, type Lookup, lineTotals, member, sum, type Term, tidy } from "./term.ts";

const MAX_TERMS = 900;
/** A sum over a whole argument list: it says nothing of one element of a list. */
const SUM = /^args\.\w+\.map\(x\d, .*\.sum\(\)$/;

/** The terms that a set of examples offers: arguments, the row, rows joined to them, and, inside a list, its element. */
export class Env {
  readonly n: number;
  readonly terms: Term[] = [];
  /** How many list levels deep: names the element variable. */
  readonly depth: number;
  /** Share of disagreeing examples that a term may have. */
  tolerance = 0;
  /** Which examples ask the same: a value that only one question shows is no rule. */
  groups: readonly number[] = [];
  private aggregated = false;
  private readonly elements = new Map<
    string,
    { env: Env; exampleOf: readonly number[]; lists: readonly (readonly Json[])[]; terms: number }
  >();
  /** How many terms each table and each map was joined with, and below which cost. */
  private readonly joined = new Map<KeyedTable | Term, { readonly terms: number; readonly cost: number }>();
  private readonly tables: readonly KeyedTable[];
  private readonly lookup: Lookup;
  private readonly known = new Set<string>();

  constructor(n: number, tables: readonly KeyedTable[], lookup: Lookup, depth = 0) {
    this.n = n;
    this.tables = tables;
    this.lookup = lookup;
    this.depth = depth;
  }

  /** Adds a value and everything inside it: columns, nested objects, list sizes and sums. */
  add(cel: string, vals: readonly (Json | undefined)[], cost: number, table?: KeyedTable): void {
    if (this.known.has(cel) || this.terms.length >= MAX_TERMS) return;
    this.known.add(cel);
    this.terms.push({ cel, vals, cost });
    const objects = vals.filter(isObject);
    const lists = vals.filter((value) => Array.isArray(value));
    if (objects.length > 0 && !isDataMap(objects)) this.addColumns(cel, vals, objects, cost, table);
    if (lists.length > 0) this.addList(cel, vals, lists, cost);
  }

  /** Adds an object with all of its columns, however few of the examples have them. */
  open(cel: string, vals: readonly (Json | undefined)[], cost: number): void {
    this.add(cel, vals, cost);
    for (const key of new Set(vals.filter(isObject).flatMap((object) => Object.keys(object))))
      this.add(
        member(cel, key),
        vals.map((value) =>
          value === undefined ? undefined : isObject(value) ? ((value[key] ?? null) as Json) : null,
        ),
        cost + 0.2,
      );
  }

  private addColumns(
    cel: string,
    vals: readonly (Json | undefined)[],
    objects: readonly JsonObject[],
    cost: number,
    table?: KeyedTable,
  ): void {
    const counts = new Map<string, number>();
    for (const object of objects) for (const key of Object.keys(object)) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const [key, n] of counts) {
      if (n < objects.length * (cost > 2 ? 0.3 : 0.05)) continue;
      const absent = table?.always?.has(key) ? undefined : null;
      const column = member(cel, key);
      const patchy = table?.patchy?.has(key) ?? false;
      const nullable = patchy && objects.some((object) => object[key] === null);
      this.add(
        nullable ? `(has(${column}) ? ${column} : not_served())` : patchy ? `known(${column})` : column,
        vals.map((value) =>
          value === undefined
            ? undefined
            : isObject(value)
              ? Object.hasOwn(value, key)
                ? (value[key] as Json)
                : absent
              : null,
        ),
        cost + (patchy ? 0.4 : 0.2),
      );
    }
  }

  private addList(cel: string, vals: readonly (Json | undefined)[], lists: readonly Json[][], cost: number): void {
    const each = (f: (list: Json[]) => Json) =>
      vals.map((value) => (value === undefined ? undefined : Array.isArray(value) ? f(value) : null));
    const all =
      lists.every((list) => Array.isArray(list)) && vals.every((value) => value === undefined || Array.isArray(value));
    if (!all) return;
    this.add(
      `size(${cel})`,
      each((list) => list.length),
      cost + 0.5,
    );
    const items = lists.flat();
    if (items.length === 0) return;
    if (items.every((item) => typeof item === "number"))
      this.add(
        `${cel}.sum()`,
        each((list) => sum(list)),
        cost + 0.6,
      );
    if (cel.startsWith("args.") && items.every(isScalar)) {
      this.add(
        `${cel}.first()`,
        each((list) => list[0] as Json),
        cost + 1.4,
      );
      this.add(
        `${cel}.last()`,
        each((list) => list.at(-1) as Json),
        cost + 1.4,
      );
    }
    if (!items.every(isObject)) return;
    const columns = Object.keys(items[0] as JsonObject).filter((key) =>
      items.every((item) => Object.hasOwn(item, key)),
    );
    const v = `v${this.depth}`;
    for (const key of columns) {
      if (items.some((item) => isObject(item[key]))) continue;
      this.add(
        `${cel}.map(${v}, ${member(v, key)})`,
        each((list) => list.map((item) => (item as JsonObject)[key] as Json)),
        cost + 0.6,
      );
    }
    for (const [term, of] of lineTotals(cel, columns, items, v)) this.add(term, each(of), cost + 0.8);
    if (lists.every((list) => list.length > 0))
      this.add(
        `${cel}[0]`,
        each((list) => list[0] as Json),
        cost + 1.6,
      );
  }

  /** Adds the rows that scalars name (`find`), and the entries of data maps that scalars name (`get`). */
  join(maxCost = 5): void {
    for (const table of this.tables) {
      if (table.key.length === 1) for (const term of this.scalarsFor(table, maxCost)) this.joinOne(table, [term]);
      else this.joinByKeyParts(table);
    }
    for (const map of this.terms.filter((term) => term.cost < maxCost && term.vals.some(isObject)))
      for (const term of this.scalarsFor(map, maxCost)) {
        if (term.cost >= 4) continue;
        let asked = 0;
        let hits = 0;
        for (let i = 0; i < this.n; i++) {
          const object = map.vals[i];
          const key = term.vals[i];
          if (typeof key !== "string" || !isObject(object)) continue;
          asked++;
          if (Object.hasOwn(object, key)) hits++;
        }
        if (hits === 0 || hits < asked * 0.5) continue;
        const vals = map.vals.map((object, i) => {
          const key = term.vals[i];
          if (object === undefined || key === undefined) return undefined;
          return isObject(object) && typeof key === "string" && Object.hasOwn(object, key)
            ? (object[key] as Json)
            : null;
        });
        if (this.terms.some((other) => other.vals.some(isObject) && other.vals.every((value, i) => value === vals[i])))
          continue;
        this.add(`${map.cel}.get(${term.cel})`, vals, map.cost + (namesOne(map, term) ? 0.1 : term.cost + 0.2));
      }
  }

  /** The terms with texts that a table or a map was not joined with before: a pair once tried gives nothing new. */
  private scalarsFor(joins: KeyedTable | Term, maxCost: number): Term[] {
    const before = this.joined.get(joins) ?? { terms: 0, cost: 0 };
    this.joined.set(joins, { terms: this.terms.length, cost: maxCost });
    return this.terms.filter(
      ({ cost, vals }, i) =>
        cost < maxCost && (i >= before.terms || cost >= before.cost) && vals.some((value) => typeof value === "string"),
    );
  }

  private joinByKeyParts(table: KeyedTable): void {
    const parents = new Map<string, Map<string, Term>>();
    for (const term of this.terms) {
      const cut = term.cel.lastIndexOf(".");
      const column = term.cel.slice(cut + 1);
      if (cut < 0 || !table.key.includes(column) || term.cel.includes("(")) continue;
      const columns = parents.get(term.cel.slice(0, cut)) ?? new Map<string, Term>();
      columns.set(column, term);
      parents.set(term.cel.slice(0, cut), columns);
    }
    for (const columns of parents.values()) {
      const parts = table.key.map((column) => columns.get(column));
      if (parts.every((part) => part !== undefined)) this.joinOne(table, parts);
    }
  }

  private joinOne(table: KeyedTable, parts: readonly Term[]): void {
    const vals = Array.from({ length: this.n }, (_, i) => {
      const values = parts.map((part) => part.vals[i]);
      return values.every(isScalar) ? this.lookup(i, table.name, joinKey(values)) : undefined;
    });
    const hits = vals.filter((value) => value !== undefined).length;
    if (hits < Math.max(1, this.n * 0.15)) return;
    const probes = vals.flatMap((value, i) => (value === undefined ? [] : [i])).slice(0, 4);
    const isTwin = (term: Term) =>
      probes.every((i) => isObject(term.vals[i]) && same(term.vals[i], vals[i])) &&
      vals.every((value, i) => value === undefined || term.vals[i] === value || same(term.vals[i], value));
    if (this.terms.some(isTwin)) return;
    const cost = parts.reduce((total, part) => total + part.cost, 0.8);
    this.add(found(table.name, parts), vals, cost, table);
  }

  /** The environment of a list term's elements, made once while the terms stay as they are; examples without a list have no elements. */
  each(
    list: Term,
    variable: string,
  ): { readonly env: Env; readonly exampleOf: readonly number[]; readonly lists: readonly (readonly Json[])[] } {
    const id = `${variable}\n${list.cel}\n${this.tolerance}`;
    const held = this.elements.get(id);
    if (held?.terms === this.terms.length) return held;
    const lists = list.vals.map((value) => (Array.isArray(value) ? value : []));
    const made = { ...this.inside(lists, variable), lists, terms: this.terms.length };
    this.elements.set(id, made);
    return made;
  }

  /** The environment of a list's elements, flattened over the examples: outer terms stay visible, `variable` is the element. */
  inside(lists: readonly (readonly Json[])[], variable: string): { env: Env; exampleOf: number[] } {
    const exampleOf = lists.flatMap((list, i) => list.map(() => i));
    const env = new Env(
      exampleOf.length,
      this.tables,
      (e, table, key) => this.lookup(exampleOf[e] as number, table, key),
      this.depth + 1,
    );
    env.tolerance = this.tolerance;
    env.groups = exampleOf.map((i) => this.groups[i] ?? i);
    env.add(variable, lists.flat() as Json[], 0.4);
    // Where no list has a second element, its first one and each of its elements are the same: each is the rule.
    const single = lists.every((list) => list.length <= 1);
    for (const term of this.terms)
      if (!SUM.test(term.cel) && (!single || !/\bargs\.\w+\.(first|last)\(\)/.test(term.cel)))
        env.terms.push({ cel: term.cel, cost: term.cost, vals: exampleOf.map((i) => term.vals[i]) });
    env.parallel(lists, exampleOf, variable);
    env.join();
    addMatches(env, variable);
    env.join(6);
    env.join(6);
    return { env, exampleOf };
  }

  /** Adds sums over elements of argument lists, through rows that they name. Returns whether anything is new. */
  aggregate(): boolean {
    if (this.aggregated || this.depth > 0) return false;
    this.aggregated = true;
    const before = this.terms.length;
    const lists = this.terms.filter(
      (term) =>
        term.cel.startsWith("args.") &&
        !term.cel.includes("(") &&
        term.vals.some((value) => Array.isArray(value) && value.length > 0) &&
        term.vals.every((value) => value === undefined || value === null || Array.isArray(value)),
    );
    const sums: [cel: string, vals: (number | undefined)[], cost: number][] = [];
    for (const list of lists) {
      const variable = `x${this.depth}`;
      const { env, exampleOf: owner } = this.each(list, variable);
      const seen = new Set<string>();
      for (const term of env.terms) {
        if (
          !term.cel.includes(variable) ||
          term.cost > 9 ||
          !term.vals.some((value) => typeof value === "number") ||
          !term.vals.every((value) => value === undefined || value === null || typeof value === "number")
        )
          continue;
        const text = term.vals.map(String).join();
        if (seen.has(text)) continue;
        seen.add(text);
        const vals: (number | undefined)[] = list.vals.map((value) => (Array.isArray(value) ? 0 : undefined));
        term.vals.forEach((value, e) => {
          const i = owner[e] as number;
          const soFar = vals[i];
          vals[i] = typeof value !== "number" || soFar === undefined ? undefined : tidy(soFar + value);
        });
        sums.push([`${list.cel}.map(${variable}, ${term.cel}).sum()`, vals, list.cost + term.cost * 0.4 + 0.6]);
      }
    }
    for (const [cel, vals, cost] of sums) this.add(cel, vals, cost);
    return this.terms.length > before;
  }

  /** For two argument lists of one length: what stands in the second where the element's value stands in the first. */
  private parallel(lists: readonly (readonly Json[])[], owner: readonly number[], variable: string): void {
    const candidates = this.terms.filter(
      (term) =>
        term.cel.startsWith("args.") && term.vals.every((value) => Array.isArray(value) && value.every(isScalar)),
    );
    const inner = this.terms.filter(
      (term) => (term.cel === variable || term.cel.startsWith(`${variable}.`)) && term.vals.every(isScalar),
    );
    if (lists.length === 0 || owner.length === 0) return;
    for (const from of candidates)
      for (const to of candidates) {
        if (from === to) continue;
        for (const term of inner) {
          const vals = term.vals.map((value, i): Json | undefined => {
            const index = (from.vals[i] as Json[]).indexOf(value as Json);
            return index < 0 ? null : (((to.vals[i] as Json[])[index] ?? null) as Json);
          });
          if (vals.some((value) => value !== null))
            this.add(`${to.cel}.get(${from.cel}.indexOf(${term.cel}))`, vals, from.cost + to.cost + term.cost);
        }
      }
  }

  /** Adds nested rows that a scalar names: the first item of a list that holds it in a column. */
  pick(): void {
    addPicked(this);
  }
}

/** Whether an argument always was the name of one and the same entry: it names the entry, though no example shows another. */
function namesOne(map: Term, term: Term): boolean {
  if (!/^args\.\w+$/.test(term.cel)) return false;
  const names = new Set(term.vals.filter((value) => typeof value === "string"));
  const [name] = names;
  return names.size === 1 && map.vals.every((object) => !isObject(object) || Object.hasOwn(object, name as string));
}

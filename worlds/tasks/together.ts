import { isObject, type Json, type JsonObject } from "../json.ts";
import type { Kit } from "./kit.ts";
import type { FinishedTrial } from "./schema.ts";

/** What held between the parts of nearly every row of a table: it belongs together, and a change keeps it. */
interface Bond {
  readonly list: string;
  /**
   * `first`: a column is its list's first element's field. `some`: some element's. `chain`: each element begins
   * with a field where the one before ended with another. `order`: a field never falls.
   */
  readonly kind: "first" | "some" | "chain" | "order";
  readonly a: string;
  readonly b: string;
}

const LEAST_ROWS = 5;
const HOLDS = 0.98;
const MOST_ROWS = 2_000;

const scalar = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number";

function elements(row: JsonObject, list: string): JsonObject[] {
  const value = row[list];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Whether a bond holds of a row; undefined where the row does not tell. */
function holds(bond: Bond, row: JsonObject): boolean | undefined {
  const all = elements(row, bond.list);
  const values = all.map((element) => element[bond.b]);
  if (bond.kind === "first" || bond.kind === "some") {
    const own = row[bond.a];
    if (!scalar(own) || !values.every(scalar) || values.length === 0) return undefined;
    return bond.kind === "first" ? values[0] === own : values.includes(own);
  }
  if (all.length < 2) return undefined;
  const before = all.map((element) => element[bond.a]);
  if (!before.every(scalar) || !values.every(scalar)) return undefined;
  return all
    .slice(1)
    .every((_, i) =>
      bond.kind === "chain" ? before[i] === values[i + 1] : String(before[i]) <= String(values[i + 1]),
    );
}

function candidates(rows: readonly JsonObject[]): Bond[] {
  const found = new Map<string, Bond>();
  const put = (bond: Bond) => found.set(JSON.stringify(bond), bond);
  for (const row of rows.slice(0, 20)) {
    const columns = Object.keys(row).filter((name) => scalar(row[name]));
    for (const [list, value] of Object.entries(row) as [string, Json][]) {
      if (!Array.isArray(value) || !isObject(value[0])) continue;
      const fields = Object.keys(value[0]).filter((name) => scalar((value[0] as JsonObject)[name]));
      for (const b of fields) {
        for (const a of columns) for (const kind of ["first", "some"] as const) put({ list, kind, a, b });
        for (const a of fields) if (a !== b) put({ list, kind: "chain", a, b });
        if (/^\d{4}-\d\d-\d\d/.test(String((value[0] as JsonObject)[b]))) put({ list, kind: "order", a: b, b });
      }
    }
  }
  return [...found.values()];
}

const learnt = new WeakMap<Kit, Map<string, readonly Bond[]>>();

/** The bonds of a table's rows: they hold in at least 98 of 100 rows that tell, of which there are five or more of different values. */
function bondsOf(kit: Kit, table: string): readonly Bond[] {
  let known = learnt.get(kit);
  if (known === undefined) {
    known = new Map();
    learnt.set(kit, known);
  }
  let bonds = known.get(table);
  if (bonds === undefined) {
    const rows = (Object.values(kit.base.tables[table] ?? {}) as JsonObject[]).slice(0, MOST_ROWS);
    bonds = candidates(rows).filter((bond) => {
      const told = rows.filter((row) => holds(bond, row) !== undefined);
      const right = told.filter((row) => holds(bond, row) === true);
      const values = new Set(right.map((row) => JSON.stringify(elements(row, bond.list).map((one) => one[bond.b]))));
      return told.length >= LEAST_ROWS && values.size >= LEAST_ROWS && right.length >= told.length * HOLDS;
    });
    known.set(table, bonds);
  }
  return bonds;
}

/** What a trial's changes tear apart of what held in the row before and holds in nearly every row of its table; undefined where nothing. */
export function tornApart(kit: Kit, { diff }: Pick<FinishedTrial, "diff">): string | undefined {
  for (const { table, before, after } of diff) {
    if (before === undefined || after === undefined) continue;
    const [was, is] = [before, after] as [JsonObject, JsonObject];
    for (const bond of bondsOf(kit, table))
      if (holds(bond, was) === true && holds(bond, is) === false)
        return `${table}: ${bond.a} and ${bond.list}.${bond.b}`;
  }
  return undefined;
}

const MOST_OBJECTS = 20_000;
/** So many values of one field must each have been seen more than once, always with the same other one. */
const REPEATED = 3;

const objectsOf = new WeakMap<Kit, readonly JsonObject[]>();

function objects(kit: Kit): readonly JsonObject[] {
  let all = objectsOf.get(kit);
  if (all === undefined) {
    const found: JsonObject[] = [];
    const walk = (value: Json) => {
      if (found.length >= MOST_OBJECTS) return;
      if (Array.isArray(value)) for (const item of value) walk(item);
      else if (isObject(value)) {
        found.push(value as JsonObject);
        for (const item of Object.values(value as JsonObject)) walk(item);
      }
    };
    for (const rows of Object.values(kit.base.tables)) for (const row of Object.values(rows)) walk(row as Json);
    all = found;
    objectsOf.set(kit, all);
  }
  return all;
}

const decided = new WeakMap<Kit, Map<string, ReadonlyMap<string, string> | undefined>>();

/** What each value of a field always stands with in another field of its object; undefined where it varies or too few tell. */
function decides(kit: Kit, a: string, b: string): ReadonlyMap<string, string> | undefined {
  let known = decided.get(kit);
  if (known === undefined) {
    known = new Map();
    decided.set(kit, known);
  }
  const name = `${a}\u001f${b}`;
  if (!known.has(name)) {
    const map = new Map<string, string>();
    const times = new Map<string, number>();
    let always = true;
    for (const one of objects(kit)) {
      const [from, to] = [one[a], one[b]];
      if (typeof from !== "string" || typeof to !== "string") continue;
      times.set(from, (times.get(from) ?? 0) + 1);
      if ((map.get(from) ?? to) !== to) always = false;
      map.set(from, to);
    }
    const repeated = [...times.values()].filter((n) => n > 1).length;
    const varied = new Set(map.values()).size >= REPEATED;
    known.set(name, always && repeated >= REPEATED && varied ? map : undefined);
  }
  return known.get(name);
}

/** Two arguments that never stand together, though the first came with one value of the second alone: a city and another's state. */
export function mismatched(kit: Kit, args: Readonly<Record<string, unknown>>): string | undefined {
  const texts = Object.entries(args).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  for (const [a, from] of texts)
    for (const [b, to] of texts) {
      if (a === b) continue;
      const with_ = decides(kit, a, b)?.get(from);
      if (with_ !== undefined && with_ !== to) return `${a} ${from} and ${b} ${to}`;
    }
  return undefined;
}

import { getOwn, type Json } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { arg, column, constant, type Env, type Expr, evaluate, type Facts, type Row } from "../expressions/expr.ts";
import { bits, count, Masks } from "./masks.ts";
import type { ExportTable } from "./tables.ts";

/** A call with what was known before it. */
export interface Seen {
  readonly call: Call;
  readonly before: Facts;
}

/** What an argument keeps of a list: every test that fits all that was observed, the likeliest first. None where it changes nothing. */
export interface Filter {
  readonly name: string;
  readonly atoms: readonly Expr[];
  /** The form that its values have to have, as a pattern. */
  readonly form?: string;
}

/** Whether an argument is given and no empty text. */
export const given = (name: string): Expr => ({
  op: "not",
  a: { op: "within", a: arg(name), b: constant([null, ""]) },
});

export const isGiven = (args: Env["args"], name: string): boolean => (getOwn(args, name) ?? "") !== "";

/** The arguments of a tool: those that its listing declares, and those that calls gave besides. */
export interface Arguments {
  readonly names: readonly string[];
  readonly extra: readonly string[];
}

export interface Listed {
  readonly call: Call;
  readonly before: Facts;
  readonly rows: readonly (readonly [key: string, row: Row])[];
  readonly shown: readonly string[];
}

/** The share of an atom's examples in which it may fail: sessions hold calls that nobody follows. */
const FAILS = 0.03;

interface Atom {
  readonly expr: Expr;
  readonly bits: number;
  readonly range: boolean;
}

const words = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1);

/** How far a column's name is from an argument's, in bits. */
function distance(name: string, of: string): number {
  if (name === of) return 0;
  const shared = words(name).some((word) => words(of).includes(word));
  return shared ? 3 : 6;
}

const lower = (a: Expr): Expr => ({ op: "lower", a });
const asText = (a: Expr): Expr => ({ op: "text", parts: [a] });

/** Every test of a row by an argument. */
function atomsOf(name: string, table: ExportTable, values: readonly Json[], near: boolean): Atom[] {
  const value = arg(name);
  const texts = values.every((one) => typeof one === "string");
  const out: Atom[] = [];
  const textual: string[] = [];
  for (const of of table.columns) {
    const bits = distance(name, of);
    if (near && bits > 3) continue;
    const a = column("row", of);
    const held = [...table.rows.values()]
      .map((row) => getOwn(row, of))
      .filter((one) => one !== undefined && one !== null);
    const text = held.length > 0 && held.every((one) => typeof one === "string");
    const number = held.length > 0 && held.every((one) => typeof one === "number");
    out.push({ expr: { op: "eq", a, b: value }, bits, range: false });
    if (text && texts) {
      textual.push(of);
      out.push({ expr: { op: "eq", a: lower(a), b: lower(asText(value)) }, bits: bits + 1, range: false });
      out.push({ expr: { op: "holds", a, b: asText(value) }, bits: bits + 1, range: false });
    }
    if (held.length > 0 && held.every(Array.isArray))
      out.push({ expr: { op: "contains", a, b: value }, bits, range: false });
    if (near || !((text && texts) || (number && values.every((one) => typeof one === "number")))) continue;
    // A range is likelier of what is ordered, and of a name that is not the column's own.
    const spread = bits + 2 + (bits === 0 ? 3 : 0) + (number || held.every((one) => /\d/.test(String(one))) ? 0 : 4);
    for (const op of ["most", "less"] as const) {
      out.push({ expr: { op, a: value, b: a }, bits: spread, range: true });
      out.push({ expr: { op, a, b: value }, bits: spread, range: true });
    }
  }
  if (near) return out;
  const contains = (of: string): Expr => ({ op: "holds", a: column("row", of), b: asText(value) });
  for (const [i, a] of textual.entries())
    for (const [j, b] of textual.entries()) {
      if (j <= i) continue;
      const two: Expr = { op: "or", a: contains(a), b: contains(b) };
      out.push({ expr: two, bits: 9, range: false });
      for (const c of textual.slice(j + 1))
        out.push({ expr: { op: "or", a: two, b: contains(c) }, bits: 13, range: false });
    }
  if (textual.length > 3) {
    const all = textual.map(contains).reduce((a, b): Expr => ({ op: "or", a, b }));
    out.push({ expr: all, bits: 13, range: false });
  }
  return out;
}

/** Bits that a test may be less likely than the likeliest and still be thought of. */
const LIKELY = 3;

export function chooseFilters(
  examples: readonly Listed[],
  table: ExportTable,
  names: readonly string[],
  longest: number,
): { chosen: Filter[]; blind: string[] } {
  const left = new Map<string, Atom[]>();
  const blind: string[] = [];
  for (const name of names) {
    const asked = examples.filter(({ call }) => isGiven(call.args, name));
    const full = asked.filter(({ shown }) => shown.length > 0);
    const near = full.length === 0;
    const atoms = atomsOf(
      name,
      table,
      asked.map(({ call }) => getOwn(call.args, name) as Json),
      near,
    );
    const fitting = atoms.filter(({ expr }) => {
      const failing = full.filter((one) => !holdsFor(expr, one, table.name));
      return failing.length <= full.length * FAILS;
    });
    if (fitting.length > 0) left.set(name, fitting);
    else if (near) blind.push(name);
  }
  const pick = new Map(
    [...left].map(([name, atoms]) => [name, [...atoms].sort((a, b) => a.bits - b.bits)[0] as Atom | undefined]),
  );
  const masks = new Masks(examples, table.name);
  const shown = examples.map((_, i) => masks.shown(i));
  const score = (using: ReadonlyMap<string, Atom | undefined>): number => {
    let right = 0;
    for (const [i, { call, rows }] of examples.entries()) {
      const met = bits(rows.length).fill(-1);
      if (rows.length % 32 > 0) met[met.length - 1] = (1 << (rows.length % 32)) - 1;
      let lost = false;
      for (const [name, atom] of using) {
        if (!atom || !isGiven(call.args, name)) continue;
        const of = masks.passing(atom.expr, name, i);
        if (of) for (let w = 0; w < met.length; w++) met[w] = (met[w] as number) & (of[w] as number);
        else lost = true;
      }
      const { mask, size } = shown[i] as (typeof shown)[number];
      if (lost || mask.some((word, w) => (word & ~(met[w] as number)) !== 0)) continue;
      const n = count(met);
      if (n === size || (size === longest && n > longest && longest > 1)) right++;
    }
    return right;
  };
  let most = score(pick);
  for (let round = 0; round < 3; round++) {
    const before = most;
    for (const [name, atoms] of left) {
      for (const atom of [...atoms, undefined]) {
        const current = pick.get(name);
        if (atom === current) continue;
        const found = score(new Map([...pick, [name, atom]]));
        const simpler = (atom?.bits ?? 8) < (current?.bits ?? 8);
        if (found > most || (found === most && simpler)) {
          pick.set(name, atom);
          most = found;
        }
      }
    }
    if (most === before && round > 0) break;
  }
  const chosen = [...left].flatMap(([name, atoms]): Filter[] => {
    const best = pick.get(name);
    const full = examples.filter(({ call, shown }) => shown.length > 0 && isGiven(call.args, name));
    if (!best) {
      if (full.length < 2) blind.push(name);
      return [];
    }
    const alike = atoms
      .filter((atom) => atom !== best && atom.bits <= best.bits + LIKELY)
      .filter((atom) => score(new Map([...pick, [name, atom]])) === most);
    const form = best.range ? formOf(best.expr, table) : undefined;
    return [{ name, atoms: [best.expr, ...alike.map(({ expr }) => expr)], ...(form ? { form } : {}) }];
  });
  return { chosen, blind };
}

function holdsFor(expr: Expr, { call, before, shown }: Listed, table: string): boolean {
  const held = before.tables.get(table)?.rows;
  return shown.every((key) => {
    const row = held?.get(key);
    return row !== undefined && evaluate(expr, { args: call.args, facts: before, row }) === true;
  });
}

/** The form of a column's texts as a pattern that its beginnings fit too: digits for digits. */
function formOf(expr: Expr, table: ExportTable): string | undefined {
  const side = "a" in expr && "b" in expr ? [expr.a, expr.b].find((one) => one.op === "column") : undefined;
  if (side?.op !== "column") return undefined;
  const masks = new Set(
    [...table.rows.values()].flatMap((row) =>
      typeof getOwn(row, side.name) === "string" ? [String(getOwn(row, side.name)).replace(/\d/g, "#")] : [],
    ),
  );
  const [mask] = masks;
  if (masks.size !== 1 || mask === undefined) return undefined;
  const escaped = [...mask].map((char) => (char === "#" ? "[0-9]" : char.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")));
  return `^${escaped.join("(")}${")?".repeat(escaped.length - 1)}$`;
}

import { getOwn, type Json } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { isScalar } from "../../values.ts";
import { arg, column, constant, type Env, type Expr, type Facts, type Row } from "../expressions/expr.ts";
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
  /** A range that left no row out of any list. */
  readonly idle?: boolean;
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
  /** Whether a list of what is shown may be cut from so many rows. */
  readonly from: (rows: number) => boolean;
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

/** Values of a column that a flag may ask for: of those that hold few. */
function flagged(held: readonly Json[]): Json[] {
  const values = [...new Set(held)];
  return values.length <= FLAGGED && values.every(isScalar) ? values : [];
}

const FLAGGED = 6;
/** The share of an argument's values that have the form of the texts with which a range compares them. */
const FORMED = 0.5;

/** A row is kept where a flag is off, or where its column holds a value. */
const unlessFalse = (flag: Expr, a: Expr, one: Json): Expr => ({
  op: "or",
  a: { op: "eq", a: flag, b: constant(false) },
  b: { op: "eq", a, b: constant(one) },
});

/** Every test of a row by an argument. */
function atomsOf(name: string, table: ExportTable, values: readonly Json[], near: boolean): Atom[] {
  const value = arg(name);
  const texts = values.every((one) => typeof one === "string");
  const flags = values.length > 0 && values.every((one) => typeof one === "boolean");
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
    if (flags)
      for (const one of flagged(held)) out.push({ expr: unlessFalse(value, a, one), bits: bits + 2, range: false });
    if (near || !((text && texts) || (number && values.every((one) => typeof one === "number")))) continue;
    // A range is likelier of what is ordered, and of a name that is not the column's own.
    const form = text && rangeForm(held);
    if (form && values.filter((one) => new RegExp(form).test(String(one))).length < values.length * FORMED) continue;
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
): { chosen: Filter[]; blind: string[] } {
  const left = new Map<string, Atom[]>();
  const blind: string[] = [];
  const masks = new Masks(examples, table.name);
  const holdsFor = (expr: Expr, name: string, i: number): boolean => {
    const { before, shown } = examples[i] as Listed;
    const held = before.tables.get(table.name)?.rows;
    const test = masks.of(expr, name, i);
    return shown.every((key) => {
      const row = held?.get(key);
      return row !== undefined && test(row) === true;
    });
  };
  for (const name of names) {
    const asked = examples.filter(({ call }) => isGiven(call.args, name));
    const full = [...examples.keys()].filter((i) => {
      const { call, shown } = examples[i] as Listed;
      return shown.length > 0 && isGiven(call.args, name);
    });
    const near = full.length === 0;
    const atoms = atomsOf(
      name,
      table,
      asked.map(({ call }) => getOwn(call.args, name) as Json),
      near,
    );
    const fitting = atoms.filter(({ expr }) => {
      let failing = 0;
      return full.every((i) => holdsFor(expr, name, i) || ++failing <= full.length * FAILS);
    });
    if (fitting.length > 0) left.set(name, fitting);
    else if (near) blind.push(name);
  }
  const pick = new Map(
    [...left].map(([name, atoms]) => [name, [...atoms].sort((a, b) => a.bits - b.bits)[0] as Atom | undefined]),
  );
  const shown = examples.map((_, i) => masks.shown(i));
  const isRight = (i: number, using: ReadonlyMap<string, Atom | undefined>): boolean => {
    const { call, rows, from } = examples[i] as Listed;
    const met = bits(rows.length).fill(-1);
    if (rows.length % 32 > 0) met[met.length - 1] = (1 << (rows.length % 32)) - 1;
    for (const [name, atom] of using) {
      if (!atom || !isGiven(call.args, name)) continue;
      const of = masks.passing(atom.expr, name, i);
      if (!of) return false;
      for (let w = 0; w < met.length; w++) met[w] = (met[w] as number) & (of[w] as number);
    }
    const { mask, size } = shown[i] as (typeof shown)[number];
    if (mask.some((word, w) => (word & ~(met[w] as number)) !== 0)) return false;
    return size === examples[i]?.shown.length && from(count(met));
  };
  // Another test of an argument matters to those examples alone that give it.
  const giving = new Map(
    [...left.keys()].map((name) => [
      name,
      [...examples.keys()].filter((i) => isGiven((examples[i] as Listed).call.args, name)),
    ]),
  );
  const right = examples.map((_, i) => isRight(i, pick));
  const score = (name: string, atom: Atom | undefined): number => {
    const using = new Map([...pick, [name, atom]]);
    return (giving.get(name) ?? []).reduce(
      (sum, i) => sum + Number(isRight(i, using)) - Number(right[i]),
      right.filter(Boolean).length,
    );
  };
  let most = right.filter(Boolean).length;
  for (let round = 0; round < 3; round++) {
    const before = most;
    for (const [name, atoms] of left) {
      for (const atom of [...atoms, undefined]) {
        const current = pick.get(name);
        if (atom === current) continue;
        const found = score(name, atom);
        const simpler = (atom?.bits ?? 8) < (current?.bits ?? 8);
        if (found > most || (found === most && simpler)) {
          pick.set(name, atom);
          most = found;
          for (const i of giving.get(name) ?? []) right[i] = isRight(i, pick);
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
      .filter((atom) => score(name, atom) === most);
    const form = best.range ? formOf(best.expr, table) : undefined;
    const idle = best.range && score(name, undefined) === most;
    return [
      {
        name,
        atoms: [best.expr, ...alike.map(({ expr }) => expr)],
        ...(form ? { form } : {}),
        ...(idle ? { idle } : {}),
      },
    ];
  });
  return { chosen, blind };
}

/** The form of the texts of the column that a range compares with. */
function formOf(expr: Expr, table: ExportTable): string | undefined {
  const side = "a" in expr && "b" in expr ? [expr.a, expr.b].find((one) => one.op === "column") : undefined;
  if (side?.op !== "column") return undefined;
  return rangeForm([...table.rows.values()].map((row) => getOwn(row, side.name)));
}

/** The form of texts as a pattern that their beginnings fit too: digits for digits. */
function rangeForm(texts: readonly unknown[]): string | undefined {
  const masks = new Set(texts.flatMap((text) => (typeof text === "string" ? [text.replace(/\d/g, "#")] : [])));
  const [mask] = masks;
  if (masks.size !== 1 || mask === undefined) return undefined;
  const escaped = [...mask].map((char) => (char === "#" ? "[0-9]" : char.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")));
  return `^${escaped.join("(")}${")?".repeat(escaped.length - 1)}$`;
}

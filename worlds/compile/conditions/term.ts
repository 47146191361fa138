import type { Json, JsonObject } from "../../json.ts";

/** An expression with its value in every example: undefined where evidence does not tell, null where it is known to be absent. */
export interface Term {
  readonly cel: string;
  readonly cost: number;
  readonly vals: readonly (Json | undefined)[];
}

/** A table's key, for joins. */
export interface KeyedTable {
  readonly name: string;
  readonly key: readonly string[];
  /** Columns that every row has, though evidence may not show them. */
  readonly always?: ReadonlySet<string>;
  /** Those that some row of the initial state lacks. */
  readonly patchy?: ReadonlySet<string>;
}

/** A row as known in one example, undefined when unknown. */
export type Lookup = (example: number, table: string, key: string) => JsonObject | undefined;

const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/;
const RESERVED = new Set([
  "in",
  "true",
  "false",
  "null",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

/** What a column becomes that a call changes in a way that nothing explains. */
export const UNKNOWN_TEXT = "unknown()";

/** A string as a CEL literal. */
export function literal(value: Json): string {
  return JSON.stringify(value);
}

/** A member of an expression by name. */
export function member(cel: string, key: string): string {
  return WORD.test(key) && !RESERVED.has(key) ? `${cel}.${key}` : `${cel}[${literal(key)}]`;
}

/** The row of a table that some terms name; where there is none the call is a gap, never a guess. */
export function found(table: string, key: readonly { readonly cel: string }[]): string {
  return `known(lookup(${literal(table)}, ${key.map((part) => part.cel).join(", ")}))`;
}

/** A sum without the noise of binary fractions: as decimal money adds up. */
export function sum(values: readonly Json[]): number {
  return tidy(values.reduce<number>((total, value) => total + (typeof value === "number" ? value : 0), 0));
}

/** A number with the noise of binary arithmetic taken off, to twelve significant digits. */
export function tidy(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(12));
}

/** Line totals: the sum of products of two number columns of a list; null where an item lacks one. */
export function* lineTotals(
  cel: string,
  columns: readonly string[],
  items: readonly JsonObject[],
  variable: string,
): Generator<[cel: string, of: (list: readonly Json[]) => Json]> {
  const numbers = columns
    .filter((key) => items.filter((item) => typeof item[key] === "number").length >= items.length * 0.7)
    .slice(0, 3);
  for (const [i, a] of numbers.entries())
    for (const b of numbers.slice(i + 1))
      yield [
        `${cel}.map(${variable}, ${member(variable, a)} * ${member(variable, b)}).sum()`,
        (list) => {
          const products = (list as readonly JsonObject[]).map((item) =>
            typeof item[a] === "number" && typeof item[b] === "number" ? tidy(item[a] * item[b]) : null,
          );
          return products.includes(null) ? null : sum(products);
        },
      ];
}

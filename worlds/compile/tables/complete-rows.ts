import type { JsonObject } from "../../json.ts";
import { literal, member } from "../conditions/term.ts";

/** Rows that a question asks for: tests over `variable`, with the columns that they look at. */
export interface RowQuery {
  readonly table: string;
  readonly variable: string;
  readonly tests: readonly { readonly cel: string; readonly column: string }[];
  /** An export gave the rows: a column that one lacks is none that evidence failed to show. */
  readonly exported: boolean;
  /** Columns that tests look at and that sessions find now so, now otherwise: a row may lack them though its question was answered. */
  readonly varying?: readonly string[];
}

/** The rows asked for, as an expression. */
export function queriedRows({ table, variable, tests }: RowQuery): string {
  const test = tests.map(({ cel }) => cel).join(" && ");
  return test === "" ? `rows(${literal(table)})` : `rows(${literal(table)}).filter(${variable}, ${test})`;
}

/**
 * Whether the rows asked for are all known and known whole, as expressions that must hold: none that may be one of them
 * lacks a column the question looks at, and none of them lacks a column that is answered. Empty where no row lacks any.
 */
export function wholeness(rowQuery: RowQuery, rows: readonly JsonObject[], needed: readonly string[]): string[] {
  const { table, variable, tests, exported, varying = [] } = rowQuery;
  const lacked = (column: string) => rows.some((row) => !Object.hasOwn(row, column));
  const looked = [...new Set(tests.map(({ column }) => column))];
  const open = looked.filter((column) => (!exported || varying.includes(column)) && lacked(column));
  const out = open.map((column) => {
    const others = tests.filter((test) => test.column !== column).map(({ cel }) => cel);
    const test = [...others, `!has(${member(variable, column)})`].join(" && ");
    return `!rows(${literal(table)}).exists(${variable}, ${test})`;
  });
  const parts = needed.filter(lacked).map((column) => `has(${member(variable, column)})`);
  return parts.length === 0 ? out : [...out, `${queriedRows(rowQuery)}.all(${variable}, ${parts.join(" && ")})`];
}

import type { SQL } from "drizzle-orm";
import { is, Param, Placeholder } from "./drizzle.ts";
import type { Statement, Values } from "./statement.ts";
import { columnText } from "./text.ts";

type Bound = string | number | Uint8Array | null;

/** A statement in one dialect's words, and how values get to their places. */
export interface Rendered {
  readonly sql: string;
  readonly bind: (values: Values) => Bound[];
}

/** What a drizzle dialect has for this. */
interface Dialect {
  sqlToQuery(query: SQL): { readonly sql: string; readonly params: unknown[] };
}

/** Renders each statement once per dialect. Text is bound as `columnText`. */
export function renderer(dialect: Dialect): (statement: Statement<unknown>) => Rendered {
  const known = new WeakMap<Statement<unknown>, Rendered>();
  return (statement) => {
    const before = known.get(statement);
    if (before) return before;
    const { sql, params } = dialect.sqlToQuery(statement.query());
    const slots = params.map(slot);
    const rendered: Rendered = { sql, bind: (values) => slots.map((fill) => fill(values)) };
    known.set(statement, rendered);
    return rendered;
  };
}

function slot(param: unknown): (values: Values) => Bound {
  const inner = is(param, Param) ? param.value : param;
  if (!is(inner, Placeholder)) {
    const fixed = bound(inner);
    return () => fixed;
  }
  const name = String(inner.name);
  return (values) => bound(values[name], name);
}

function bound(value: unknown, name = "?"): Bound {
  if (typeof value === "string") return columnText(value);
  if (typeof value === "number" || value === null || value instanceof Uint8Array) return value;
  throw new TypeError(`no value that a column can hold was given for ${name}`);
}

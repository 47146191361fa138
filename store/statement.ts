import type { SQL, SQLWrapper } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { drizzle, Placeholder } from "./drizzle.ts";

/** drizzle's query builder, for building only: statements are run by an engine. */
export const build = drizzle(() => Promise.reject(new Error("this builder has no database of its own")));

/** A query that an engine prepares once; rows come back as objects by column name. */
export interface Statement<Row> {
  readonly query: () => SQL;
  /** Carries the type of a row. */
  readonly row?: Row;
}

type RowOf<Q> = Q extends { readonly _: { readonly result: readonly (infer Row)[] } } ? Row : never;

/** Declares a query, with `value(name)` where its values go. Nothing is run. */
export function statement<Q extends SQLWrapper>(query: Q): Statement<RowOf<Q>> {
  return { query: () => query.getSQL() };
}

/** A place in a statement that is given a value each time it runs. `T` is the type that stands there. */
export function value<T>(name: string): T {
  // drizzle takes a placeholder wherever it takes a value; its types do not say so everywhere.
  return new Placeholder(name) as unknown as T;
}

/** What a statement runs with, by name. */
export type Values = Readonly<Record<string, string | number | Uint8Array | null>>;

/** What one step of a program asks of its engine. */
export type Step =
  | { readonly do: "run"; readonly statement: Statement<unknown>; readonly values: Values; readonly lock?: Lock }
  | { readonly do: "exclude"; readonly scope: string };

/** How the rows that were read are held until the program ends: waited for, or passed over when another holds them. */
export type Lock = "wait" | "skip";

/** What a step came to. */
export interface StepResult {
  readonly rows: readonly unknown[];
  /** Rows written, for a statement that answers none. */
  readonly changes: number;
}

/**
 * Steps with code between them, written once for both engines: SQLite runs it in one go without a pause,
 * PostgreSQL waits at each step. A program has no effect beside its steps, since it may be run again.
 */
export type Program<T> = Generator<Step, T, StepResult>;

/** The rows a statement answers. */
export function* all<Row>(statement: Statement<Row>, values: Values, lock?: Lock): Program<Row[]> {
  const { rows } = yield { do: "run", statement, values, ...(lock === undefined ? {} : { lock }) };
  return rows as Row[];
}

/** The first row, if any. */
export function* one<Row>(statement: Statement<Row>, values: Values, lock?: Lock): Program<Row | undefined> {
  return (yield* all(statement, values, lock))[0];
}

/** How many rows a statement wrote. */
export function* run(statement: Statement<unknown>, values: Values): Program<number> {
  return (yield { do: "run", statement, values }).changes;
}

/** Keeps out every other program that names the same scope until this one ends. */
export function* exclude(scope: string): Program<void> {
  yield { do: "exclude", scope };
}

/** Statements whose text depends on how much is asked for, each made once per shape. */
export function byShape<A extends readonly unknown[], Row>(
  make: (...shape: A) => Statement<Row>,
): (...shape: A) => Statement<Row> {
  const made = new LRUCache<string, Statement<Row>>({ max: MOST_SHAPES });
  return (...shape) => {
    const name = JSON.stringify(shape);
    let found = made.get(name);
    if (!found) {
      found = make(...shape);
      made.set(name, found);
    }
    return found;
  };
}

/** How many shapes of one statement are kept, the latest used, so that no caller can make it grow without end. */
const MOST_SHAPES = 200;

import { getOwn, type Json, setOwn } from "../../json.ts";
import type { Call, Session } from "../observations.ts";
import {
  type Env,
  type Expr,
  evaluate,
  type Facts,
  keyOf,
  type Row,
  type Rows,
  UNKNOWN,
  type Value,
} from "./expressions/expr.ts";
import type { Kinds } from "./state/kinds.ts";
import { type AnswerObservation, type Layout, observationOf, type RowObservation } from "./state/observations.ts";

/** What a successful call changes of a cell, or of a row that its arguments lead to. */
export interface Change {
  readonly table: string | undefined;
  readonly key: readonly Expr[];
  readonly name: string;
  readonly value: Expr;
}

/**
 * Rows that a successful call makes, shown at a place of its answer. `list` names the argument that holds an entry for
 * each; `otherwise` is that list where the argument is not given.
 */
export interface Creation {
  readonly table: string;
  readonly path: string;
  readonly list: string | undefined;
  readonly otherwise?: readonly Json[];
  readonly columns: ReadonlyMap<string, Expr>;
}

/** A row that a successful call takes away. */
export interface Removal {
  readonly table: string;
  readonly key: readonly Expr[];
}

/** A row that a successful call makes under a key that an argument gives. */
export interface Making {
  readonly table: string;
  readonly key: readonly Expr[];
  readonly name: string;
}

/** What a tool's successes do. */
export interface Effects {
  readonly changes: readonly Change[];
  readonly makings: readonly Making[];
  readonly creations: readonly Creation[];
  readonly removals: readonly Removal[];
}

export const NO_EFFECTS: Effects = { changes: [], makings: [], creations: [], removals: [] };

/** State while a session is followed: copied when it is written to after somebody looked. */
export class SimulatedState {
  private cells: Map<string, Value>;
  private tables: Map<string, Rows>;
  private shared = true;
  /** Rows of tables that nobody else holds. */
  private readonly copied = new Map<string, Map<string, Row>>();

  constructor(start: Facts) {
    this.cells = start.cells as Map<string, Value>;
    this.tables = start.tables as Map<string, Rows>;
  }

  facts(): Facts {
    this.shared = true;
    return { cells: this.cells, tables: this.tables };
  }

  private own(): void {
    if (!this.shared) return;
    this.cells = new Map(this.cells);
    this.tables = new Map(this.tables);
    this.copied.clear();
    this.shared = false;
  }

  setCell(name: string, value: Value): void {
    this.own();
    this.cells.set(name, value);
  }

  private rows(table: string): Map<string, Row> {
    this.own();
    const copied = this.copied.get(table);
    if (copied) return copied;
    const held = this.tables.get(table);
    const rows = new Map(held?.rows);
    this.copied.set(table, rows);
    this.tables.set(table, { ...held, rows, complete: held?.complete ?? false });
    return rows;
  }

  put(table: string, key: string, columns: Row): void {
    const rows = this.rows(table);
    rows.set(key, { ...rows.get(key), ...columns });
    const held = this.tables.get(table);
    if (!held?.removed?.has(key)) return;
    this.tables.set(table, { ...held, removed: new Set([...held.removed].filter((other) => other !== key)) });
  }

  remove(table: string, key: string): void {
    const rows = this.rows(table);
    rows.delete(key);
    const held = this.tables.get(table);
    this.tables.set(table, { complete: false, ...held, rows, removed: new Set([...(held?.removed ?? []), key]) });
  }

  complete(table: string): void {
    this.own();
    this.tables.set(table, { rows: new Map(), ...this.tables.get(table), complete: true });
  }
}

/** One call with what was known before and after it. */
export interface Step {
  readonly session: number;
  readonly index: number;
  readonly call: Call;
  readonly before: Facts;
  readonly after: Facts;
  readonly observations: AnswerObservation;
  /** Its tool and how it ended. */
  readonly act: string;
}

/** The entry of a creation's list that a row was made of. */
export function itemOf(call: Call, creation: Pick<Creation, "list" | "otherwise">, index: number): Json | undefined {
  const list = creation.list === undefined ? undefined : (getOwn(call.args, creation.list) ?? creation.otherwise);
  return Array.isArray(list) ? list[index] : undefined;
}

/** The key of the one row that a call makes: what else it changes may hold it. */
export function madeKey(rows: readonly RowObservation[], { creations }: Effects, layout: Layout): Json | undefined {
  const [creation] = creations;
  if (!creation || creations.length > 1 || creation.list !== undefined) return undefined;
  const made = rows.find(({ place }) => place.table === creation.table && place.path === creation.path);
  const [column] = layout.tables.get(creation.table) ?? [];
  return made && ((column === undefined ? undefined : getOwn(made.columns, column)) ?? made.key);
}

/** Follows a session, told each observed answer: what effects leave, and over it what the answers show. */
export function follow(
  session: Session,
  number: number,
  layout: Layout,
  effects: ReadonlyMap<string, Effects>,
  start: Facts,
  kinds: Kinds,
): Step[] {
  const state = new SimulatedState(start);
  const out: Step[] = [];
  for (const [index, call] of session.calls.entries()) {
    const before = state.facts();
    const observations = observationOf(call, layout);
    const act = kinds.act(call);
    if (call.ok) applyEffects(state, call, effects.get(act) ?? NO_EFFECTS, before, observations.rows, layout);
    for (const [name, value] of Object.entries(observations.cells)) state.setCell(name, value);
    for (const { place, key, columns, within } of observations.rows)
      state.put(place.table, key, within ? { ...columns, [parentColumn(within.table)]: within.key } : columns);
    out.push({ session: number, index, call, before, after: state.facts(), observations, act });
  }
  return out;
}

/** The column that holds the key of the row that a row stands in. */
export const parentColumn = (table: string): string => `in ${table}`;

function applyEffects(
  state: SimulatedState,
  call: Call,
  effects: Effects,
  before: Facts,
  shown: readonly RowObservation[],
  layout: Layout,
): void {
  const key = madeKey(shown, effects, layout);
  const env: Env = { args: call.args, facts: before, ...(key === undefined ? {} : { item: key }) };
  const writes: (() => void)[] = [];
  for (const { table, key, name, value } of effects.changes) {
    if (table === undefined) {
      const result = evaluate(value, env);
      writes.push(() => state.setCell(name, result));
      continue;
    }
    const at = keyOf(key.map((part) => evaluate(part, env)));
    if (at === undefined || at === UNKNOWN) continue;
    const row = before.tables.get(table)?.rows.get(at);
    const result = evaluate(value, { ...env, row: row ?? {} });
    writes.push(() => state.put(table, at, { [name]: result }));
  }
  for (const { table, key } of effects.removals) {
    const at = keyOf(key.map((part) => evaluate(part, env)));
    if (typeof at === "string") writes.push(() => state.remove(table, at));
  }
  for (const creation of effects.creations) {
    const rows = shown.filter(({ place }) => place.table === creation.table && place.path === creation.path);
    for (const [index, { key }] of rows.entries()) {
      const item = itemOf(call, creation, index);
      const made: Record<string, Value> = {};
      for (const [name, expr] of creation.columns)
        setOwn(made, name, evaluate(expr, { ...env, row: {}, ...(item === undefined ? {} : { item }) }));
      writes.push(() => state.put(creation.table, key, made));
    }
  }
  for (const write of writes) write();
}

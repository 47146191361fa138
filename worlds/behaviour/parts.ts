import type { TableModel } from "../bundle.ts";
import { BehaviourSyntaxError } from "../errors.ts";
import { deepFreeze, type Json, type JsonObject, setOwn } from "../json.ts";
import { joinKey } from "../state/keys.ts";
import { readPath, withPath } from "../state/paths.ts";
import type { WorldState } from "../state/state.ts";
import { UNKNOWN } from "../unknown.ts";
import { compileExpression } from "./expression.ts";
import type { Frame, Run } from "./frame.ts";
import { equals } from "./functions/lists.ts";
import type { Outcome } from "./outcome.ts";
import { fixedPath } from "./path.ts";
import type { Guard, KeyPart, View } from "./schema.ts";
import type { Scope } from "./scope.ts";
import { GapSignal } from "./signals.ts";
import { compileTemplate } from "./template.ts";
import { certain, decided } from "./three-valued.ts";

/** What a step may name, and where it reports the tables it writes. */
export interface StepScope extends Scope {
  readonly model: ReadonlyMap<string, TableModel>;
  writes(table: string): void;
}

/** A step compiled; `run` yields nothing for a step that answers nothing. `scope` is what the next step may name. */
export interface CompiledStep {
  readonly run: (frame: Frame, state: WorldState) => Outcome | undefined;
  readonly scope: StepScope;
}

/** The row under a key; one that may have been made or removed is a gap. */
export function rowAt(state: WorldState, table: string, key: string): JsonObject | undefined {
  const row = state.get(table, key);
  if (row === UNKNOWN) throw new GapSignal();
  return row;
}

const GAP: Outcome = Object.freeze({ kind: "gap" });

/** Names the part of the JSON form in which a syntax error stands. */
export function part<T>(path: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof BehaviourSyntaxError)) throw error;
    const inner = error.path === "" ? path : `${path}.${error.path}`;
    throw new BehaviourSyntaxError(error.at, error.word, error.expected, error.code, inner);
  }
}

/** Compiles an expression of a step. */
export const expression = (path: string, text: string, scope: Scope): Run =>
  part(path, () => compileExpression(text, scope));
/** Compiles a template of a step. */
export const template = (path: string, text: string, scope: Scope): ((frame: Frame) => string) => {
  const run = part(path, () => compileTemplate(text, scope, compileExpression));
  return (frame) => run(frame) as string;
};

/** The table a step names; throws `unknown_name` when the bundle has none. */
export function tableModel(name: string, scope: StepScope): TableModel {
  const table = scope.model.get(name);
  if (!table)
    throw new BehaviourSyntaxError(0, name, `a table: ${[...scope.tables].join(", ")}`, "unknown_name", "table");
  return table;
}

/** The same scope, with `row` in it. */
export const withRow = (scope: StepScope): StepScope => (scope.hasRow ? scope : { ...scope, hasRow: true });

/** The key of the row that a step works on: by the table's key, else the first match of an index. Undefined for none. */
export function compileKey(
  parts: readonly KeyPart[],
  table: TableModel,
  scope: StepScope,
): (frame: Frame, state: WorldState) => string | undefined {
  const wanted = parts.map((keyPart, i) => {
    const path = part(`key[${i}].column`, () => fixedPath(keyPart.column));
    const name = path.at(-1) as string;
    return { path, value: expression(`key[${i}].expr`, keyPart.expr ?? `args[${JSON.stringify(name)}]`, scope) };
  });
  const ordered = table.key.map((column) => wanted.find(({ path }) => path.length === 1 && path[0] === column));
  if (ordered.length === wanted.length && ordered.every((found) => found !== undefined)) {
    scope.reads(table.name, "key");
    const values = ordered.map(({ value }) => value);
    const [only] = values;
    if (values.length === 1 && only)
      return (frame) => {
        const key = certain(frame, only(frame));
        return typeof key === "string" ? key : joinKey([key]);
      };
    return (frame) => joinKey(values.map((value) => certain(frame, value(frame))));
  }
  scope.reads(table.name, "scan");
  return (frame, state) => {
    const values = wanted.map(({ path, value }) => ({ path, value: certain(frame, value(frame)) }));
    if (state.incomplete(table.name)) throw new GapSignal();
    if (values.some(({ value }) => value === undefined || value === null)) return undefined;
    let best: readonly string[] | undefined;
    for (const { path, value } of values) {
      const keys = state.find(table.name, path, value as Json);
      if (best === undefined || keys.length < best.length) best = keys;
    }
    return best?.find((key) => {
      frame.charge(1);
      const row = state.get(table.name, key);
      return values.every(({ path, value }) => decided(equals(frame, readPath(row, path), value)));
    });
  };
}

/** Compiles what of a row is answered; undefined when that is the row itself. */
export function compileView(
  view: View | undefined,
  scope: StepScope,
): ((frame: Frame, row: JsonObject) => Json) | undefined {
  if (view === undefined) return undefined;
  const fields = view.map(({ path, expr }, i) => {
    const names = part(`view[${i}].path`, () => fixedPath(path));
    return { names, run: expr === undefined ? undefined : expression(`view[${i}].expr`, expr, withRow(scope)) };
  });
  return (frame, row) => {
    const outer = frame.row;
    frame.row = row;
    let out: JsonObject = {};
    for (const { names, run } of fields) {
      const value = run ? frame.bounded(run(frame)) : readPath(row, names);
      if (value === undefined) continue;
      if (names.length === 1) setOwn(out, names[0] as string, deepFreeze(value));
      else out = withPath(out, names, value) ?? out;
    }
    frame.row = outer;
    return out;
  };
}

/** Compiles guards: the first that is not met is the error. */
export function compileGuards(guards: readonly Guard[], scope: StepScope): (frame: Frame) => Outcome | undefined {
  const compiled = guards.map((guard, i) => ({
    test: expression(`require[${i}].expr`, guard.expr, scope),
    text: template(`require[${i}].error`, guard.error, scope),
  }));
  return (frame) => {
    for (const { test, text } of compiled) {
      if (!decided(test(frame))) return { kind: "error", text: text(frame) };
    }
    return undefined;
  };
}

/** Compiles the answer for a row that is not there: its error, or the gap when no evidence gave one. */
export function compileElse(text: string | undefined, scope: StepScope): (frame: Frame) => Outcome {
  if (text === undefined) return () => GAP;
  const run = template("else", text, scope);
  return (frame) => ({ kind: "error", text: run(frame) });
}

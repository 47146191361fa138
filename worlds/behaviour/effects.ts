import type { TableModel } from "../bundle.ts";
import { WorldError } from "../errors.ts";
import { equalJson, type Json, type JsonObject, setOwn } from "../json.ts";
import { joinKey, KEY_SEPARATOR } from "../state/keys.ts";
import { readPath, withPath } from "../state/paths.ts";
import type { WorldState } from "../state/state.ts";
import { holdsUnknown, UNKNOWN } from "../unknown.ts";
import { compileExpression } from "./expression.ts";
import { type Frame, typeError, type Value } from "./frame.ts";
import { add, subtract } from "./functions/numbers.ts";
import type { Outcome } from "./outcome.ts";
import {
  type CompiledStep,
  compileElse,
  compileGuards,
  compileKey,
  compileView,
  expression,
  part,
  rowAt,
  type StepScope,
  tableModel,
  template,
  withRow,
} from "./parts.ts";
import { compilePath } from "./path.ts";
import type { Assignment, Step } from "./schema.ts";
import { GapSignal } from "./signals.ts";
import { drawsKey, MAX_DRAWS } from "./template.ts";
import { certain } from "./three-valued.ts";

type StepOf<Op extends Step["op"]> = Extract<Step, { op: Op }>;

function assigned(op: Assignment["op"], old: Value, value: Json, frame: Frame): Json {
  if (op === "=") return value;
  if (old === UNKNOWN || (op !== "append" && (value === UNKNOWN || (op === "remove" && holdsUnknown(old)))))
    return UNKNOWN;
  if (op === "append") {
    if (old !== undefined && old !== null && !Array.isArray(old)) throw typeError("append", old, value);
    return frame.list([...(old ?? []), value]);
  }
  if (op === "remove") {
    if (old === undefined || old === null) return null;
    if (Array.isArray(old)) return frame.list(old.filter((item) => !equalJson(item, value)));
    if (typeof old !== "object" || typeof value !== "string") throw typeError("remove", old, value);
    const rest = { ...old };
    delete rest[value];
    return rest;
  }
  if (typeof value === "number" && (typeof old === "number" || old === undefined || old === null))
    return op === "+=" ? add(old ?? 0, value) : subtract(old ?? 0, value);
  if (op === "+=" && typeof value === "string" && typeof old === "string") return frame.text(old + value);
  if (op === "+=" && Array.isArray(value) && (Array.isArray(old) || old === undefined || old === null))
    return frame.list([...(old ?? []), ...value]);
  throw typeError(op, old, value);
}

/** Compiles assignments. Their expressions all see the row as it was; an absent value leaves its field as it is. */
function compileSets(sets: readonly Assignment[], scope: StepScope): (frame: Frame, row: JsonObject) => JsonObject {
  const compiled = sets.map((assignment, i) => ({
    op: assignment.op,
    path: part(`set[${i}].path`, () => compilePath(assignment.path, scope, compileExpression)),
    value: expression(`set[${i}].expr`, assignment.expr, scope),
  }));
  return (frame, row) => {
    let out = row;
    for (const { op, path, value } of compiled) {
      const given = frame.bounded(value(frame));
      if (given === undefined) continue;
      const names = path(frame);
      const old = op === "=" ? undefined : readPath(out, names);
      if (op === "remove" && (old === undefined || old === null)) continue;
      const placed = withPath(out, names, assigned(op, old, given, frame));
      if (placed === undefined) throw new WorldError("type", "the path of an assignment does not fit the row");
      out = placed;
    }
    return out;
  };
}

/** Writes a changed row back, under its new key where a key column changed. Throws `conflict` when that key is taken. */
function store(state: WorldState, table: string, columns: readonly string[], key: string, row: JsonObject): void {
  if (columns.some((column) => row[column] === UNKNOWN)) throw new GapSignal();
  const next = joinKey(columns.map((column) => row[column]));
  if (next !== undefined && next !== key) {
    if (rowAt(state, table, next) !== undefined) throw new WorldError("conflict", "a row of that key is there already");
    state.delete(table, key);
    state.put(table, next, row);
  } else state.put(table, key, row);
}

/** What is done to a row behind its guards; yields the row that is answered. */
type RowEffect = (frame: Frame, state: WorldState, key: string, row: JsonObject) => JsonObject;

/** Compiles an effect on the row that a key names. */
function compileOnRow(
  step: StepOf<"update"> | StepOf<"delete">,
  scope: StepScope,
  compileEffect: (table: TableModel, rowScope: StepScope) => RowEffect,
): CompiledStep {
  const table = tableModel(step.table, scope);
  scope.writes(table.name);
  const key = compileKey(step.key, table, scope);
  const missing = compileElse(step.else, scope);
  const rowScope = withRow(scope);
  const guard = compileGuards(step.require, rowScope);
  const effect = compileEffect(table, rowScope);
  const view = compileView(step.view, rowScope);
  return {
    scope: rowScope,
    run: (frame, state) => {
      const found = key(frame, state);
      const row = found === undefined ? undefined : rowAt(state, table.name, found);
      if (found === undefined || row === undefined) return missing(frame);
      frame.row = row;
      const refused = guard(frame);
      if (refused) return refused;
      const answered = effect(frame, state, found, row);
      frame.row = answered;
      return { kind: "value", value: view ? view(frame, answered) : answered };
    },
  };
}

/** Compiles an update of the row that a key names; it answers the row as it became. */
export function compileUpdate(step: StepOf<"update">, scope: StepScope): CompiledStep {
  return compileOnRow(step, scope, (table, rowScope) => {
    const set = compileSets(step.set, rowScope);
    const rekeys = step.set.some(({ path }) => table.key.some((column) => path.startsWith(column)));
    return (frame, state, key, row) => {
      const changed = set(frame, row);
      if (rekeys) store(state, table.name, table.key, key, changed);
      else state.put(table.name, key, changed);
      return changed;
    };
  });
}

/** Compiles a deletion of the row that a key names; it answers the row as it was. */
export function compileDelete(step: StepOf<"delete">, scope: StepScope): CompiledStep {
  return compileOnRow(step, scope, ({ name }) => (_frame, state, key, row) => {
    state.delete(name, key);
    return row;
  });
}

/** Compiles an insert. An empty key template takes the key from the row's own key columns; a drawn key is drawn again while it is taken. */
export function compileInsert(step: StepOf<"insert">, scope: StepScope): CompiledStep {
  const table = tableModel(step.table, scope);
  scope.writes(table.name);
  const guard = compileGuards(step.require, scope);
  const set = compileSets(step.set, scope);
  const name = step.key === "" ? undefined : template("key", step.key, scope);
  const draws = drawsKey(step.key);
  const rowScope = withRow(scope);
  const view = compileView(step.view, rowScope);
  const keyOf = (frame: Frame, state: WorldState, row: JsonObject): string | undefined => {
    if (!name) return joinKey(table.key.map((column) => certain(frame, row[column])));
    for (let tries = 0; tries < MAX_DRAWS; tries++) {
      frame.charge(1);
      const key = name(frame);
      const taken = state.get(table.name, key);
      // A drawn key is one that no row has, also where rows may have been made that nobody saw.
      if (!draws || taken === undefined || taken === UNKNOWN) return key;
    }
    return undefined;
  };
  return {
    scope: rowScope,
    run: (frame, state) => {
      const refused = guard(frame);
      if (refused) return refused;
      const row = set(frame, {});
      const key = keyOf(frame, state, row);
      if (key === undefined) throw new WorldError("type", "the new row has no key");
      const taken = draws || frame.drawn?.has(key) ? state.get(table.name, key) : rowAt(state, table.name, key);
      if (taken !== undefined && taken !== UNKNOWN)
        throw new WorldError("conflict", "a row of that key is there already");
      const parts = key.split(KEY_SEPARATOR);
      table.key.forEach((column, i) => {
        if (!Object.hasOwn(row, column) && parts[i] !== undefined) setOwn(row, column, parts[i]);
      });
      state.put(table.name, key, row);
      frame.row = row;
      return { kind: "value", value: view ? view(frame, row) : row };
    },
  };
}

/** Compiles an effect that is repeated for each element of a list; it answers the list of what each answered. */
export function repeated(
  each: { readonly name: string; readonly in: string },
  scope: StepScope,
  compile: (inner: StepScope) => CompiledStep,
): CompiledStep {
  const source = expression("each.in", each.in, scope);
  const slot = scope.nextSlot;
  const inner = compile({ ...scope, names: new Map([...scope.names, [each.name, slot]]), nextSlot: slot + 1 });
  return {
    scope,
    run: (frame, state) => {
      const outer = frame.row;
      const items = source(frame) ?? [];
      if (items === UNKNOWN) throw new GapSignal();
      if (!Array.isArray(items)) throw typeError("for", items);
      const answers: Json[] = [];
      for (const item of items) {
        frame.charge(1);
        frame.slots[slot] = item;
        frame.row = outer;
        const outcome: Outcome | undefined = inner.run(frame, state);
        if (outcome === undefined) continue;
        if (outcome.kind !== "value") return outcome;
        answers.push(outcome.value);
      }
      frame.row = outer;
      return { kind: "value", value: frame.list(answers) };
    },
  };
}

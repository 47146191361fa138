import { BehaviourSyntaxError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { readPath } from "../state/paths.ts";
import { compileDelete, compileInsert, compileUpdate, repeated } from "./effects.ts";
import { compileExpressionNode, parseExpression } from "./expression.ts";
import { sortOrder, typeError } from "./frame.ts";
import { candidates, keyedConditions } from "./functions/macros.ts";
import type { Outcome } from "./outcome.ts";
import {
  type CompiledStep,
  compileElse,
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
import { fixedPath } from "./path.ts";
import type { Step } from "./schema.ts";
import { GapSignal } from "./signals.ts";
import { certain, decided } from "./three-valued.ts";

type StepOf<Op extends Step["op"]> = Extract<Step, { op: Op }>;
const RECORDED: Outcome = Object.freeze({ kind: "recorded" });
const TAKEN = new Set(["args", "row", "now"]);

function compileRead(step: StepOf<"read">, scope: StepScope): CompiledStep {
  const table = tableModel(step.table, scope);
  const key = compileKey(step.key, table, scope);
  const view = compileView(step.view, scope);
  const missing = compileElse(step.else, scope);
  return {
    scope: withRow(scope),
    run: (frame, state) => {
      const found = key(frame, state);
      const row = found === undefined ? undefined : rowAt(state, table.name, found);
      if (row === undefined) return missing(frame);
      frame.row = row;
      return { kind: "value", value: view ? view(frame, row) : row };
    },
  };
}

function compileList(step: StepOf<"list">, scope: StepScope): CompiledStep {
  const { name } = tableModel(step.table, scope);
  scope.reads(name, "scan");
  const rowScope = withRow(scope);
  const where = step.where === undefined ? undefined : expression("where", step.where, rowScope);
  const keyed =
    step.where === undefined ? [] : keyedConditions(parseExpression(step.where), "row", scope, compileExpressionNode);
  const order =
    step.order_by === undefined ? undefined : part("order_by.path", () => fixedPath(step.order_by?.path ?? ""));
  const sign = step.order_by?.desc ? -1 : 1;
  const limit = step.limit === undefined ? undefined : expression("limit", step.limit, scope);
  const view = compileView(step.view, rowScope);
  return {
    scope,
    run: (frame) => {
      const outer = frame.row;
      if (frame.state.incomplete(name)) throw new GapSignal();
      let rows = candidates(frame, name, keyed) as readonly JsonObject[];
      if (where)
        rows = rows.filter((row) => {
          frame.charge(1);
          frame.row = row;
          return decided(where(frame));
        });
      frame.row = outer;
      frame.charge(rows.length);
      if (order && frame.doubtful) for (const row of rows) certain(frame, readPath(row, order));
      if (order) rows = [...rows].sort((a, b) => sign * sortOrder(readPath(a, order), readPath(b, order)));
      const most = certain(frame, limit?.(frame)) ?? undefined;
      if (most !== undefined) {
        if (typeof most !== "number" || !Number.isInteger(most) || most < 0) throw typeError("limit", most);
        rows = rows.slice(0, most);
      }
      return { kind: "value", value: view ? rows.map((row) => view(frame, row)) : (rows as JsonObject[]) };
    },
  };
}

function compileLet(step: StepOf<"let">, scope: StepScope): CompiledStep {
  if (TAKEN.has(step.name)) throw new BehaviourSyntaxError(0, step.name, "a name of its own", "unknown_name", "name");
  const value = expression("expr", step.expr, scope);
  const slot = scope.nextSlot;
  return {
    scope: { ...scope, names: new Map([...scope.names, [step.name, slot]]), nextSlot: slot + 1 },
    run: (frame) => {
      frame.slots[slot] = frame.bounded(value(frame));
      return undefined;
    },
  };
}

function compileRefuse(step: StepOf<"refuse">, scope: StepScope): CompiledStep {
  const text = template("template", step.template, scope);
  const when = step.when === undefined ? undefined : expression("when", step.when, scope);
  return {
    scope,
    run: (frame) => {
      const met = when ? decided(when(frame)) : true;
      return met ? { kind: "error", text: text(frame), keeps: true } : undefined;
    },
  };
}

/** Compiles one step in the scope that the steps before it leave. Throws BehaviourSyntaxError with the part of the step. */
export function compileStep(step: Step, scope: StepScope): CompiledStep {
  switch (step.op) {
    case "read":
      return compileRead(step, scope);
    case "list":
      return compileList(step, scope);
    case "insert":
      return step.each ? repeated(step.each, scope, (inner) => compileInsert(step, inner)) : compileInsert(step, scope);
    case "update":
      return step.each ? repeated(step.each, scope, (inner) => compileUpdate(step, inner)) : compileUpdate(step, scope);
    case "delete":
      return step.each ? repeated(step.each, scope, (inner) => compileDelete(step, inner)) : compileDelete(step, scope);
    case "let":
      return compileLet(step, scope);
    case "answer": {
      const value = expression("expr", step.expr, scope);
      return { scope, run: (frame) => ({ kind: "value", value: frame.bounded(value(frame)) ?? null }) };
    }
    case "say": {
      const text = template("template", step.template, scope);
      return { scope, run: (frame) => ({ kind: "value", value: text(frame) }) };
    }
    case "refuse":
      return compileRefuse(step, scope);
    case "recorded":
      return { scope, run: () => RECORDED };
  }
}

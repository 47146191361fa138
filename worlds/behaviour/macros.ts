import type { ASTNode } from "@marcbachmann/cel-js";
import { BehaviourSyntaxError } from "../errors.ts";
import type { Json } from "../json.ts";
import { type Frame, type Run, sortOrder, typeError, type Value } from "./frame.ts";
import type { Compile, Scope } from "./scope.ts";
import { tableNamed } from "./table-name.ts";

/** Macros: called on a list or map, they take a variable and expressions over it. */
export const MACROS: readonly string[] = ["all", "exists", "exists_one", "filter", "map", "sortBy", "count"];

/** A condition `variable.path == value` that rows must meet: an index answers it without a scan. */
export interface KeyedCondition {
  readonly path: readonly string[];
  readonly value: Run;
}

function mentions(node: unknown, variable: string): boolean {
  if (Array.isArray(node)) return node.some((part) => mentions(part, variable));
  if (typeof node !== "object" || node === null || !("op" in node)) return false;
  const { op, args } = node as ASTNode;
  return op === "id" ? args === variable : op === "value" ? false : mentions(args, variable);
}

function pathFrom(node: ASTNode, variable: string): string[] | undefined {
  if (node.op === "id") return node.args === variable ? [] : undefined;
  if (node.op !== "." && node.op !== "[]") return undefined;
  const [inner, member] = node.args as [ASTNode, string | ASTNode];
  const name = typeof member === "string" ? member : member.op === "value" ? member.args : undefined;
  const path = typeof name === "string" ? pathFrom(inner, variable) : undefined;
  return path && typeof name === "string" ? [...path, name] : undefined;
}

/** The conditions among the conjuncts of a test that an index can answer. */
export function keyedConditions(test: ASTNode, variable: string, scope: Scope, compile: Compile): KeyedCondition[] {
  if (test.op === "&&") return test.args.flatMap((part) => keyedConditions(part, variable, scope, compile));
  if (test.op !== "==") return [];
  const [left, right] = test.args;
  for (const [side, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const path = pathFrom(side, variable);
    if (path && path.length > 0 && !mentions(other, variable)) return [{ path, value: compile(other, scope) }];
  }
  return [];
}

/** Rows of a table that meet the first indexable condition, or all rows when there is none; the full test still has to be put to each. */
export function candidates(frame: Frame, table: string, keyed: readonly KeyedCondition[]): readonly Json[] {
  let best: readonly string[] | undefined;
  for (const { path, value } of keyed) {
    const keys = frame.state.find(table, path, value(frame) ?? null);
    if (best === undefined || keys.length < best.length) best = keys;
  }
  if (best === undefined) return frame.state.rows(table);
  return best.map((key) => frame.state.get(table, key) as Json);
}

interface Macro {
  readonly node: ASTNode;
  readonly name: string;
  readonly receiver: ASTNode;
  readonly args: readonly ASTNode[];
  readonly scope: Scope;
  readonly compile: Compile;
}

function elements(value: Value, of: string): readonly Json[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  if (typeof value === "object") return Object.keys(value).sort();
  throw typeError(of, value);
}

/** Compiles `list.macro(variable, …)`. A null list counts as empty; a map is walked by its keys, in order. */
export function compileMacro({ node, name, receiver, args, scope, compile }: Macro): Run {
  const [variable, first, second] = args;
  const word = (expected: string): BehaviourSyntaxError =>
    new BehaviourSyntaxError(node.start, node.input.slice(node.start, node.end).slice(0, 60), expected);
  if (variable?.op !== "id" || !first || args.length > (name === "map" ? 3 : 2))
    throw word(`${name}(variable, expression)`);
  const slot = scope.nextSlot;
  const inner: Scope = {
    tables: scope.tables,
    names: new Map([...scope.names, [variable.args, slot]]),
    nextSlot: slot + 1,
    hasRow: scope.hasRow,
    reads: scope.reads,
  };
  const body = compile(first, inner);
  const table = name === "all" || (name === "map" && !second) ? undefined : tableNamed(receiver, scope.tables);
  const keyed = table === undefined ? [] : keyedConditions(first, variable.args, scope, compile);
  const source = compile(receiver, scope);
  const over: (frame: Frame) => readonly Json[] =
    table !== undefined && keyed.length > 0
      ? (frame) => candidates(frame, table, keyed)
      : (frame) => elements(source(frame), name);
  const test = (frame: Frame, item: Json): boolean => {
    frame.charge(1);
    frame.slots[slot] = item;
    const met = body(frame);
    if (typeof met !== "boolean") throw typeError("a condition", met);
    return met;
  };
  const value = (frame: Frame, item: Json): Json => {
    frame.charge(1);
    frame.slots[slot] = item;
    return body(frame) ?? null;
  };
  switch (name) {
    case "all":
      return (frame) => over(frame).every((item) => test(frame, item));
    case "exists":
      return (frame) => over(frame).some((item) => test(frame, item));
    case "exists_one":
      return (frame) => over(frame).filter((item) => test(frame, item)).length === 1;
    case "count":
      return (frame) => over(frame).filter((item) => test(frame, item)).length;
    case "filter":
      return (frame) => frame.list(over(frame).filter((item) => test(frame, item)));
    case "sortBy":
      return (frame) => {
        const items = elements(source(frame), name).map((item) => ({ item, by: value(frame, item) }));
        return frame.list(items.sort((a, b) => sortOrder(a.by, b.by)).map(({ item }) => item));
      };
    default: {
      if (!second) return (frame) => frame.list(over(frame).map((item) => value(frame, item)));
      const result = compile(second, inner);
      return (frame) => {
        const out: Json[] = [];
        for (const item of over(frame)) if (test(frame, item)) out.push(result(frame) ?? null);
        return frame.list(out);
      };
    }
  }
}

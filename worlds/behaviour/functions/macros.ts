import type { ASTNode } from "@marcbachmann/cel-js";
import { BehaviourSyntaxError } from "../../errors.ts";
import type { Json } from "../../json.ts";
import { holdsUnknown, UNKNOWN } from "../../unknown.ts";
import { type Frame, type Run, sortOrder, typeError, type Value } from "../frame.ts";
import type { Compile, Scope } from "../scope.ts";
import { tableNamed } from "../table-name.ts";
import { not, type Truth, truth } from "../three-valued.ts";

/** Macros: called on a list or map, they take a variable and expressions over it. */
export const MACROS: readonly string[] = ["all", "exists", "exists_one", "filter", "map", "sortBy", "count", "find"];

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
    const wanted = value(frame) ?? null;
    if (frame.doubtful && holdsUnknown(wanted)) continue;
    const keys = frame.state.find(table, path, wanted);
    if (best === undefined || keys.length < best.length) best = keys;
  }
  if (best === undefined) return frame.state.rows(table);
  const rows = best.map((key) => frame.state.get(table, key) as Json);
  return frame.doubtful ? rows.filter((row) => row !== UNKNOWN) : rows;
}

interface Macro {
  readonly node: ASTNode;
  readonly name: string;
  readonly receiver: ASTNode;
  readonly args: readonly ASTNode[];
  readonly scope: Scope;
  readonly compile: Compile;
}

function elements(value: Value, of: string): readonly Json[] | typeof UNKNOWN {
  if (value === UNKNOWN) return UNKNOWN;
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
  const direct = tableNamed(receiver, scope.tables);
  const table = name === "all" || (name === "map" && !second) ? undefined : direct;
  const keyed = table === undefined ? [] : keyedConditions(first, variable.args, scope, compile);
  const source = compile(receiver, scope);
  const over: (frame: Frame) => readonly Json[] | typeof UNKNOWN =
    table !== undefined && keyed.length > 0
      ? (frame) => (frame.state.incomplete(table) ? UNKNOWN : candidates(frame, table, keyed))
      : (frame) => elements(source(frame), name);
  const test = (frame: Frame, item: Json): Truth => {
    frame.charge(1);
    frame.slots[slot] = item;
    return truth(body(frame));
  };
  /** Whether any element's test comes out as `wanted`: a table of which rows are unknown is asked for those that are not. */
  const any = (frame: Frame, wanted: boolean): Truth => {
    const open = direct !== undefined && frame.state.incomplete(direct);
    const items = open ? frame.state.rows(direct) : over(frame);
    if (items === UNKNOWN) return UNKNOWN;
    let unsure = open;
    for (const item of items as readonly Json[]) {
      const met = test(frame, item);
      if (met === wanted) return true;
      if (met === UNKNOWN) unsure = true;
    }
    return unsure ? UNKNOWN : false;
  };
  /** The elements that meet the test; unknown where that is of one of them. */
  const meeting = (frame: Frame): Json[] | typeof UNKNOWN => {
    const items = over(frame);
    if (items === UNKNOWN) return UNKNOWN;
    const out: Json[] = [];
    let unsure = false;
    for (const item of items as readonly Json[]) {
      const met = test(frame, item);
      if (met === true) out.push(item);
      else if (met === UNKNOWN) unsure = true;
    }
    return unsure ? UNKNOWN : out;
  };
  const of = (items: Json[] | typeof UNKNOWN, make: (list: Json[]) => Value): Value =>
    items === UNKNOWN ? UNKNOWN : make(items as Json[]);
  const value = (frame: Frame, item: Json): Json => {
    frame.charge(1);
    frame.slots[slot] = item;
    return body(frame) ?? null;
  };
  switch (name) {
    case "all":
      return (frame) => not(any(frame, false));
    case "exists":
      return (frame) => any(frame, true);
    case "exists_one":
      return (frame) => of(meeting(frame), (list) => list.length === 1);
    case "find":
      return (frame) => {
        const open = direct !== undefined && frame.state.incomplete(direct);
        const items = open ? frame.state.rows(direct) : over(frame);
        if (items === UNKNOWN) return UNKNOWN;
        let unsure = open;
        for (const item of items as readonly Json[]) {
          const met = test(frame, item);
          if (met === true) return item;
          if (met === UNKNOWN) unsure = true;
        }
        return unsure ? UNKNOWN : null;
      };
    case "count":
      return (frame) => of(meeting(frame), (list) => list.length);
    case "filter":
      return (frame) => of(meeting(frame), (list) => frame.list(list));
    case "sortBy":
      return (frame) =>
        of(elements(source(frame), name) as Json[], (list) => {
          const items = list.map((item) => ({ item, by: value(frame, item) }));
          if (frame.doubtful && items.some(({ by }) => holdsUnknown(by))) return UNKNOWN;
          return frame.list(items.sort((a, b) => sortOrder(a.by, b.by)).map(({ item }) => item));
        });
    default: {
      if (!second)
        return (frame) => of(over(frame) as Json[], (list) => frame.list(list.map((item) => value(frame, item))));
      const result = compile(second, inner);
      return (frame) =>
        of(meeting(frame), (list) =>
          frame.list(
            list.map((item) => {
              frame.slots[slot] = item;
              return result(frame) ?? null;
            }),
          ),
        );
    }
  }
}

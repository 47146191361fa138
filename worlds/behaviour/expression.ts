import { type ASTNode, ParseError, parse } from "@marcbachmann/cel-js";
import { BehaviourSyntaxError, type WorldError } from "../errors.ts";
import { type Json, type JsonObject, setOwn } from "../json.ts";
import { holdsUnknown, UNKNOWN } from "../unknown.ts";
import { compareValues, entryOf, type Frame, fieldOf, type Run, typeError, type Value } from "./frame.ts";
import { type Callable, FUNCTIONS, lookupKey, NAMESPACES } from "./functions/functions.ts";
import { equals } from "./functions/lists.ts";
import { compileMacro, MACROS } from "./functions/macros.ts";
import { METHODS } from "./functions/methods.ts";
import { add, divide, multiply, remainder, subtract } from "./functions/numbers.ts";
import type { Compile, Scope } from "./scope.ts";
import { compileTemplate, drawsKey, MAX_DRAWS } from "./template.ts";
import { chosen, joined, not, type Truth } from "./three-valued.ts";
import { expandHoles } from "./tokens.ts";

const at = (node: ASTNode, expected: string, code: WorldError["code"] = "unknown_name"): BehaviourSyntaxError =>
  new BehaviourSyntaxError(node.start, node.input.slice(node.start, node.end).slice(0, 60), expected, code);

const BUILT_IN = "has, rows, lookup, removed, generate";
const known = (functions: Readonly<Record<string, Callable>>): string => Object.keys(functions).join(", ");

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": remainder,
};
const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function literal(node: ASTNode): Json {
  const value = node.args;
  if (typeof value === "bigint") {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    throw at(node, "a whole number within 2^53", "arithmetic");
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw at(node, "a text, a number, true, false or null", "unsupported");
}

function plus(frame: Frame, a: Value, b: Value): Value {
  if (a === UNKNOWN || b === UNKNOWN) return UNKNOWN;
  if (typeof a === "number" && typeof b === "number") return add(a, b);
  if (typeof a === "string" && typeof b === "string") return frame.text(a + b);
  if (Array.isArray(a) && Array.isArray(b)) return frame.list([...a, ...b]);
  throw typeError("+", a, b);
}

function within(frame: Frame, item: Value, container: Value): Truth {
  if (container === null || container === undefined) return false;
  if (container === UNKNOWN) return UNKNOWN;
  if (Array.isArray(container)) {
    frame.charge(container.length);
    if (typeof item !== "object" && item !== undefined && container.includes(item)) return true;
    if (typeof item !== "object" && item !== undefined && !frame.doubtful) return false;
    const found = container.map((member) => equals(frame, member, item));
    return found.includes(true) ? true : found.includes(UNKNOWN) ? UNKNOWN : false;
  }
  if (item === UNKNOWN) return UNKNOWN;
  if (typeof container === "object" && typeof item !== "object" && item !== undefined)
    return Object.hasOwn(container, String(item));
  throw typeError("in", item, container);
}

function identifier(node: ASTNode, name: string, scope: Scope): Run {
  const slot = scope.names.get(name);
  if (slot !== undefined) return (frame) => frame.slots[slot];
  if (name === "args") return (frame) => frame.args;
  if (name === "now") return (frame) => frame.now;
  if (name === "row" && scope.hasRow) return (frame) => frame.row;
  throw at(
    node,
    `a known name: ${["args", ...(scope.hasRow ? ["row"] : []), "now", ...scope.names.keys()].join(", ")}`,
  );
}

/** The table that an argument names: as a text, or by its bare name. */
export function tableOf(node: ASTNode | undefined, parent: ASTNode, scope: Scope): string {
  const name =
    node?.op === "value" && typeof node.args === "string" ? node.args : node?.op === "id" ? node.args : undefined;
  if (name === undefined || !scope.tables.has(name))
    throw at(node ?? parent, `a table: ${[...scope.tables].join(", ")}`);
  return name;
}

function called(node: ASTNode, callable: Callable, args: readonly Run[]): Run {
  const [least, most] = callable.args;
  if (args.length < least || args.length > most)
    throw at(node, least === most ? `${least} argument(s)` : `${least} to ${most} arguments`);
  const { run, unknown } = callable;
  const [first, second] = args;
  if (unknown === "given" || args.length === 0)
    return (frame) =>
      run(
        frame,
        args.map((arg) => arg(frame)),
      );
  if (unknown === "whole")
    return (frame) => {
      const values = args.map((arg) => arg(frame));
      return frame.doubtful && values.some(holdsUnknown) ? UNKNOWN : run(frame, values);
    };
  if (args.length === 1 && first)
    return (frame) => {
      const value = first(frame);
      return value === UNKNOWN ? UNKNOWN : run(frame, [value]);
    };
  if (args.length === 2 && first && second)
    return (frame) => {
      const one = first(frame);
      const two = second(frame);
      return one === UNKNOWN || two === UNKNOWN ? UNKNOWN : run(frame, [one, two]);
    };
  return (frame) => {
    const values = args.map((arg) => arg(frame));
    return values.includes(UNKNOWN) ? UNKNOWN : run(frame, values);
  };
}

function call(node: ASTNode, name: string, args: readonly ASTNode[], scope: Scope): Run {
  if (name === "has") {
    const [field] = args;
    if (args.length !== 1 || field?.op !== ".") throw at(node, "has(value.field)");
    const [inner, key] = field.args as [ASTNode, string];
    const owner = compileExpressionNode(inner, scope);
    return (frame) => {
      const field = fieldOf(owner(frame), key);
      return field === UNKNOWN ? UNKNOWN : field !== undefined;
    };
  }
  if (name === "rows") {
    const table = tableOf(args[0], node, scope);
    scope.reads(table, "scan");
    return (frame) => {
      if (frame.state.incomplete(table)) return UNKNOWN;
      const rows = frame.state.rows(table);
      frame.charge(1 + rows.length);
      return rows as Json[];
    };
  }
  if (name === "lookup" || name === "removed") {
    const table = tableOf(args[0], node, scope);
    const parts = args.slice(1).map((arg) => compileExpressionNode(arg, scope));
    if (parts.length === 0) throw at(node, `${name}(table, key)`);
    scope.reads(table, "key");
    const found: (frame: Frame, key: string | undefined) => Value =
      name === "lookup"
        ? ({ state }, key) => (key === undefined ? null : (state.get(table, key) ?? null))
        : ({ state }, key) => key !== undefined && state.removed(table, key);
    return (frame) => {
      const values = parts.map((part) => part(frame));
      return frame.doubtful && values.some(holdsUnknown) ? UNKNOWN : found(frame, lookupKey(values));
    };
  }
  if (name === "generate") {
    const [source] = args;
    if (source?.op !== "value" || typeof source.args !== "string") throw at(node, "generate(template)");
    const text = compileTemplate(source.args, scope, compileExpression);
    if (!drawsKey(source.args)) return text;
    const tables = [...scope.tables];
    const isTaken = (frame: Frame, key: string) =>
      tables.some((table) => {
        const row = frame.state.get(table, key);
        return row !== undefined && row !== UNKNOWN;
      });
    return (frame) => {
      let made = String(text(frame));
      // A drawn key is one that no row has.
      for (let tries = 1; tries < MAX_DRAWS && isTaken(frame, made); tries++) {
        frame.charge(1);
        made = String(text(frame));
      }
      frame.drawn ??= new Set();
      frame.drawn.add(made);
      return made;
    };
  }
  const callable = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!callable)
    throw new BehaviourSyntaxError(node.start, name, `a function: ${known(FUNCTIONS)}, ${BUILT_IN}`, "unknown_name");
  return called(
    node,
    callable,
    args.map((arg) => compileExpressionNode(arg, scope)),
  );
}

function method(node: ASTNode, name: string, receiver: ASTNode, args: readonly ASTNode[], scope: Scope): Run {
  if (receiver.op === "id" && !scope.names.has(receiver.args) && Object.hasOwn(NAMESPACES, receiver.args)) {
    const space = NAMESPACES[receiver.args] as Readonly<Record<string, Callable>>;
    if (!Object.hasOwn(space, name)) throw at(node, `a function of ${receiver.args}: ${known(space)}`);
    return called(
      node,
      space[name] as Callable,
      args.map((arg) => compileExpressionNode(arg, scope)),
    );
  }
  if (MACROS.includes(name)) return compileMacro({ node, name, receiver, args, scope, compile: compileExpressionNode });
  const callable = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (!callable) {
    const start = node.input.indexOf(name, receiver.end);
    const expected = `a function of a value: ${known(METHODS)}, ${MACROS.join(", ")}`;
    throw new BehaviourSyntaxError(start, name, expected, "unknown_name");
  }
  return called(
    node,
    callable,
    [receiver, ...args].map((arg) => compileExpressionNode(arg, scope)),
  );
}

function binary(node: ASTNode, scope: Scope): Run {
  const [leftNode, rightNode] = node.args as [ASTNode, ASTNode];
  const left = compileExpressionNode(leftNode, scope);
  const right = compileExpressionNode(rightNode, scope);
  const { op } = node;
  if (op === "&&") return (frame) => joined(frame, false, left, right);
  if (op === "||") return (frame) => joined(frame, true, left, right);
  if (op === "==") return (frame) => equals(frame, left(frame), right(frame));
  if (op === "!=") return (frame) => not(equals(frame, left(frame), right(frame)));
  if (op === "+") return (frame) => plus(frame, left(frame), right(frame));
  if (op === "in") return (frame) => within(frame, left(frame), right(frame));
  if (op === "[]") return (frame) => entryOf(left(frame), right(frame));
  const compare = COMPARISONS[op];
  if (compare)
    return (frame) => {
      const a = left(frame);
      const b = right(frame);
      if (a === UNKNOWN || b === UNKNOWN) return a === null || b === null ? false : UNKNOWN;
      const order = compareValues(a, b);
      return order !== undefined && compare(order);
    };
  const compute = ARITHMETIC[op];
  if (!compute) throw at(node, "an operation of the language", "unsupported");
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (a === UNKNOWN || b === UNKNOWN) return UNKNOWN;
    if (typeof a !== "number" || typeof b !== "number") throw typeError(op, a, b);
    return compute(a, b);
  };
}

/** Compiles a parsed node. Throws BehaviourSyntaxError, its offset in the text that was parsed. */
export const compileExpressionNode: Compile = (node, scope) => {
  switch (node.op) {
    case "value": {
      const value = literal(node);
      return () => value;
    }
    case "id":
      return identifier(node, node.args, scope);
    case ".": {
      const [inner, name] = node.args;
      const owner = compileExpressionNode(inner, scope);
      return (frame) => fieldOf(owner(frame), name);
    }
    case "call":
      return call(node, node.args[0], node.args[1], scope);
    case "rcall":
      return method(node, node.args[0], node.args[1], node.args[2], scope);
    case "list": {
      const items = node.args.map((item) => compileExpressionNode(item, scope));
      return (frame) => frame.list(items.map((item) => item(frame) ?? null));
    }
    case "map": {
      const entries = node.args.map(
        ([key, value]) => [compileExpressionNode(key, scope), compileExpressionNode(value, scope)] as const,
      );
      return (frame) => {
        const out: JsonObject = {};
        frame.charge(entries.length);
        for (const [key, value] of entries) {
          const name = key(frame);
          if (name === UNKNOWN) return UNKNOWN;
          setOwn(out, nameOf(name), value(frame) ?? null);
        }
        return out;
      };
    }
    case "?:": {
      const [test, yes, no] = node.args.map((part) => compileExpressionNode(part, scope)) as [Run, Run, Run];
      return (frame) => chosen(frame, test, yes, no);
    }
    case "!_": {
      const inner = compileExpressionNode(node.args, scope);
      return (frame) => not(inner(frame));
    }
    case "-_": {
      const inner = compileExpressionNode(node.args, scope);
      return (frame) => {
        const value = inner(frame);
        if (value === UNKNOWN) return UNKNOWN;
        if (typeof value !== "number") throw typeError("-", value);
        return 0 - value;
      };
    }
    default:
      return binary(node, scope);
  }
};

function nameOf(value: Value): string {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw typeError("a map key", value);
  return String(value);
}

/** Parses an expression's text. Throws `syntax` with the offset in the given text. */
export function parseExpression(text: string): ASTNode {
  const expanded = expandHoles(text);
  try {
    return parse(expanded.text).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const start = expanded.origin(error.range?.start ?? 0);
    const end = Math.max(start, expanded.origin(error.range?.end ?? 0));
    throw new BehaviourSyntaxError(start, text.slice(start, end), "an expression");
  }
}

/**
 * Compiles an expression to a closure that sees plain JSON and nothing of the host. Throws BehaviourSyntaxError, its
 * offset in the given text. Where this differs from CEL: numbers are one kind and exact as decimals, `/` never cuts; an
 * absent field or index reads as null, and a field of null is null; an order with null on a side is false; `&&` and `||`
 * go from left to right; there are no bytes, unsigned numbers or optional values. An unknown operand makes an operation
 * unknown, except where the others decide: `false && x`, `x ? a : a`, an order with null, a member found in a list.
 */
export function compileExpression(text: string, scope: Scope): Run {
  const expanded = expandHoles(text);
  const node = parseExpression(text);
  try {
    return compileExpressionNode(node, scope);
  } catch (error) {
    if (!(error instanceof BehaviourSyntaxError)) throw error;
    throw new BehaviourSyntaxError(expanded.origin(error.at), error.word, error.expected, error.code);
  }
}

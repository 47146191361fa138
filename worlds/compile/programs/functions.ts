import { getOwn, isObject, type Json, type JsonObject } from "../../json.ts";
import type { Call, Session } from "../observations.ts";
import { isScalar } from "../values.ts";
import { arg, argumentPaths, constant, type Expr, type Facts } from "./expressions/expr.ts";
import { type Example, fitExpression } from "./expressions/fit.ts";
import { type Kinds, toolOf } from "./state/kinds.ts";
import { type Functions, WHOLE } from "./state/observations.ts";

/** Share of a tool's calls, and of an act's, that functions have to tell: the others are not known, or end in seldom ways. */
const MOST = 0.5;

const NOTHING: Facts = { cells: new Map(), tables: new Map() };

/**
 * Finds tools that only compute: numbers in their answers, or in the sentences that they answer, follow from the arguments
 * in every call. They show nothing that is stored.
 */
export function findFunctions(sessions: readonly Session[], kinds: Kinds): Functions {
  const calls = sessions.flatMap((session, s) => session.calls.map((call) => ({ call, session: s })));
  const tools = new Set<string>();
  const leaves = new Map<string, ReadonlyMap<string, Expr>>();
  for (const [tool, ofTool] of Map.groupBy(
    calls.filter(({ call }) => call.ok),
    ({ call }) => call.tool,
  )) {
    const found = new Map<string, ReadonlyMap<string, Expr>>();
    let told = 0;
    for (const [act, of] of Map.groupBy(ofTool, ({ call }) => kinds.act(call))) {
      const fields = functionsOf(of);
      if (!fields) continue;
      found.set(act, fields);
      told += of.length;
    }
    if (found.size === 0 || told < ofTool.length * MOST) continue;
    tools.add(tool);
    for (const [act, fields] of found) leaves.set(act, fields);
  }
  return { tools, leaves };
}

/** The functions of tools around whose calls nothing changes. */
export function without({ tools, leaves }: Functions, writers: ReadonlySet<string>): Functions {
  return {
    tools: new Set([...tools].filter((tool) => !writers.has(tool))),
    leaves: new Map([...leaves].filter(([act]) => !writers.has(toolOf(act)))),
  };
}

interface Seen {
  readonly call: Call;
  readonly session: number;
}

/** All leaves of an act's answers as functions of its arguments; undefined where one is none, or where none computes. */
function functionsOf(of: readonly Seen[]): ReadonlyMap<string, Expr> | undefined {
  if (new Set(of.map(({ session }) => session)).size < 2 || !of.some(({ call }) => holdsNumber(call.args)))
    return undefined;
  const terms = argumentPaths(of.map(({ call }) => call)).map((path) => arg(...path));
  const names = new Set(of.flatMap(({ call: { value } }) => (isObject(value) ? Object.keys(value) : [WHOLE])));
  const out = new Map<string, Expr>();
  let computes = false;
  for (const name of names) {
    const values = of.map(({ call: { value } }) => (isObject(value) ? getOwn(value, name) : value));
    if (!values.every((value) => isScalar(value))) return undefined;
    const expr = functionOf(of, values, terms);
    if (!expr) return undefined;
    out.set(name, expr);
    computes ||= isComputed(expr);
  }
  return computes ? out : undefined;
}

function functionOf(of: readonly Seen[], values: readonly Json[], terms: readonly Expr[]): Expr | undefined {
  const [first] = values;
  if (first !== undefined && values.every((value) => value === first)) return constant(first);
  const examples = of.map(({ call, session }, i): Example => {
    return { env: { args: call.args, facts: NOTHING }, target: values[i] as Json, session };
  });
  const found = fitExpression(examples, terms, undefined, 2, of[0]?.call.tool);
  return found && found.wrong === 0 && found.right >= examples.length * MOST ? found.expr : undefined;
}

const holdsNumber = (args: JsonObject): boolean => /\d/.test(JSON.stringify(Object.values(args)));

/** Whether a number is computed anywhere in an expression. */
function isComputed(expr: Expr): boolean {
  switch (expr.op) {
    case "math":
    case "add":
    case "subtract":
    case "multiply":
      return true;
    case "fixed":
      return isComputed(expr.a);
    case "text":
      return expr.parts.some((part) => typeof part !== "string" && isComputed(part));
    case "if":
      return isComputed(expr.met) || isComputed(expr.otherwise);
    case "decide":
      return expr.cases.some(([, then]) => isComputed(then));
    default:
      return false;
  }
}

import type { Json } from "../../json.ts";
import { canon, isScalar } from "../values.ts";
import { arg, constant, type Env, type Expr, evaluate } from "./expr.ts";
import type { Kind } from "./kinds.ts";
import type { Step } from "./simulate.ts";

/** Successes from which what all of them had in common is held to be needed. */
const ENOUGH = 4;
/** Values of a text argument past which it is no choice among few. */
const CHOICES = 8;
/** Times that each of few values was seen on the average, from which another one is unheard of. */
const OFTEN = 3;

const failed = (kind: Kind): boolean => kind.startsWith("error ");

/**
 * Conditions under which no call was seen to succeed though the evidence is wide enough to tell: rows that every
 * success found, values of arguments that no success was given. What meets one is outside of what programs may claim.
 */
export function unsupported(steps: readonly Step[], kindOf: (step: Step) => Kind, present: readonly Expr[]): Expr[] {
  const good = steps.filter((step) => !failed(kindOf(step)));
  const bad = steps.filter((step) => failed(kindOf(step)));
  if (good.length < ENOUGH) return [];
  const out: Expr[] = [];
  for (const expr of present) {
    const holds = good.map(({ call, before }) => evaluate(expr, { args: call.args, facts: before } satisfies Env));
    const known = holds.filter((value) => typeof value === "boolean");
    if (known.length >= ENOUGH && known.every((value) => value)) out.push({ op: "not", a: expr });
  }
  for (const name of new Set(good.flatMap(({ call }) => Object.keys(call.args)))) {
    const values = given(good, name);
    if (values.length < ENOUGH) continue;
    const refused = given(bad, name);
    const numbers = values.filter((value) => typeof value === "number");
    if (numbers.length === values.length)
      out.push(
        ...outside(
          name,
          numbers,
          refused.filter((value) => typeof value === "number"),
        ),
      );
    else out.push(...unheard(name, values));
  }
  return out;
}

function given(steps: readonly Step[], name: string): Json[] {
  return steps.flatMap(({ call }) => {
    const value = call.args[name];
    return value === undefined || value === null ? [] : [value];
  });
}

/** Numbers past those that succeeded: on the side where a call was refused, and of a sign that none had. */
function outside(name: string, good: readonly number[], refused: readonly number[]): Expr[] {
  const [low, high] = [Math.min(...good), Math.max(...good)];
  const out: Expr[] = [];
  const is: Expr = { op: "given", path: [name] };
  const both = (test: Expr): Expr => ({ op: "and", a: is, b: test });
  if (refused.some((value) => value > high)) out.push(both({ op: "less", a: constant(high), b: arg(name) }));
  if (refused.some((value) => value < low)) out.push(both({ op: "less", a: arg(name), b: constant(low) }));
  else if (low > 0) out.push(both({ op: "most", a: arg(name), b: constant(0) }));
  else if (low === 0) out.push(both({ op: "less", a: arg(name), b: constant(0) }));
  return out;
}

/** A text, or one in a list, that is none of the few that were ever given. */
function unheard(name: string, values: readonly Json[]): Expr[] {
  if (!values.every((value) => typeof value === "string")) return [];
  const kinds = new Map(values.filter(isScalar).map((value) => [canon(value), value]));
  if (kinds.size > CHOICES || kinds.size < 2 || values.length < kinds.size * OFTEN) return [];
  const listed: Expr = { op: "contains", a: constant([...kinds.values()]), b: arg(name) };
  return [{ op: "and", a: { op: "given", path: [name] }, b: { op: "not", a: listed } }];
}

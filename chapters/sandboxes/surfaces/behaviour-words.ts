import type { Each, Guard, KeyPart, Step } from "../../../worlds/behaviour/schema.ts";
import { tokenAt } from "../../../worlds/behaviour/tokens.ts";
import { conditionWords } from "./condition-words.ts";

/** What a step of a behaviour does, in a sentence; the step itself says how. */
export function stepWords(step: Step): string {
  switch (step.op) {
    case "read":
      return `Looks up the ${step.table} row by ${keys(step.key)} and answers ${step.view === undefined ? "it" : "parts of it"}${missing(step.else)}.`;
    case "list":
      return `Answers the rows of ${step.table}${step.where === undefined ? "" : " that fit"}${step.limit === undefined ? "" : ", only so many"}.`;
    case "insert":
      return `${repeated(step.each)}dds a row to ${step.table}${guarded(step.require)}.`;
    case "update":
      return `${repeated(step.each, "c")}hanges ${step.set.map(({ path }) => path).join(", ")} of the ${step.table} row found by ${keys(step.key)}${guarded(step.require)}${missing(step.else)}.`;
    case "delete":
      return `${repeated(step.each, "t")}akes the ${step.table} row found by ${keys(step.key)} away${guarded(step.require)}${missing(step.else)}.`;
    case "let":
      return letWords(step.name, step.expr);
    case "answer":
      return "Answers a value.";
    case "say":
      return "Answers a text.";
    case "refuse":
      return `Refuses the call with “${step.template}”${step.when === undefined ? "" : ` where ${conditionWords(step.when) ?? `${quoted(step.when)} holds`}`}.`;
    case "recorded":
      return "Answers what was recorded of the same call.";
  }
}

/** A check is written as a value that is true, or else refuses the call or leaves it unanswered. */
function letWords(name: string, expr: string): string {
  const words = refusalIn(expr);
  const condition = conditionOf(expr);
  const [, table] = /\blookup\("(\w+)"/.exec(expr) ?? [];
  if (condition === undefined || (words === undefined && !/\bnot_served\(/.test(expr)))
    return table === undefined
      ? `Keeps a value as “${name}”.`
      : `Looks into ${table} and keeps what it finds as “${name}”.`;
  const ends = words === undefined ? "not served" : words === "" ? "refused" : `refused with “${words}”`;
  const plain = conditionWords(condition);
  return plain === undefined
    ? `Checks ${quoted(condition)}: where it does not hold, the call is ${ends}.`
    : `Checks that ${plain}: if not, the call is ${ends}.`;
}

/** What a value is true by (`… ? true : …`); undefined where it is no such value. */
function conditionOf(expr: string): string | undefined {
  const opened: number[] = [0];
  for (let at = 0; ; ) {
    const token = tokenAt(expr, at);
    if (token.kind === "end") return undefined;
    if (token.text === "(") opened.push(token.end);
    else if (token.text === ")") opened.pop();
    else if (token.text === "?" && tokenAt(expr, token.end).text === "true")
      return expr.slice(opened.at(-1), token.start).trim();
    at = token.end;
  }
}

/** Characters of a condition that a sentence holds; the step itself has all of it. */
const MOST = 160;

const quoted = (condition: string): string =>
  `“${condition.length > MOST ? `${condition.slice(0, MOST).trimEnd()}…` : condition}”`;

/** The words of the first refusal in an expression, an ellipsis for each value in them; undefined where it refuses nowhere. */
function refusalIn(expr: string): string | undefined {
  const begin = /\berror\(/.exec(expr);
  if (begin === null) return undefined;
  let depth = 1;
  let words = "";
  for (let at = begin.index + begin[0].length; depth > 0; ) {
    const token = tokenAt(expr, at);
    if (token.kind === "end") break;
    at = token.end;
    if (token.text === "(") depth += 1;
    else if (token.text === ")") depth -= 1;
    else if (depth > 1 || token.kind !== "string") words += words.endsWith("…") ? "" : "…";
    else words += token.text.slice(1, -1);
  }
  return words.replaceAll(/…(?:\s*…)+/g, "…").replace(/^…$/, "");
}

const keys = (parts: readonly KeyPart[]) => parts.map(({ column }) => column).join(" and ");
const guarded = (guards: readonly Guard[]) =>
  guards.length === 0
    ? ""
    : `, where ${guards.map(({ expr }) => conditionWords(expr) ?? `${quoted(expr)} holds`).join(" and ")}`;
const missing = (error: string | undefined) => (error === undefined ? "" : "; without such a row it refuses");

function repeated(each: Each | undefined, letter = "a"): string {
  return each === undefined ? letter.toUpperCase() : `For each of some values, it ${letter}`;
}

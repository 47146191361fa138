import { BehaviourSyntaxError } from "../errors.ts";
import { shield } from "./line.ts";
import { pathParts } from "./path.ts";
import type { Assignment, Behaviour, Each, Guard, KeyPart, Step, View } from "./schema.ts";
import { expressionEnd, tokenAt } from "./tokens.ts";

/** An expression on one line: comments and whitespace between tokens become single blanks. */
export function oneLine(expr: string): string {
  let out = "";
  let end = 0;
  for (let token = tokenAt(expr, 0); token.kind !== "end"; token = tokenAt(expr, token.end)) {
    const gap = expr.slice(end, token.start);
    out += (out === "" ? "" : /[\n\r]|\/\//.test(gap) ? " " : gap) + token.text;
    end = token.end;
  }
  return out;
}

function expression(expr: string): string {
  const line = oneLine(expr);
  const end = expressionEnd(line, 0);
  if (end === line.length && line !== "") return line;
  const word = tokenAt(line, end);
  throw new BehaviourSyntaxError(word.start, word.text, "the end of the expression");
}

function path(text: string): string {
  pathParts(text);
  return text.trim();
}

const quoted = (template: string): string => JSON.stringify(template);
const key = (parts: readonly KeyPart[]): string =>
  ` by ${parts.map(({ column, expr }) => path(column) + (expr === undefined ? "" : ` = ${expression(expr)}`)).join(", ")}`;
const sets = (all: readonly Assignment[]): string =>
  ` set ${all.map(({ path: to, op, expr }) => `${path(to)} ${op} ${expression(expr)}`).join(", ")}`;
const guards = (all: readonly Guard[]): string =>
  all.map(({ expr, error }) => ` require ${expression(expr)} else error ${quoted(error)}`).join("");
const view = (fields: View | undefined): string =>
  fields === undefined
    ? ""
    : ` as {${fields.map(({ path: at, expr }) => path(at) + (expr === undefined ? "" : `: ${expression(expr)}`)).join(", ")}}`;
const otherwise = (error: string | undefined): string => (error === undefined ? "" : ` else error ${quoted(error)}`);
const each = (repeat: Each | undefined): string =>
  repeat === undefined ? "" : `for ${repeat.name} in ${expression(repeat.in)} `;

function printStep(step: Step): string {
  switch (step.op) {
    case "read":
      return `read ${step.table}${key(step.key)}${view(step.view)}${otherwise(step.else)}`;
    case "list": {
      const where = step.where === undefined ? "" : ` where ${expression(step.where)}`;
      const order =
        step.order_by === undefined ? "" : ` order by ${path(step.order_by.path)}${step.order_by.desc ? " desc" : ""}`;
      const limit = step.limit === undefined ? "" : ` limit ${expression(step.limit)}`;
      return `list ${step.table}${where}${order}${limit}${view(step.view)}`;
    }
    case "insert": {
      const named = step.key === "" ? "" : ` key ${quoted(step.key)}`;
      const set = step.set.length === 0 ? "" : sets(step.set);
      return `${each(step.each)}insert ${step.table}${set}${named}${guards(step.require)}${view(step.view)}`;
    }
    case "update":
      return `${each(step.each)}update ${step.table}${key(step.key)}${sets(step.set)}${guards(step.require)}${view(step.view)}${otherwise(step.else)}`;
    case "delete":
      return `${each(step.each)}delete ${step.table}${key(step.key)}${guards(step.require)}${view(step.view)}${otherwise(step.else)}`;
    case "let":
      return `let ${step.name} = ${expression(step.expr)}`;
    case "answer":
      return `answer ${shield(expression(step.expr))}`;
    case "say":
      return `answer ${quoted(step.template)}`;
    case "refuse":
      return `refuse ${quoted(step.template)}${step.when === undefined ? "" : ` when ${expression(step.when)}`}`;
    case "recorded":
      return "recorded";
  }
}

/**
 * The one-line form of a behaviour. `parseLine` reads it back to the same JSON form, except for the layout of its
 * expressions (`oneLine`). Throws BehaviourSyntaxError on an expression or a path that does not parse.
 */
export function printLine(behaviour: Behaviour): string {
  return behaviour.steps.map(printStep).join("; ");
}

/** The same with a step on each line, which `parseLine` reads as well. */
export function printLines(behaviour: Behaviour): string {
  return behaviour.steps.map(printStep).join(";\n");
}

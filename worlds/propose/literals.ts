import type { ASTNode } from "@marcbachmann/cel-js";
import type { Behaviour, Step } from "../behaviour/schema.ts";
import { templateParts } from "../behaviour/template.ts";
import { treeOf } from "../behaviour/visit.ts";
import { BehaviourSyntaxError } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";

/** A program whose own literals are longer than this share of what it explains is a list of what was seen. */
const LISTED = 0.5;
/** Share of the explained calls that hold a word which says nothing of any one of them. */
const COMMON = 0.9;

/** A call that a program explains, each question and answer once in a session. */
export interface Explained {
  readonly session: number;
  readonly args: JsonObject;
  readonly value: Json;
}

/** Words and numbers of a value, and the names of its fields. */
function wordsIn(value: Json, words: Set<string>, fields: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) wordsIn(item, words, fields);
  else if (isObject(value))
    for (const [field, item] of Object.entries(value)) {
      fields.add(field);
      wordsIn(item, words, fields);
    }
  else if (value !== null && typeof value !== "boolean") for (const word of wordsOf(String(value))) words.add(word);
}

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}_.-]+/u).filter((word) => word !== "");

/** Words of every literal of a program, as often as they stand there; names of answered fields are none. */
function literalsOf({ steps }: Behaviour, fields: ReadonlySet<string>): string[] {
  const out: string[] = [];
  const literal = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number" || typeof value === "bigint")
      out.push(...wordsOf(String(value)));
  };
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) for (const part of node) walk(part);
    else if (typeof node === "object" && node !== null && "op" in node) {
      const { op, args } = node as ASTNode;
      if (op === "value") literal(args);
      else if (op === "map")
        for (const [key, value] of args as [ASTNode, ASTNode][]) {
          if (key.op !== "value" || typeof key.args !== "string" || !fields.has(key.args)) walk(key);
          walk(value);
        }
      // A template that is generated stands as a text: its holes are read as templates are.
      else if (op === "call" && args[0] === "generate")
        for (const part of args[1] as ASTNode[])
          if (part.op === "value" && typeof part.args === "string") template(part.args);
          else walk(part);
      else walk(args);
    }
  };
  const expression = (text: string | undefined): void => {
    if (text !== undefined) walk(treeOf(text));
  };
  const template = (text: string | undefined): void => {
    for (const part of text === undefined ? [] : partsOf(text))
      if ("text" in part) literal(part.text);
      else if ("expr" in part) expression(part.expr);
  };
  for (const step of steps) literalsIn(step, expression, template);
  return out;
}

function partsOf(text: string): ReturnType<typeof templateParts> {
  try {
    return templateParts(text);
  } catch (error) {
    if (!(error instanceof BehaviourSyntaxError)) throw error;
    return [{ text }];
  }
}

type Take = (text: string | undefined) => void;

function literalsIn(step: Step, expression: Take, template: Take): void {
  if ("expr" in step) expression(step.expr);
  if ("where" in step) expression(step.where);
  if ("limit" in step) expression(step.limit);
  if ("when" in step) expression(step.when);
  if ("set" in step) for (const { expr } of step.set) expression(expr);
  if ("each" in step) expression(step.each?.in);
  if ("view" in step) for (const { expr } of step.view ?? []) expression(expr);
  if ("require" in step)
    for (const { expr, error } of step.require) {
      expression(expr);
      template(error);
    }
  if ("template" in step) template(step.template);
  if ("else" in step) template(step.else);
  if (step.op === "insert") template(step.key);
  else if ("key" in step) for (const { expr } of step.key) expression(expr);
}

const length = (words: Iterable<string>): number => [...words].reduce((sum, word) => sum + word.length, 0);

/**
 * Whether a program only restates the calls that it explains: its literals, and what it reads of rows to start with, are
 * about as long as what they explain. Words that nearly all of these calls have in common say nothing of one of them and
 * count on neither side.
 */
export function isLookup(program: Behaviour, rows: readonly Json[], calls: readonly Explained[]): boolean {
  const fields = new Set<string>();
  const once = new Map<string, Set<string>>();
  for (const { session, args, value } of calls) {
    const words = new Set<string>();
    for (const key of Object.keys(args)) wordsIn(args[key] as Json, words, new Set());
    wordsIn(value, words, fields);
    once.set(JSON.stringify([session, args, value]), words);
  }
  const uses = new Map<string, number>();
  for (const words of once.values()) for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);
  const common = (word: string): boolean => (uses.get(word) ?? 0) >= COMMON * once.size;
  const explained = [...once.values()].reduce(
    (sum, words) => sum + 1 + length([...words].filter((w) => !common(w))),
    0,
  );
  const kept = new Set<string>();
  for (const row of rows) wordsIn(row, kept, new Set());
  const literals = literalsOf(program, fields).filter((word) => !common(word));
  const distinct = new Set([...literals, ...[...kept].filter((word) => !common(word))]);
  // A word that stands there again costs its place alone.
  const again = literals.length - new Set(literals).size;
  return length(distinct) + again > LISTED * explained;
}

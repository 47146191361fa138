import { literal, member } from "../../conditions/term.ts";
import { byText } from "../../values.ts";
import type { ArgumentAssignment } from "../argument-assignments.ts";
import { decimal, incrementText, numberText } from "../increments.ts";
import { rowName } from "../own-rows.ts";
import { entryParts, type Rule } from "./rules.ts";
import type { Model, Node } from "./tree.ts";

/** A longer expression does not fit the language. */
export const LONGEST = 3600;
/** The names that the readings go by: before a call, and after what it did. */
export type StateName = "s" | "a";

/** A feature of a rule as an expression: an argument as text, or a reading. */
export const featureText = (name: string, of: StateName = "s"): string => {
  const arg = /^args\.(.*)$/s.exec(name)?.[1];
  if (arg === undefined) return rowName(name) ?? `${of}.${name}`;
  const given = member("args", arg);
  return `(${given} == null ? "" : string(${given}))`;
};

/** A rule as an expression that is null where the rule does not tell. */
export function ruleText(rule: Rule, stateName: StateName = "s"): string {
  const feature = (name: string) => featureText(name, stateName);
  if (rule.kind === "copy") return feature(rule.of);
  if (rule.kind === "shift") return incrementText(rule, feature);
  if (rule.kind === "acts") return assignmentText(rule, feature);
  if (rule.kind === "tree") {
    const text = nodeText(rule.root, feature);
    return text.length > LONGEST ? "null" : text;
  }
  const { of, entries } = rule;
  if (of.length === 0) return literal(entries.get("") ?? null);
  const text = `${nested([...entries].map(([key, value]) => [entryParts(key), value] as const))}${of.map((name) => `.get(${feature(name)}, null)`).join("")}`;
  return text.length > LONGEST ? "null" : text;
}

function nodeText(node: Node, feature: (name: string) => string): string {
  if (node.kind === "leaf") {
    if (!node.model) return "null";
    const text = modelText(node.model, feature);
    return node.also ? `(${text} == ${modelText(node.also, feature)} ? ${text} : null)` : text;
  }
  const known = feature(node.of);
  if (node.kind === "compare")
    return `(${known} == null || !${numberText(known)} ? null : double(${known}) <= ${decimal(node.most)} ? ${nodeText(node.within, feature)} : ${nodeText(node.above, feature)})`;
  const rest = node.rest ? nodeText(node.rest, feature) : "null";
  const tests = [...node.entries].map(
    ([value, below]) => `${known} == ${literal(value)} ? ${nodeText(below, feature)} : `,
  );
  return `(${node.rest ? `${known} == null ? null : ` : ""}${tests.join("")}${rest})`;
}

function modelText(model: Model, feature: (name: string) => string): string {
  if (model.kind === "constant") return literal(model.value);
  return model.kind === "copy" ? feature(model.of) : incrementText(model, feature);
}

/** What stands for a reading that a call leaves as it is. */
const KEPT = "\u0000";

function assignmentText({ own, of, entries, kept }: ArgumentAssignment, feature: (name: string) => string): string {
  const all = [...entries, ...[...kept].map((key) => [key, KEPT] as const)];
  const map = nested(all.map(([key, value]) => [entryParts(key), value] as const));
  const told = `${map}${of.map((name) => `.get(${feature(name)}, null)`).join("")}`;
  const text = kept.size === 0 ? told : `(${told} == ${literal(KEPT)} ? ${feature(own)} : ${told})`;
  return text.length > LONGEST ? "null" : text;
}

function nested(entries: readonly (readonly [readonly string[], string])[]): string {
  const heads = [...new Set(entries.map(([[head]]) => head as string))].sort(byText);
  const parts = heads.map((head) => {
    const below = entries.filter(([[first]]) => first === head);
    const leaf = below[0]?.[0].length === 1;
    const value = leaf ? literal(below[0]?.[1] ?? null) : nested(below.map(([[, ...rest], of]) => [rest, of] as const));
    return `${literal(head)}: ${value}`;
  });
  return `{${parts.join(", ")}}`;
}

/** The first of some expressions that is not null. */
export function firstOf(texts: readonly string[]): string {
  const known = texts.filter((text, i) => text !== "null" && texts.indexOf(text) === i);
  const [first, ...rest] = known;
  if (first === undefined) return "null";
  if (rest.length === 0) return first;
  const joined = `(${first} != null ? ${first} : ${firstOf(rest)})`;
  return joined.length > LONGEST ? first : joined;
}

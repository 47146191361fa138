import type { ASTNode } from "@marcbachmann/cel-js";
import { BehaviourSyntaxError } from "../errors.ts";
import { parseExpression } from "./expression.ts";
import type { Step } from "./schema.ts";
import { tableNamed } from "./table-name.ts";

/** Every node of an expression's tree, parents first. */
export function* nodesOf(node: unknown): Generator<ASTNode> {
  if (Array.isArray(node)) for (const part of node) yield* nodesOf(part);
  else if (typeof node === "object" && node !== null && "op" in node) {
    yield node as ASTNode;
    if ((node as ASTNode).op !== "value") yield* nodesOf((node as ASTNode).args);
  }
}

/** The expressions of a step, as text; templates and views are none. */
export function expressionsOf(step: Step): string[] {
  const texts: (string | undefined)[] = [];
  if ("expr" in step) texts.push(step.expr);
  if ("where" in step) texts.push(step.where, step.limit);
  if ("when" in step) texts.push(step.when);
  if ("set" in step) texts.push(...step.set.map(({ expr }) => expr));
  if ("require" in step) texts.push(...step.require.map(({ expr }) => expr));
  if ("each" in step) texts.push(step.each?.in);
  return texts.filter((text) => text !== undefined);
}

/** The tree of an expression; nothing for one that does not read, which is a fault of the behaviour that has it. */
export function treeOf(text: string): ASTNode | undefined {
  try {
    return parseExpression(text);
  } catch (error) {
    if (error instanceof BehaviourSyntaxError) return undefined;
    throw error;
  }
}

/** Columns that expressions look at in rows which they search a table for, by table. */
export function searchedColumns(steps: readonly Step[], tables: ReadonlySet<string>): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  for (const text of steps.flatMap(expressionsOf))
    for (const node of nodesOf(treeOf(text))) {
      if (node.op !== "rcall" || node.args[0] !== "map") continue;
      const [, receiver, [variable, ...bodies]] = node.args;
      if (receiver.op !== "rcall" || receiver.args[0] !== "filter" || variable?.op !== "id") continue;
      const table = tableNamed(receiver.args[1], tables);
      if (table === undefined) continue;
      for (const inner of nodesOf(bodies)) {
        if (inner.op !== "." || inner.args[0].op !== "id" || inner.args[0].args !== variable.args) continue;
        out.set(table, (out.get(table) ?? new Set()).add(inner.args[1]));
      }
    }
  return out;
}

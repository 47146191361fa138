import type { ASTNode } from "@marcbachmann/cel-js";

/** The table that a `rows(table)` call reads; undefined for any other node. */
export function tableNamed(node: ASTNode, tables: ReadonlySet<string>): string | undefined {
  if (node.op !== "call" || node.args[0] !== "rows") return undefined;
  const [argument] = node.args[1];
  const name = argument?.op === "value" || argument?.op === "id" ? argument.args : undefined;
  return typeof name === "string" && tables.has(name) ? name : undefined;
}

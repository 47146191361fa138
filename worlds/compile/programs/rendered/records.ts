import { type JsonObject, setOwn } from "../../../json.ts";
import { type FormNode, fieldsIn } from "./form.ts";
import type { Read, Tree } from "./texts.ts";

/** The record that a text says; of a numbered entry, without its number. */
export function recordOf(nodes: readonly FormNode[], tree: Tree, numbered = false): JsonObject {
  const out: JsonObject = {};
  for (const [i, node] of nodes.entries()) {
    const at = tree[i];
    if (node.kind === "repeat") {
      const entries = (at as readonly Tree[]).map((entry) => recordOf(node.of, entry, node.numbered !== undefined));
      setOwn(
        out,
        node.name,
        node.alone === undefined ? entries : entries.map((one) => one[node.alone as string] ?? null),
      );
      continue;
    }
    const line = at as Read | undefined;
    const fields = node.parts.flatMap(fieldsIn);
    for (const [j, { name, number }] of fields.entries()) {
      const value = line?.values[j + (numbered && i === 0 ? 1 : 0)];
      if (typeof value === "string") setOwn(out, name, number ? Number(value) : value);
      else setOwn(out, name, value === undefined ? null : [...value]);
    }
    if (node.when !== undefined && !fields.some(({ name }) => name === node.when))
      setOwn(out, node.when, line ? true : null);
  }
  return out;
}

/** The record of which the list is empty: numbers that stand beside it count nothing. */
export function emptyRecord(nodes: readonly FormNode[]): JsonObject {
  const out: JsonObject = {};
  for (const node of nodes) {
    if (node.kind === "repeat") setOwn(out, node.name, []);
    else for (const { name, number } of node.parts.flatMap(fieldsIn)) setOwn(out, name, number ? 0 : null);
  }
  return out;
}

import type { Copy, Increment } from "../increments.ts";
import { numberIn, shifted } from "../increments.ts";

/** What stands at the end of a tree: one value, the same as a feature, or a number off one. */
export type Model = Copy | Increment | { readonly kind: "constant"; readonly value: string };

/** The end of a tree; `also` explains the same cases, and what is told is what both give. No model for what too few cases tell. */
export interface Leaf {
  readonly kind: "leaf";
  readonly model: Model | undefined;
  readonly also: Model | undefined;
}

/** Cases told apart by a feature's values; `rest` is what the others lead to. */
export interface Choose {
  readonly kind: "choose";
  readonly of: string;
  readonly entries: ReadonlyMap<string, Node>;
  readonly rest: Node | undefined;
}

/** Cases told apart by whether a feature's number is at most some other. */
export interface Compare {
  readonly kind: "compare";
  readonly of: string;
  readonly most: number;
  readonly within: Node;
  readonly above: Node;
}

export type Node = Leaf | Choose | Compare;

/** How a value follows from features looked at one after the other: what a first one decides, no other need be known for. */
export interface Tree {
  readonly kind: "tree";
  readonly root: Node;
}

/** Where a tree ends; undefined where a feature on the way has a value it does not know, "unknown" where the feature is not known. */
function endAt({ root }: Tree, features: ReadonlyMap<string, string>): Leaf | "unknown" | undefined {
  let node = root;
  while (node.kind !== "leaf") {
    const text = features.get(node.of);
    if (text === undefined) return "unknown";
    let next: Node | undefined;
    if (node.kind === "choose") next = node.entries.get(text) ?? node.rest;
    else {
      const number = numberIn(text);
      next = number === undefined ? undefined : number <= node.most ? node.within : node.above;
    }
    if (!next) return undefined;
    node = next;
  }
  return node;
}

/** The end of a tree for some features, where it has one. */
export function endOf(tree: Tree, features: ReadonlyMap<string, string>): Leaf | undefined {
  const end = endAt(tree, features);
  return end === "unknown" ? undefined : end;
}

/** What a tree tells; undefined where a feature on the way is not known, and `unknown` says so. */
export function predict(
  tree: Tree,
  features: ReadonlyMap<string, string>,
): { readonly value: string | undefined; readonly unknown: boolean } {
  const end = endAt(tree, features);
  if (end === "unknown" || end === undefined) return { value: undefined, unknown: end === "unknown" };
  const value = end.model && modelled(end.model, features);
  const agreed = end.also === undefined || modelled(end.also, features) === value;
  return { value: agreed ? value : undefined, unknown: false };
}

/** What a model tells; undefined where its feature is not known. */
export function modelled(model: Model, features: ReadonlyMap<string, string>): string | undefined {
  if (model.kind === "constant") return model.value;
  return model.kind === "copy" ? features.get(model.of) : shifted(model, features);
}

/** Whether a tree finds all it looks at known. */
export const reaches = (tree: Tree, features: ReadonlyMap<string, string>): boolean => !predict(tree, features).unknown;

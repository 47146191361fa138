import type { Case } from "../cases.ts";
import { fitTree } from "./fit-tree.ts";
import { endOf, type Leaf, type Node, predict, type Tree } from "./tree.ts";

/** Groups of sessions are held out in this many parts. */
const FOLDS = 3;

/** A tree without the ends that fail on held-out groups of sessions, and how many of their cases it tells rightly and wrongly. */
export function crossValidatedTree(
  cases: readonly Case[],
  names: readonly string[],
  own?: string,
): { tree: Tree; right: number; wrong: number } | undefined {
  const tree = fitTree(cases, names, own);
  if (!tree) return undefined;
  const groups = [...new Set(cases.map(({ session }) => session))].sort((a, b) => a - b);
  const foldOf = new Map(groups.map((group, i) => [group, i % FOLDS]));
  const ends = new Map<Leaf, { right: number; wrong: number }>();
  for (let fold = 0; fold < FOLDS; fold++) {
    const rest = fitTree(
      cases.filter(({ session }) => foldOf.get(session) !== fold),
      names,
      own,
    );
    for (const { session, features, value } of rest ? cases : []) {
      const end = foldOf.get(session) === fold ? endOf(tree, features) : undefined;
      const told = end?.model && rest && predict(rest, features).value;
      if (!end || told === undefined) continue;
      const { right, wrong } = ends.get(end) ?? { right: 0, wrong: 0 };
      ends.set(end, told === value ? { right: right + 1, wrong } : { right, wrong: wrong + 1 });
    }
  }
  const failed = new Set([...ends].filter(([, { right, wrong }]) => wrong > right * LEAF_WRONG).map(([end]) => end));
  let [right, wrong] = [0, 0];
  for (const [end, of] of ends)
    if (!failed.has(end)) {
      right += of.right;
      wrong += of.wrong;
    }
  return { tree: { kind: "tree", root: without(tree.root, failed) }, right, wrong };
}

/** An end that errs on held-out groups more often than this against what it gets right tells nothing. */
const LEAF_WRONG = 0.1;

function without(node: Node, ends: ReadonlySet<Leaf>): Node {
  if (node.kind === "leaf") return ends.has(node) ? { kind: "leaf", model: undefined, also: undefined } : node;
  if (node.kind === "compare") return { ...node, within: without(node.within, ends), above: without(node.above, ends) };
  return {
    ...node,
    entries: new Map([...node.entries].map(([value, below]) => [value, without(below, ends)] as const)),
    rest: node.rest && without(node.rest, ends),
  };
}

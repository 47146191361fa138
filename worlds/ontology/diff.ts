import { byText } from "../compile/values.ts";
import type { Ontology, OntologyEdge, OntologyNode } from "./schema.ts";

/** A node that became another by name. `likeness` 0..1. */
export interface Renamed {
  readonly from: string;
  readonly to: string;
  readonly likeness: number;
}

/** What differs between two graphs of a system. Edges and nodes under a renamed node count as moved with it, not as changed. */
export interface OntologyDiff {
  readonly operations: { readonly added: string[]; readonly removed: string[]; readonly renamed: Renamed[] };
  readonly objects: { readonly added: string[]; readonly removed: string[]; readonly renamed: Renamed[] };
  readonly nodes: { readonly added: string[]; readonly removed: string[] };
  readonly edges: { readonly added: string[]; readonly removed: string[] };
  /** Operations that read in one graph and write in the other. */
  readonly effects: { readonly operation: string; readonly was: string; readonly is: string }[];
}

/** Two nodes less alike than this are a removal and an addition. */
const ALIKE = 0.6;

/** Compares two graphs; renames are found by what nodes have and touch. Pure; all lists sorted. */
export function diffOntologies(a: Ontology, b: Ontology): OntologyDiff {
  const objects = renames(a, b, "object", new Map());
  const names = new Map(objects.map(({ from, to }) => [from, to]));
  const operations = renames(a, b, "operation", names);
  for (const { from, to } of operations) names.set(from, to);
  const moved = (id: string) => renamedId(id, names);
  const [was, is] = [new Set(a.nodes.map(({ id }) => moved(id))), new Set(b.nodes.map(({ id }) => id))];
  const edgesWere = new Set(a.edges.map((edge) => edgeText(edge, moved)));
  const edgesAre = new Set(b.edges.map((edge) => edgeText(edge, (id) => id)));
  const added = minus(is, was);
  const removed = minus(was, is);
  const ofKind = (ids: readonly string[], graph: Ontology, kind: OntologyNode["kind"]) => {
    const kinds = new Map(graph.nodes.map((node) => [node.id, node.kind]));
    return ids.filter((id) => kinds.get(id) === kind);
  };
  const effects = new Map(a.nodes.flatMap((node) => (node.effect ? [[moved(node.id), node.effect] as const] : [])));
  return {
    operations: {
      added: ofKind(added, b, "operation"),
      removed: ofKind(removed, a, "operation"),
      renamed: operations,
    },
    objects: { added: ofKind(added, b, "object"), removed: ofKind(removed, a, "object"), renamed: objects },
    nodes: { added, removed },
    edges: { added: minus(edgesAre, edgesWere), removed: minus(edgesWere, edgesAre) },
    effects: b.nodes.flatMap(({ id, effect }) => {
      const before = effects.get(id);
      return effect && before && before !== effect ? [{ operation: id, was: before, is: effect }] : [];
    }),
  };
}

/** An id with the renamed node that it is or stands under. */
function renamedId(id: string, names: ReadonlyMap<string, string>): string {
  const whole = names.get(id);
  if (whole !== undefined) return whole;
  for (const [from, to] of names) if (id.startsWith(`${from}/`)) return to + id.slice(from.length);
  return id;
}

function edgeText({ kind, from, to }: OntologyEdge, moved: (id: string) => string): string {
  return `${kind} ${moved(from)} ${moved(to)}`;
}

function minus(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...a].filter((id) => !b.has(id)).sort(byText);
}

/** Pairs what only `a` has with what only `b` has, the most alike first, each once. */
function renames(
  a: Ontology,
  b: Ontology,
  kind: "object" | "operation",
  names: ReadonlyMap<string, string>,
): Renamed[] {
  const only = (graph: Ontology, other: Ontology) => {
    const theirs = new Set(other.nodes.map(({ id }) => id));
    return graph.nodes.filter((node) => node.kind === kind && !theirs.has(node.id));
  };
  const [gone, come] = [only(a, b), only(b, a)];
  if (gone.length === 0 || come.length === 0) return [];
  const traitsA = new Map(gone.map((node) => [node.id, traitsOf(a, node, names)]));
  const traitsB = new Map(come.map((node) => [node.id, traitsOf(b, node, new Map())]));
  const pairs = [...traitsA].flatMap(([from, x]) =>
    [...traitsB].map(([to, y]) => ({ from, to, likeness: likeness(x, y) })),
  );
  const used = new Set<string>();
  return pairs
    .filter((pair) => pair.likeness >= ALIKE)
    .sort((x, y) => y.likeness - x.likeness || byText(x.from + x.to, y.from + y.to))
    .filter(({ from, to }) => {
      if (used.has(from) || used.has(to)) return false;
      used.add(from).add(to);
      return true;
    })
    .sort((x, y) => byText(x.from, y.from));
}

/** What a node has and touches, without its own name. */
function traitsOf(graph: Ontology, node: OntologyNode, names: ReadonlyMap<string, string>): Set<string> {
  const own = (id: string) => (id.startsWith(`${node.id}/`) ? id.slice(node.id.length) : renamedId(id, names));
  const traits = graph.edges.flatMap(({ kind, from, to }) =>
    (from === node.id || from.startsWith(`${node.id}/`)) && kind !== "feeds" ? [`${kind} ${own(to)}`] : [],
  );
  return new Set(node.effect ? [...traits, `effect ${node.effect}`] : traits);
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((trait) => b.has(trait)).length;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

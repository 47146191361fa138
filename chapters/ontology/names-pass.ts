import { z } from "zod";
import { edgeId, type Ontology, type OntologyNode } from "../../worlds/ontology/schema.ts";
import { evidence, pass } from "../models/pass.ts";

/** What a reader of names is shown: ids with what is known of each. */
interface NamesInput {
  readonly system: string;
  readonly operations: readonly { readonly id: string; readonly effect: string | undefined }[];
  readonly objects: readonly {
    readonly id: string;
    readonly key: readonly string[];
    readonly fields: readonly string[];
  }[];
}

const Said = z.object({
  labels: z.array(z.object({ id: z.string().max(500), label: z.string().min(1).max(80) })).max(500),
  references: z.array(z.object({ from: z.string().max(500), to: z.string().max(500) })).max(200),
});
/** Labels of nodes, and references that evidence did not show. */
export type ReadNames = z.infer<typeof Said>;

/** Most things of a kind that a reader is shown. */
const MOST = 200;

/** Reads names of services, operations and objects, and reference fields. The rule splits words and adds no reference. */
export const namesPass = pass<NamesInput, ReadNames>({
  name: "ontology_names",
  version: "ontology-names-1",
  output: Said,
  maxOutputTokens: 6000,
  prompt: (input) => ({
    system:
      "You name the parts of a software system for people, and say which fields hold the id of another object. A label is two to five plain words. A reference goes from a field's id to an object's id, both as given; give only those that the names make certain.",
    user: evidence(JSON.stringify(input)),
  }),
  rule: ({ system, operations, objects }) => ({
    labels: [`service/${system}`, ...operations.map(({ id }) => id), ...objects.map(({ id }) => id)].map((id) => ({
      id,
      label: inWords(id.slice(id.indexOf("/") + 1)),
    })),
    references: [],
  }),
});

/** Characters of a graph that a reader is shown, so that what a reading may cost is known before there is a graph. */
const MOST_CHARS = 60_000;

/** What the reader is shown of a graph: operations, then objects, as far as there is room. */
export function namesInput({ name, nodes, edges }: Ontology): NamesInput {
  const ofKind = (kind: OntologyNode["kind"]) => nodes.filter((node) => node.kind === kind).slice(0, MOST);
  let left = MOST_CHARS - sentChars({ system: name, operations: [], objects: [] });
  const fits = (row: unknown) => {
    left -= sentChars(row);
    return left >= 0;
  };
  return {
    system: name,
    operations: ofKind("operation")
      .map(({ id, effect }) => ({ id, effect }))
      .filter(fits),
    objects: ofKind("object")
      .map(({ id, key }) => ({
        id,
        key: key ?? [],
        fields: edges.flatMap(({ kind, from, to }) => (kind === "has" && from === id ? [to] : [])).slice(0, MOST),
      }))
      .filter(fits),
  };
}

/** The most that the reader is ever shown: what it costs bounds the reading of any graph. */
export function fullestInput(): NamesInput {
  return { system: "x".repeat(MOST_CHARS), operations: [], objects: [] };
}

/** Characters of a value in a request: it is JSON within JSON. */
function sentChars(row: unknown): number {
  return JSON.stringify(JSON.stringify(row)).length;
}

/** Why something that a reader said was not taken. */
export interface RefusedName {
  readonly from: string;
  readonly to?: string;
  readonly reason: "unknown_node" | "not_a_field" | "not_an_object" | "known_already";
}

/** The graph with what a reader said put in at the reader's tier; what does not fit is refused. */
export function withNames(graph: Ontology, said: ReadNames, tier: "deterministic" | "llm-derived") {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const edges = new Map(graph.edges.map((edge) => [edge.id, edge]));
  const refused: RefusedName[] = [];
  for (const { id, label } of said.labels) {
    const node = nodes.get(id);
    if (node) nodes.set(id, { ...node, label });
    else if (tier === "llm-derived") refused.push({ from: id, reason: "unknown_node" });
  }
  for (const { from, to } of said.references) {
    const [field, object] = [nodes.get(from), nodes.get(to)];
    const known = [...edges.values()].some((edge) => edge.kind === "refers_to" && edge.from === from);
    const reason: RefusedName["reason"] | undefined =
      !field || !object
        ? "unknown_node"
        : field.kind !== "field"
          ? "not_a_field"
          : object.kind !== "object"
            ? "not_an_object"
            : known
              ? "known_already"
              : undefined;
    if (reason !== undefined) {
      refused.push({ from, to, reason });
      continue;
    }
    const id = edgeId("refers_to", from, to);
    const evidence = { calls: 0, examples: [], listing: false };
    edges.set(id, { id, kind: "refers_to", from, to, evidence, tier });
  }
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  const named: Ontology = { ...graph, nodes: [...nodes.values()].sort(byId), edges: [...edges.values()].sort(byId) };
  return { graph: named, refused };
}

function inWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .toLowerCase();
}

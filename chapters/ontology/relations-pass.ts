import { z } from "zod";
import { edgeId, type Ontology, type OntologyNode } from "../../worlds/ontology/schema.ts";
import { plainSpelling } from "../dimensions/spellings.ts";
import { evidence, pass } from "../models/pass.ts";
import { StatedKind } from "../records/ontology/reading.ts";

interface RelationsInput {
  readonly nodes: readonly { readonly id: string; readonly kind: string; readonly name: string }[];
  readonly records: readonly { readonly id: string; readonly text: string }[];
}

const Said = z.object({
  edges: z
    .array(
      z.object({ kind: StatedKind, from: z.string().max(500), to: z.string().max(500), record: z.string().max(200) }),
    )
    .max(500),
});
/** Relations with the record that states each. */
export type StatedEdge = z.infer<typeof Said>["edges"][number];

/** Most things of a graph that a reader is shown. */
const MOST = 400;

/** Reads relations that a document states. By rule: sentences in which one object has, holds, belongs to or refers to another. */
export const relationsPass = pass<RelationsInput, z.infer<typeof Said>>({
  name: "ontology_relations",
  version: "ontology-relations-1",
  output: Said,
  maxOutputTokens: 6000,
  prompt: ({ nodes, records }) => ({
    system:
      "You read a document about a software system and give the relations that it states between things of a list, by their ids: a service exposes an operation, an operation reads or writes an object, an object has an object or field, a field or object refers_to an object. Give only what a sentence states, with the id of the record it stands in.",
    user: `Things: ${JSON.stringify(nodes)}\n${evidence(JSON.stringify(records))}`,
  }),
  rule: ({ nodes, records }) => {
    const objects = nodes
      .filter(({ kind }) => kind === "object")
      .map(({ id, name }) => [plainSpelling(name), id] as const);
    const edges = new Map<string, StatedEdge>();
    for (const { id: record, text } of records)
      for (const sentence of text.split(/(?<=[.!?])\s+|\n+/))
        for (const { kind, from, to } of stated(plainSpelling(sentence), objects))
          edges.set(edgeId(kind, from, to), { kind, from, to, record });
    return { edges: [...edges.values()] };
  },
});

const WORDS: readonly (readonly [words: string, kind: "has" | "refers_to"])[] = [
  ["has", "has"],
  ["have", "has"],
  ["contain", "has"],
  ["hold", "has"],
  ["include", "has"],
  ["consist of", "has"],
  ["comprise", "has"],
  ["is made of", "has"],
  ["own", "has"],
  ["belong to", "refers_to"],
  ["refer to", "refers_to"],
  ["reference", "refers_to"],
  ["is placed by", "refers_to"],
];
const BETWEEN = "(?: (?:a|an|the|one|many|several|exactly|it|their|each|every|or|more)){0,4} ";

/** Relations of a sentence in plain spelling: `each order belong to one customer`. */
function* stated(sentence: string, objects: readonly (readonly [name: string, id: string])[]) {
  for (const [a, from] of objects)
    for (const [b, to] of objects)
      for (const [words, kind] of WORDS)
        if (a !== b && new RegExp(`(?:^| )${a} ${words}${BETWEEN}${b}(?: |$)`, "u").test(sentence))
          yield { kind, from, to };
}

/** What the reader is shown of a graph: no fields of arguments, objects first. */
export function relationsInput({ nodes }: Ontology, records: RelationsInput["records"]): RelationsInput {
  const rank: Readonly<Record<string, number>> = { object: 0, operation: 1, service: 2, field: 3 };
  const shown = nodes
    .filter(({ kind, id }) => kind in rank && !(kind === "field" && id.startsWith("operation/")))
    .sort((a, b) => (rank[a.kind] ?? 9) - (rank[b.kind] ?? 9))
    .slice(0, MOST);
  return { nodes: shown.map(({ id, kind, name }) => ({ id, kind, name })), records };
}

/** Which kinds of things a relation may join. */
const JOINS: Readonly<Record<StatedEdge["kind"], readonly (readonly [OntologyNode["kind"], OntologyNode["kind"]])[]>> =
  {
    exposes: [["service", "operation"]],
    reads: [["operation", "object"]],
    writes: [["operation", "object"]],
    has: [
      ["object", "object"],
      ["object", "field"],
    ],
    refers_to: [
      ["field", "object"],
      ["object", "object"],
    ],
  };

/** The graph with a document's relations; a known one gets the document as evidence. Impossible ones are answered apart. */
export function withStated(
  graph: Ontology,
  stated: readonly StatedEdge[],
  document: string,
  tier: "deterministic" | "llm-derived",
) {
  const kinds = new Map(graph.nodes.map((node) => [node.id, node.kind]));
  const edges = new Map(graph.edges.map((edge) => [edge.id, edge]));
  const refused: StatedEdge[] = [];
  const [added, confirmed] = [[] as string[], [] as string[]];
  for (const one of stated) {
    const { kind, from, to } = one;
    if (!JOINS[kind].some(([a, b]) => kinds.get(from) === a && kinds.get(to) === b)) {
      refused.push(one);
      continue;
    }
    const id = edgeId(kind, from, to);
    const known = edges.get(id);
    if (known) edges.set(id, { ...known, evidence: { ...known.evidence, document } });
    else edges.set(id, { id, kind, from, to, evidence: { calls: 0, examples: [], listing: false, document }, tier });
    (known ? confirmed : added).push(id);
  }
  const sorted = [...edges.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { graph: { ...graph, edges: sorted } as Ontology, added, confirmed, refused };
}

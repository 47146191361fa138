import { z } from "zod";

/** How a node or edge was made: by code from evidence, or named by a model. */
const MadeBy = z.enum(["deterministic", "llm-derived"]);

/** What stands behind a node or edge: in how many calls it was seen, the first few of them, and whether a listing says it. */
export const OntologyEvidence = z.object({
  calls: z.number().int(),
  /** `trace#call`, the call's place in its trace from 0; at most five. */
  examples: z.array(z.string()),
  listing: z.boolean(),
  /** Evidence record of the document that states it. */
  document: z.string().optional(),
});
export type OntologyEvidence = z.infer<typeof OntologyEvidence>;

/** What a thing of a graph is. */
export const NodeKind = z.enum(["service", "operation", "object", "field", "value_set"]);
/** How two things of a graph hang together. */
export const EdgeKind = z.enum(["exposes", "reads", "writes", "has", "refers_to", "feeds"]);
export type EdgeKind = z.infer<typeof EdgeKind>;

/** One thing of the systems an agent talks to. */
export const OntologyNode = z.object({
  /** Says what it is and where: `operation/get_order`, `object/orders`, `object/orders/items[].product_id`. */
  id: z.string(),
  kind: NodeKind,
  name: z.string(),
  /** A name for people. */
  label: z.string().optional(),
  /** Of an operation: whether its calls change state, and what says so. */
  effect: z.enum(["read", "write"]).optional(),
  basis: z.enum(["observed", "annotation", "verb"]).optional(),
  /** Of an object: the columns that tell its rows apart. */
  key: z.array(z.string()).optional(),
  /** Of an object: how many different rows were seen. */
  rows: z.number().int().optional(),
  /** Of a field: JSON types seen or listed. */
  types: z.array(z.string()).optional(),
  /** Of a value set. */
  values: z.array(z.string()).optional(),
  evidence: OntologyEvidence,
  tier: MadeBy,
});
export type OntologyNode = z.infer<typeof OntologyNode>;

/** A relation of two nodes. */
export const OntologyEdge = z.object({
  /** `kind from to`, joined by a blank. */
  id: z.string(),
  kind: EdgeKind,
  from: z.string(),
  to: z.string(),
  /** Of a reference: the column its values are the keys of. */
  column: z.string().optional(),
  /** Of a reference: the share of its different values that are such keys, 0..1. */
  share: z.number().optional(),
  evidence: OntologyEvidence,
  tier: MadeBy,
});
export type OntologyEdge = z.infer<typeof OntologyEdge>;

/** The graph of a system, version 1. The same traces and listing give the same graph. Nodes and edges by id. */
export const Ontology = z.object({
  v: z.literal(1),
  name: z.string(),
  nodes: z.array(OntologyNode),
  edges: z.array(OntologyEdge),
});
export type Ontology = z.infer<typeof Ontology>;

/** The id an edge is known by. */
export function edgeId(kind: EdgeKind, from: string, to: string): string {
  return `${kind} ${from} ${to}`;
}

import { byText } from "../compile/values.ts";
import {
  type EdgeKind,
  edgeId,
  type Ontology,
  type OntologyEdge,
  type OntologyEvidence,
  type OntologyNode,
} from "./schema.ts";

/** A graph in the making: a node or edge that is there already stays as it is. */
export class Graph {
  readonly #nodes = new Map<string, OntologyNode>();
  readonly #edges = new Map<string, OntologyEdge>();

  /** Adds a node. */
  node(node: OntologyNode): void {
    if (!this.#nodes.has(node.id)) this.#nodes.set(node.id, node);
  }

  /** Adds an edge that code found. */
  edge(
    kind: EdgeKind,
    from: string,
    to: string,
    evidence: OntologyEvidence,
    more: Pick<OntologyEdge, "column" | "share"> = {},
  ): void {
    const id = edgeId(kind, from, to);
    if (!this.#edges.has(id)) this.#edges.set(id, { id, kind, from, to, ...more, evidence, tier: "deterministic" });
  }

  /** Whether there is a node of this id. */
  has(id: string): boolean {
    return this.#nodes.has(id);
  }

  /** The graph, sorted by id; edges to what is not there are left out. */
  done(name: string): Ontology {
    const sorted = <T extends { id: string }>(all: ReadonlyMap<string, T>) =>
      [...all.values()].sort((a, b) => byText(a.id, b.id));
    const edges = sorted(this.#edges).filter(({ from, to }) => this.#nodes.has(from) && this.#nodes.has(to));
    return { v: 1, name, nodes: sorted(this.#nodes), edges };
  }
}

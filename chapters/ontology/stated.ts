import type { Ontology } from "../../worlds/ontology/schema.ts";
import type { Doc } from "../record.ts";
import type { RelationReading } from "./reading-schema.ts";
import { type StatedEdge, withStated } from "./relations-pass.ts";

/** A graph with what these readings state, in turn: edges that are new, known ones that a document confirms, and what was refused. */
export function withReadings(graph: Ontology, readings: readonly Doc<typeof RelationReading>[]) {
  let told = graph;
  const [added, confirmed, refused]: [string[], string[], StatedEdge[]] = [[], [], []];
  for (const { edges, source, tier } of readings) {
    const step = withStated(told, edges, source, tier === "llm-derived" ? "llm-derived" : "deterministic");
    told = step.graph;
    added.push(...step.added);
    confirmed.push(...step.confirmed);
    refused.push(...step.refused);
  }
  return { graph: told, added, confirmed, refused };
}

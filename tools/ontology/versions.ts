import { z } from "zod";
import { countOf } from "../../chapters/count-of.ts";
import { deriveOntology, diffVersions, ontologyVersions } from "../../chapters/ontology/versions.ts";
import { Exposure, GraphCounts } from "../../chapters/records/ontology/ontology.ts";
import { surfaceRef } from "../../chapters/sandboxes/fields.ts";
import { Tier } from "../../chapters/tier.ts";
import { operation, shaped } from "../kernel/operation.ts";
import { relations } from "./relations.ts";

const Moved = z.object({ added: z.array(z.string()), removed: z.array(z.string()) });

const MovedNodes = Moved.extend({
  renamed: z.array(
    z.object({ from: z.string(), to: z.string(), likeness: z.number().describe("Share of what both have, 0 to 1.") }),
  ),
});

/** Graphs by the version that a surface serves. */
export const versions = [
  operation({
    name: "surface_ontology_derive",
    title: "Store the served version's ontology",
    description:
      "Stores the graph of the version that a surface serves now and notes which agent version exposes it. Answers 200 when it is stored already, else starts the compile.",
    scope: "push",
    effect: "start",
    statuses: [202, 200],
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/ontology/derive",
    input: z.object({
      ...surfaceRef,
      agent: z.string().min(1).max(200).optional().describe("An agent that talks to it, by name or id."),
      agent_version: z.string().min(1).max(200).optional().describe("Its version; the newest when absent."),
    }),
    output: z.object({
      surface: z.string(),
      surface_version: z.string(),
      job: z.string().nullable().describe("The compile; null when the graph is stored already."),
      status: z.string(),
      ontology: z.string().nullable(),
      counts: GraphCounts.nullable(),
      exposed_by: z.array(Exposure),
      tier: Tier,
    }),
    handle: deriveOntology,
  }),
  operation({
    name: "surface_ontology_versions",
    title: "List a surface's ontologies by version",
    description:
      "Lists every version of a surface whose graph is stored, newest first, with the agent versions that expose it, and says which version is served now and whether its graph is stored.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/surfaces/{surface}/ontology/versions",
    input: z.object(surfaceRef),
    output: z.object({
      surface: z.string(),
      current: z.string().nullable(),
      current_stored: z.boolean(),
      versions: z.array(
        z.object({
          surface_version: z.string(),
          current: z.boolean(),
          ontology: z.string(),
          revision: z.number().int(),
          counts: GraphCounts,
          exposed_by: z.array(Exposure),
          created_at: z.number(),
          by: z.string(),
          tier: Tier,
        }),
      ),
    }),
    handle: ontologyVersions,
  }),
  ...relations,
  shaped({
    name: "surface_ontology_diff",
    title: "Compare two versions of an ontology",
    description:
      "Compares the graphs of two stored versions of a surface: operations added, removed and renamed, objects likewise, edges that moved, operations that changed between read and write, and dimension values that came and went.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/surfaces/{surface}/ontology/diff",
    input: z.object({
      ...surfaceRef,
      a: z.string().min(1).max(200).describe("The version before."),
      b: z.string().min(1).max(200).optional().describe("The version after; the served one when absent."),
    }),
    output: z.object({
      surface: z.string(),
      a: z.string(),
      b: z.string(),
      operations: MovedNodes,
      objects: MovedNodes,
      edges: Moved,
      effects: z.array(z.object({ operation: z.string(), was: z.string(), is: z.string() })),
      dimensions: z.object({ operation: Moved, object: Moved }),
      tier: Tier,
    }),
    handle: diffVersions,
    verdict: ({ operations: { added, removed, renamed }, edges }) =>
      `${countOf(added.length, "operation")} added, ${removed.length} removed, ${renamed.length} renamed; ${countOf(edges.added.length + edges.removed.length, "edge")} moved.`,
    counts: ({ operations, objects, edges, effects, tier }) => {
      const how = "comparison of two stored graphs";
      return [
        { name: "operations added", value: operations.added.length, tier, how },
        { name: "operations removed", value: operations.removed.length, tier, how },
        { name: "operations renamed", value: operations.renamed.length, tier, how },
        { name: "objects added", value: objects.added.length, tier, how },
        { name: "objects removed", value: objects.removed.length, tier, how },
        { name: "edges moved", value: edges.added.length + edges.removed.length, tier, how },
        { name: "effects changed", value: effects.length, tier, how },
      ];
    },
  }),
];

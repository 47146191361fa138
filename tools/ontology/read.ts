import { z } from "zod";
import { orgRef } from "../../chapters/fields.ts";
import { JobView } from "../../chapters/job-view.ts";
import { legacyField, OfSurface, surfaceField } from "../../chapters/ontology/fields.ts";
import { getNode, getOntology, PlanLabel } from "../../chapters/ontology/read.ts";
import { Tier } from "../../chapters/tier.ts";
import { OntologyEdge, OntologyNode } from "../../worlds/ontology/schema.ts";
import { operation } from "../kernel/operation.ts";

const EvidenceRef = z.object({ id: z.string(), kind: z.string(), format: z.string(), traces: z.number().int() });

/** Read a surface's ontology; read one node of the ontology. */
export const read = [
  operation({
    name: "ontology_get",
    title: "Read a surface's ontology",
    description:
      "Answers the graph of the systems that agents talk to: services, operations, objects, fields, value sets and edges, each with evidence. `part: head` answers counts alone; it is there once ontology_compile has landed.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/ontology",
    input: z.object({
      ...orgRef,
      ...surfaceField,
      ...legacyField,
      part: z.enum(["head"]).optional().describe("Counts alone; the whole graph when absent."),
    }),
    output: OfSurface.extend({
      org: z.string(),
      surfaces: z.array(z.object({ surface: z.string(), surface_id: z.string(), revision: z.number().int() })),
      compile: JobView.nullable().describe("The surface's newest compile."),
      nodes: z.array(OntologyNode).optional(),
      edges: z.array(OntologyEdge).optional(),
      evidence_refs: z.array(EvidenceRef).optional(),
      plans: z.array(PlanLabel).optional(),
      ontology: z
        .object({
          services: z.array(
            z.object({
              name: z.string(),
              operations: z.array(z.object({ name: z.string(), effect: z.enum(["read", "write"]) })),
            }),
          ),
          objects: z.array(
            z.object({
              name: z.string(),
              key: z.array(z.string()),
              fields: z.array(z.string()),
              holds: z.array(z.string()),
            }),
          ),
        })
        .optional()
        .describe("The graph in brief."),
    }),
    handle: getOntology,
  }),
  operation({
    name: "ontology_node_get",
    title: "Read one node of the ontology",
    description:
      "Answers one node by its id (`operation/…`, `object/…`, `object/…/field`, `service/…`) with every edge that touches it and the evidence behind both.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/ontology/nodes/{node_id:path}",
    input: z.object({
      ...orgRef,
      node_id: z.string().min(1).max(1000).describe("The node's id; it may hold slashes."),
    }),
    output: z.object({
      org: z.string(),
      surface: z.string(),
      surfaces: z.array(z.string()).describe("Every surface whose graph has it; the answer is the newest one's."),
      revision: z.number().int(),
      node: OntologyNode,
      edges: z.array(OntologyEdge),
      evidence: z.array(EvidenceRef),
      tier: Tier,
    }),
    handle: getNode,
  }),
];

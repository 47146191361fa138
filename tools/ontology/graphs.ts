import { z } from "zod";
import { JobView } from "../../chapters/job-view.ts";
import { startCompile } from "../../chapters/ontology/compile.ts";
import { listPins } from "../../chapters/ontology/pins.ts";
import { getNode, getOntology } from "../../chapters/ontology/read.ts";
import { restoreOntology, undoRevision } from "../../chapters/ontology/restore.ts";
import { OntologyPin, OntologyRevision } from "../../chapters/records/ontology/ontology.ts";
import { Tier } from "../../chapters/tier.ts";
import { OntologyEdge, OntologyNode } from "../../worlds/ontology/schema.ts";
import { byField, orgRef, recordId } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";
import { Started } from "../kernel/started.ts";
import { whyField } from "../sandboxes/fields.ts";

const surfaceField = {
  surface: z.string().min(1).max(200).optional().describe("The surface's name or id; the org's only one when absent."),
};
const legacyField = {
  legacy: z.boolean().optional().describe("The graph from before surfaces had their own, where the org has one."),
};

/** A revision without its blob, with the route that undoes it. */
export const RevisionView = OntologyRevision.schema.omit({ graph: true }).extend({ undo: z.string().nullable() });
const OfSurface = RevisionView.extend({ surface_id: z.string() });
const EvidenceRef = z.object({ id: z.string(), kind: z.string(), format: z.string(), traces: z.number().int() });

/** The graph of a surface's systems. */
export const graphs = [
  operation({
    name: "ontology_get",
    title: "Read a surface's ontology",
    description:
      "Answers the graph of the systems that agents talk to: services, operations, objects, fields, value sets and edges, each with evidence. `part: head` answers counts alone; it is there once ontology_compile has landed.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/ontology",
    input: z.object({ ...orgRef, ...surfaceField, ...legacyField, part: z.enum(["head"]).optional() }),
    output: OfSurface.extend({
      org: z.string(),
      surfaces: z.array(z.object({ surface: z.string(), surface_id: z.string(), revision: z.number().int() })),
      compile: JobView.nullable().describe("The surface's newest compile."),
      nodes: z.array(OntologyNode).optional(),
      edges: z.array(OntologyEdge).optional(),
      evidence_refs: z.array(EvidenceRef).optional(),
      plans: z.array(z.object({ id: z.string(), label: z.string() })).optional(),
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
    effect: "read",
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
  operation({
    name: "ontology_compile",
    title: "Compile a surface's ontology",
    description:
      "Starts compiling a surface's graph from its tool listings and traces; unchanged inputs answer the revision that stands. `redraw` reads names anew.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/ontology/compile",
    input: z.object({
      ...orgRef,
      ...surfaceField,
      force: z.boolean().optional().describe("Compile although the inputs are unchanged."),
      redraw: z.boolean().optional().describe("Read names anew, and let go what was read before."),
    }),
    output: Started.extend({ surface: z.string(), note: z.string() }),
    handle: startCompile,
  }),
  operation({
    name: "ontology_pins",
    title: "What was read for an ontology",
    description:
      "Lists what readers said of a surface's graph (labels, references): which stands and which was superseded, with model, prompt version, tier and cost. Name a pin to read that one.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/ontology/pins",
    input: z.object({ ...orgRef, ...surfaceField, pin: z.string().min(1).max(200).optional() }),
    output: z.object({
      org: z.string(),
      surface: z.string(),
      prompt_version: z.string().describe("The version that a reading now would have."),
      pins: z.array(OntologyPin.schema),
    }),
    handle: listPins,
  }),
  operation({
    name: "ontology_restore",
    title: "Restore an earlier ontology",
    description:
      "Makes an earlier revision of a surface's graph stand, as a new revision; the one before when none is named. `expected_revision` refuses when another stands.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/ontology/restore",
    input: z.object({
      ...orgRef,
      ...surfaceField,
      ...legacyField,
      revision: z.number().int().min(1).optional().describe("The revision's number."),
      expected_revision: z.number().int().min(1).optional().describe("The number that stands now."),
    }),
    output: OfSurface,
    handle: restoreOntology,
  }),
  operation({
    name: "ontology_revision_restore",
    title: "Undo an ontology revision",
    description:
      "Undoes the revision that stands: the graph it replaced stands again, as a revision of its own. 409 where it was undone already, where nothing stood before it, or where a later one stands.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/ontology/revisions/{rev}/restore",
    input: z.object({ ...orgRef, rev: recordId("ontology revision"), ...byField, ...whyField }),
    output: z.object({ error: z.null(), revision: RevisionView }),
    handle: undoRevision,
  }),
];

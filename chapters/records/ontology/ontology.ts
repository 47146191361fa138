import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** An agent's version that exposes a surface's version. */
export const Exposure = z.object({ agent: z.string(), version: z.string() });

/** Nodes and edges of a graph, by kind. */
export const GraphCounts = z.object({
  nodes: z.record(z.string(), z.number().int()),
  edges: z.record(z.string(), z.number().int()),
  /** Nodes of the revision before that are there no more. */
  removed: z.number().int(),
});

/** One state of a surface's graph: what it was compiled from, and what it replaced. Never changed but for its marks. */
export const OntologyRevision = recordKind({
  kind: "ontology_revision",
  prefix: "on",
  schema: z.object({
    ...recordBase,
    surface: z.string(),
    /** The served version of the same inputs; absent where none was compiled from them. */
    surface_version: z.string().optional(),
    /** Counts from 1 for each surface. */
    revision: z.number().int(),
    act: z.enum(["compile", "document", "restore", "undo"]),
    /** Digest over the evidence and the compiler's version. */
    inputs: z.string(),
    evidence: z.array(z.string()),
    /** Traces that it was compiled from, of how many there were; its calls are theirs. */
    traces: z.object({ read: z.number().int(), of: z.number().int() }).optional(),
    /** Blob of the graph. */
    graph: z.string(),
    counts: GraphCounts,
    pin: z.string().optional(),
    model: z.string().nullable(),
    prompt_version: z.string().nullable(),
    tier: Tier,
    /** The revision that stood before; absent on the first. */
    replaces: z.string().optional(),
    /** The revision whose graph it puts back. */
    restores: z.string().optional(),
    reason: z.string().optional(),
    exposed_by: z.array(Exposure),
    restored_at: z.number().optional(),
    restored_by: z.string().optional(),
  }),
  fields: ["surface", "surface_version", "revision", "inputs"],
});

/** Which revision stands for a surface: its id is made of the surface's, so that two writers cannot both be next. */
export const OntologyHead = recordKind({
  kind: "ontology_head",
  prefix: "oh",
  schema: z.object({ ...recordBase, surface: z.string(), current: z.string(), revision: z.number().int() }),
  fields: ["surface"],
});

/** What a reader said of a graph's names and references, kept so that the same inputs are not read twice. */
export const OntologyPin = recordKind({
  kind: "ontology_pin",
  prefix: "op",
  schema: z.object({
    ...recordBase,
    surface: z.string(),
    inputs: z.string(),
    model: z.string().nullable(),
    prompt_version: z.string(),
    state: z.enum(["current", "superseded"]),
    superseded_by: z.string().optional(),
    said: z.object({
      labels: z.array(z.object({ id: z.string(), label: z.string() })),
      references: z.array(z.object({ from: z.string(), to: z.string() })),
    }),
    /** `model_call` records of the reading. */
    calls: z.array(z.string()),
    usd: z.number(),
    tier: Tier,
  }),
  fields: ["surface", "inputs", "state"],
});

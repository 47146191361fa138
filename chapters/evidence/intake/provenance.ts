import type { z } from "zod";
import type { CanonicalTrace, Provenance } from "../../records/evidence/evidence.ts";

export type ProvenanceKind = z.infer<typeof Provenance>;

const BENCHMARKS = new Set(["tau-bench", "tau2", "inspect", "agentdojo", "atif", "swe-agent", "adk"]);
const SPANS = new Set(["otlp", "obs-spans", "trace_store"]);

/** Provenance of a format's traces by rule: benchmark results are synthetic, spans follow their environment label, else unknown. */
export function detectProvenance(format: string, first: CanonicalTrace["labels"] | undefined): ProvenanceKind {
  if (BENCHMARKS.has(format)) return "synthetic";
  if (!SPANS.has(format)) return "unknown";
  const environment = (first?.environment ?? "").toLowerCase();
  if (/^(?:prod|production|live)$/.test(environment)) return "production";
  return /^(?:stag|staging|preprod|test|qa|dev)/.test(environment) ? "staging" : "unknown";
}

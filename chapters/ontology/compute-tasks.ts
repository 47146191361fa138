import type { ToolDefinition } from "../../worlds/bundle.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import { compileOntology } from "../../worlds/ontology/index.ts";
import type { Ontology } from "../../worlds/ontology/schema.ts";
import type { ComputeTask } from "../compute.ts";

interface CompileInput {
  readonly name: string;
  readonly traces: readonly ObservedTrace[];
  readonly tools: readonly ToolDefinition[] | undefined;
}

/** Compiles the graph of a surface's systems. */
export const compileGraph: ComputeTask<CompileInput, Ontology> = {
  name: "compile_ontology",
  run: ({ name, traces, tools }) => compileOntology(traces, { name, tools }),
};

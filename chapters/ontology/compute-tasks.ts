import type { ToolDefinition } from "../../worlds/bundle.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import { compileOntology } from "../../worlds/ontology/index.ts";
import type { Ontology } from "../../worlds/ontology/schema.ts";
import type { ComputeTask } from "../compute.ts";

interface CompileInput {
  readonly name: string;
  /** Traces as JSON arrays: they cross to the thread as bytes, without a copy. */
  readonly batches: readonly Uint8Array<ArrayBuffer>[];
  readonly tools: readonly ToolDefinition[] | undefined;
}

/** Compiles the graph of a surface's systems. */
export const compileGraph: ComputeTask<CompileInput, Ontology> = {
  name: "compile_ontology",
  handsOver: ({ batches }) => batches.map(({ buffer }) => buffer),
  run: ({ name, batches, tools }) => {
    const text = new TextDecoder();
    return compileOntology(
      batches.flatMap((batch) => JSON.parse(text.decode(batch)) as ObservedTrace[]),
      { name, tools },
    );
  },
};

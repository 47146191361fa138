import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { type CompileOptions, type CompileResult, compile } from "../../../worlds/compile/index.ts";
import { type Deployment, newestDeployment } from "../../../worlds/compile/versions/deployments.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";

/** What was compiled, and from which of the given traces. */
export interface CompiledNewest extends CompileResult, Deployment {}

/** The one compile of traces: of the newest deployment among them. The pipeline, the operations and the command line run this. */
export function compileNewest(given: readonly ObservedTrace[], options: CompileOptions): CompiledNewest {
  const newest = newestDeployment(given);
  return { ...compile(newest.traces, options), ...newest };
}

/** Several tools listings as one, given from old to new: of tools with one name the newest stands; undefined without a listing. */
export function joinListings(listings: readonly (readonly ToolDefinition[])[]): ToolDefinition[] | undefined {
  if (listings.length === 0) return undefined;
  return [...new Map(listings.flat().map((tool) => [tool.name, tool])).values()];
}

/** How a trace is named where it is compiled: by the bytes it came from and its place in them, so that names sort as they were recorded. */
export function traceName(digest: string, position: number): string {
  return `${digest.slice(0, 16)}.${String(position).padStart(7, "0")}`;
}

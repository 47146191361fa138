import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import type { DatasetTool } from "../ports/vendors.ts";
import type { Doc } from "../record.ts";
import { Source } from "../records/sources/sources.ts";
import { openSecret } from "./secrets.ts";

/** The org's own tracing tool with its keys, or the sentence that says what is in the way; `connected` is whether it has one at all. */
export type TracingTool =
  | { readonly source: Doc<typeof Source>; readonly tool: DatasetTool }
  | { readonly connected: boolean; readonly refusal: string };

/** The oldest tracing tool that is connected for the whole org with consent, else the oldest of one agent. */
export async function tracingTool(ctx: Ctx): Promise<TracingTool> {
  const where = { kind: "trace_store" };
  const found: Doc<typeof Source>[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(Source, { ...page, where, order: "oldest" })))
    found.push(row);
  if (found.length === 0) {
    const refusal = "No tracing tool is connected; connect one with sources_post (kind trace_store).";
    return { connected: false, refusal };
  }
  const allowed = found.filter(({ consent }) => consent === "granted");
  const source = allowed.find(({ agent }) => agent === undefined) ?? allowed[0];
  if (!source) {
    const refusal = "Nobody has consented to the tracing tool's use: sources_patch, consent granted.";
    return { connected: true, refusal };
  }
  const { public_key, secret_key } = (await openSecret(ctx, source.id)) ?? {};
  if (public_key === undefined || secret_key === undefined) {
    const refusal = "The tracing tool's keys are not here; give them again with sources_patch.";
    return { connected: true, refusal };
  }
  return { source, tool: { project: source.external_id, public_key, secret_key } };
}

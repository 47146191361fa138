import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import { Source } from "../records/sources/sources.ts";

/** The address of the tracing tool that an agent's own traces are in: the source that names it, else one of no agent. Null: none is connected. */
export async function traceStoreOf(ctx: Ctx, agent: string): Promise<string | null> {
  let ofAll: string | null = null;
  const where = { kind: "trace_store" };
  for await (const source of everyRow((page) => ctx.store.records.list(Source, { ...page, where }))) {
    if (source.agent === agent) return source.external_id;
    if (source.agent === undefined) ofAll ??= source.external_id;
  }
  return ofAll;
}

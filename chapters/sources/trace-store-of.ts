import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import { Source } from "../records/sources/sources.ts";

/** The tracing tool of an agent's traces: the source that names the agent, else a general one. Null: none is connected. */
export async function traceStoreOf(ctx: Ctx, agent: string): Promise<string | null> {
  let ofAll: string | null = null;
  const where = { kind: "trace_store" };
  for await (const source of everyRow((page) => ctx.store.records.list(Source, { ...page, where }))) {
    if (source.agent === agent) return source.external_id;
    if (source.agent === undefined) ofAll ??= source.external_id;
  }
  return ofAll;
}

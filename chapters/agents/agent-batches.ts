import type { Ctx } from "../context.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import { Evidence } from "../records/evidence/evidence.ts";

/** The org's trace batches that stand, oldest first: those of this agent or of none, and how many are another's. */
export async function batchesOf(
  ctx: Ctx,
  agent: string,
): Promise<{ readonly own: readonly Doc<typeof Evidence>[]; readonly apart: number }> {
  const own: Doc<typeof Evidence>[] = [];
  let apart = 0;
  const where = { kind: "traces" };
  for await (const row of everyRow((page) => ctx.store.records.list(Evidence, { ...page, where, order: "oldest" }))) {
    if (row.superseded_by !== undefined) continue;
    if (row.agent === undefined || row.agent === agent) own.push(row);
    else apart += 1;
  }
  return { own, apart };
}

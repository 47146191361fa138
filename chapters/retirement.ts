import { auditAct } from "./audit.ts";
import { actor, type Ctx } from "./context.ts";

/** What a call that takes something off the org's pages, or puts it back, may say of itself. */
export interface Retiring {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

interface Retirable {
  readonly retired_at?: number | undefined;
  readonly retired_by?: string | undefined;
  readonly retired_reason?: string | undefined;
  readonly retired_with?: string | undefined;
}

/** The record marked as retired; one that is keeps its first mark. */
export function retire<T extends Retirable>(ctx: Ctx, row: T, { by, reason }: Retiring): T {
  if (row.retired_at !== undefined) return row;
  const why = reason === undefined ? {} : { retired_reason: reason };
  return { ...row, retired_at: ctx.now(), retired_by: actor(ctx, by), ...why };
}

/** The record without its mark. */
export function restore<T extends Retirable>(retired: T) {
  const { retired_at: _at, retired_by: _by, retired_reason: _why, retired_with: _with, ...row } = retired;
  return row;
}

/** Writes a change to the org's audit trail under the name of who made it: ids and counts only. */
export async function audited(
  ctx: Ctx,
  { by }: Pick<Retiring, "by">,
  act: string,
  fields: Record<string, string | number | boolean>,
): Promise<void> {
  await auditAct(ctx, act, fields, by);
}

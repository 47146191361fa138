import type { AuditLine } from "../store/port.ts";
import type { Ctx } from "./context.ts";

/**
 * Writes a line to the org's audit chain. Who acted is the credential that called, never a name from the input; a `by`
 * that the call gives is kept beside it as what was said.
 */
export async function auditAct(ctx: Ctx, act: string, fields: AuditLine["fields"], by?: string): Promise<void> {
  const { kind, name } = ctx.caller;
  const said = by === undefined || by === name ? {} : { said_by: by };
  await ctx.store.audit.append(ctx.now(), kind === "org" ? `token:${name}` : name, act, { ...fields, ...said });
}

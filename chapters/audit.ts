import type { Ctx } from "./context.ts";
import type { AuditLine } from "./ports/store.ts";

type Line = Omit<AuditLine, "seq" | "hash">;

/**
 * A line for the org's audit chain. Who acted is the credential that called, never a name from the input; a `by` that
 * the call gives is kept beside it as what was said.
 */
export function actLine(ctx: Ctx, act: string, fields: AuditLine["fields"], by?: string): Line {
  const { kind, name, member } = ctx.caller;
  const said = by === undefined || by === name ? {} : { said_by: by };
  const who = member !== undefined ? `member:${member}` : kind === "org" ? `token:${name}` : name;
  return { at: ctx.now(), by: who, act, fields: { ...fields, ...said } };
}

/** Writes a line to the org's audit chain, by who called. */
export async function auditAct(ctx: Ctx, act: string, fields: AuditLine["fields"], by?: string): Promise<void> {
  const line = actLine(ctx, act, fields, by);
  await ctx.store.audit.append(line.at, line.by, line.act, line.fields);
}

import type { Ctx } from "./context.ts";
import type { AuditLine } from "./ports/store.ts";

type Line = Omit<AuditLine, "seq" | "hash">;

/**
 * A line for the org's audit chain. Who acted is the credential that called, never a name from the input; a `by` that
 * the call gives is kept beside it as what was said.
 */
export function actLine(ctx: Ctx, act: string, fields: AuditLine["fields"], by?: string): Line {
  const { kind, name, member, token } = ctx.caller;
  const said = by === undefined || by === name ? {} : { said_by: by };
  // Two tokens may have one name.
  const through = kind === "org" && member === undefined && token !== undefined ? { caller_token: token } : {};
  const who = member !== undefined ? `member:${member}` : kind === "org" ? `token:${name}` : name;
  return { at: ctx.now(), by: who, act, fields: { ...fields, ...said, ...through } };
}

/** Who really called, where an org's token gave another name than its own; undefined where nobody else is named. */
export function namedThrough(ctx: Ctx, by: string | undefined): string | undefined {
  const { kind, name, member } = ctx.caller;
  return by === undefined || by === name || kind !== "org" || member !== undefined ? undefined : `the token ${name}`;
}

/** Writes a line to the org's audit chain, by who called. */
export async function auditAct(ctx: Ctx, act: string, fields: AuditLine["fields"], by?: string): Promise<void> {
  const line = actLine(ctx, act, fields, by);
  await ctx.store.audit.append(line.at, line.by, line.act, line.fields);
}

import type { ServiceCtx } from "../../context.ts";
import { everyRow } from "../../page.ts";

/**
 * Reads the audit chain of every org, and the workspace's own, from its first line. A chain is broken at the first line
 * that was changed, taken out or put in; lines that were cut off its end leave no trace in it.
 */
export async function verifyAudit(ctx: ServiceCtx) {
  const chains: { chain: string; lines: number; broken?: number }[] = [
    { chain: "workspace", ...(await ctx.service.audit.verify()) },
  ];
  for await (const org of everyRow((page) => ctx.service.orgs(page))) {
    ctx.signal.throwIfAborted();
    chains.push({ chain: org.tag, ...(await ctx.service.forOrg(org.id).audit.verify()) });
  }
  return {
    intact: chains.every(({ broken }) => broken === undefined),
    lines: chains.reduce((sum, { lines }) => sum + lines, 0),
    chains,
    tier: "deterministic" as const,
  };
}

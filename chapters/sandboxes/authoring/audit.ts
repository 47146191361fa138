import { z } from "zod";
import { loadEnvironment } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { job } from "../../job.ts";
import { everyRow } from "../../page.ts";
import { EnvironmentAudit } from "../../records/sandboxes/audit.ts";
import { Origin, RealismRating } from "../../records/sandboxes/realism.ts";
import { findEnvironment, liveEnvironment } from "../environments/environment-records.ts";
import { refuseModel } from "./author-tasks.ts";
import { auditState } from "./authoring-tasks.ts";

/** What an audit holds rows to, in words. */
export const RUBRIC = [
  { rule: "join", finds: "contradiction", says: "A value that always names a row of another table names one." },
  { rule: "total", finds: "contradiction", says: "A number that is always the sum of a list is that sum." },
  { rule: "dates", finds: "contradiction", says: "A date that is never after another is not after it." },
  { rule: "duplicate", finds: "flag", says: "A drawn row is not an observed one under another key." },
  { rule: "format", finds: "flag", says: "A drawn row's key has the form of an observed key." },
  { rule: "range", finds: "flag", says: "A drawn row's numbers lie within what was observed." },
] as const;

/** Findings kept of each sort; all are counted. */
const KEPT = 500;

/** Audits an environment's draw and stores the report. */
export const auditJob = job({
  kind: "audit_environment",
  input: z.object({ environment: z.string(), base: z.string(), by: z.string() }),
  key: ({ environment, base }) => `audit:${environment}:${base}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: async (ctx, input) => {
    const environment = await findEnvironment(ctx, input.environment);
    const found = await ctx.compute.run(auditState, await loadEnvironment(ctx, environment), ctx.signal);
    const { rows, drawn, rules, contradictions, flags } = found;
    const counts = { contradictions: contradictions.length, flags: flags.length };
    await ctx.store.records.insert(EnvironmentAudit, {
      id: ctx.id("au"),
      created_at: ctx.now(),
      by: input.by,
      environment: environment.id,
      bundle: environment.bundle,
      base_blob: environment.base_blob,
      rows,
      drawn,
      rules: { ...rules },
      counts,
      contradictions: contradictions.slice(0, KEPT).map((row) => ({ ...row })),
      flags: flags.slice(0, KEPT).map((row) => ({ ...row })),
    });
    return { environment: environment.id, rows, drawn, ...counts };
  },
});

/** Starts an audit of an environment's draw by rule. */
export async function startAudit(
  ctx: Ctx,
  input: { readonly env_id: string; readonly model?: string | undefined; readonly by?: string | undefined },
) {
  const environment = await liveEnvironment(ctx, input.env_id);
  refuseModel(input.model);
  const by = actor(ctx, input.by);
  const handle = await ctx.jobs.start(auditJob, { environment: environment.id, base: environment.base_blob, by });
  return {
    ...handle,
    environment: environment.id,
    surface: environment.surface,
    rubric: RUBRIC.map((row) => ({ ...row })),
    stages: ["audit"],
    tier: "deterministic" as const,
  };
}

/** The newest audit, whether the world was drawn again since, and the rows that people took for made up. */
export async function getAudit(ctx: Ctx, input: { readonly env_id: string }) {
  const environment = await findEnvironment(ctx, input.env_id);
  const { items } = await ctx.store.records.list(EnvironmentAudit, {
    where: { environment: environment.id },
    limit: 1,
  });
  const report = items[0];
  if (!report)
    throw new AppError("not_found", "This environment has not been audited; start one with environment_audit_post.");
  const lapsed = report.base_blob !== environment.base_blob || report.bundle !== environment.bundle;
  return { ...report, lapsed, human_flags: await humanFlags(ctx, environment), tier: "deterministic" as const };
}

/** A row that people took for made up. */
export const HumanFlag = z.object({
  table: z.string(),
  key: z.string(),
  origin: Origin,
  raters: z.number().int(),
  notes: z.array(z.string()),
});

async function humanFlags(ctx: Ctx, environment: { readonly id: string; readonly base_blob: string }) {
  const rows = new Map<string, z.infer<typeof HumanFlag>>();
  const where = { environment: environment.id, base_blob: environment.base_blob, said: "drawn" };
  for await (const rating of everyRow((page) => ctx.store.records.list(RealismRating, { ...page, where }))) {
    const { item, table, key, origin, note } = rating;
    const row = rows.get(item) ?? { table, key, origin, raters: 0, notes: [] };
    rows.set(item, { ...row, raters: row.raters + 1, notes: note === undefined ? row.notes : [...row.notes, note] });
  }
  return [...rows.values()].sort((a, b) => b.raters - a.raters);
}

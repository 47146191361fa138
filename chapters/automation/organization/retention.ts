import { z } from "zod";
import { auditAct } from "../../audit.ts";
import type { Ctx, ServiceCtx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { type JobCtx, job } from "../../job.ts";
import { changePreferences, readPreferences } from "../../organization/preferences.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { Label } from "../../records/evidence/label.ts";
import { SourceLabel } from "../../records/sources/sources.ts";
import { noteErased } from "../operator/erase.ts";
import { inOrg } from "../operator/in-org.ts";

const DAY = 86_400;

/** Sets after how many days traces are erased, or with null that they are kept. The first erasing starts at once. */
export async function setRetention(
  service: ServiceCtx,
  input: { readonly orgtag: string; readonly days: number | null },
) {
  const ctx = await inOrg(service, input.orgtag);
  const { days } = input;
  const by = ctx.caller.name;
  await changePreferences(ctx, ({ retention: _was, ...doc }) =>
    days === null ? doc : { ...doc, retention: { days, by, at: ctx.now() } },
  );
  await auditAct(ctx, "retention_set", days === null ? {} : { days });
  await startRetention(ctx);
  return { org: ctx.org.tag, days, cleared: days === null };
}

/** Starts the day's erasing where the org has a retention; once per UTC day, whoever asks. */
export async function startRetention(ctx: Ctx): Promise<void> {
  const { retention } = await readPreferences(ctx);
  if (!retention) return;
  const day = Math.floor(ctx.now() / DAY);
  const id = `job_retention_${day}_${retention.days}_${Math.floor(retention.at)}`;
  if ((await ctx.store.jobs.get(id)) === undefined) await ctx.jobs.start(retentionJob, {}, { id });
}

/** How far a day's erasing got: what is gone, and the record that was being erased, with the traces it had. */
const Progress = z.object({
  erased: z.number().int(),
  records: z.number().int(),
  at: z.object({ evidence: z.string(), had: z.number().int() }).optional(),
});

/** Erases the traces that are older than the org's retention: by when they began, else by when they came. */
export const retentionJob = job({
  kind: "retention",
  input: z.object({}),
  key: () => "org",
  attempts: 5,
  ends: "cancel",
  concurrency: 1,
  run: async (ctx) => {
    const { retention } = await readPreferences(ctx);
    if (!retention) return { erased: 0 };
    const before = ctx.now() - retention.days * DAY;
    const earlier = Progress.safeParse(ctx.job.state).data;
    let { erased, records } = earlier ?? { erased: 0, records: 0 };
    for await (const evidence of everyRow((page) => ctx.store.records.list(Evidence, page))) {
      ctx.signal.throwIfAborted();
      if (evidence.kind !== "traces") continue;
      const gone = await expire(ctx, evidence, before, { erased, records, at: earlier?.at });
      if (gone > 0) {
        erased += gone;
        records += 1;
        await noteErased(ctx, evidence.id, gone);
        await ctx.job.checkpoint({ erased, records });
      }
      ctx.progress(erased, undefined, `${countOf(erased, "trace")} erased`);
    }
    if (erased > 0) {
      await dropOrphans(ctx);
      await auditAct(ctx, "traces_expired", { traces: erased, evidence: records, days: retention.days });
      await ctx.lifecycle.vacuum();
    }
    return { erased, evidence: records };
  },
});

/**
 * Deletes a record's old traces; answers how many are gone, those included that an attempt before deleted and did not
 * come to tell of.
 */
async function expire(
  ctx: JobCtx,
  { id, created_at }: Doc<typeof Evidence>,
  before: number,
  { at, ...done }: z.infer<typeof Progress>,
): Promise<number> {
  const { traces } = ctx.store;
  const now = await traces.count(id);
  const had = at?.evidence === id ? Math.max(at.had, now) : now;
  if (had === 0) return 0;
  await ctx.job.checkpoint({ ...done, at: { evidence: id, had } });
  return had - now + (await traces.deleteBefore(id, before, created_at < before));
}

/** Deletes the labels whose trace is gone: their words tell of the trace. */
async function dropOrphans(ctx: Ctx): Promise<void> {
  for await (const { id, trace } of everyRow((page) => ctx.store.records.list(Label, page)))
    if (!(await ctx.store.traces.get(trace))) await ctx.store.records.delete(Label, id);
  // A trace's labels stand side by side.
  let last: { readonly trace: string; readonly gone: boolean } | undefined;
  for await (const { id, trace } of everyRow((page) => ctx.store.records.list(SourceLabel, page))) {
    if (trace === undefined) continue;
    if (last?.trace !== trace) last = { trace, gone: (await ctx.store.traces.get(trace)) === undefined };
    if (last.gone) await ctx.store.records.delete(SourceLabel, id);
  }
}

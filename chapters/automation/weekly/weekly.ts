import { auditAct } from "../../audit.ts";
import { putJson } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import type { PageDoc } from "../../findings/pages/page-doc.ts";
import { modesTier, spentUsd, weeklyLines, weeklyPage, weeklyTier, weeklyTrials } from "../../findings/pages/weekly.ts";
import { type ReportDoc, viewOf } from "../../findings/reports/reports.ts";
import { countsBefore, weeklyFacts } from "../../findings/weekly/weekly-facts.ts";
import { lastCompleteWeek } from "../../iso-week.ts";
import { idOfValue } from "../../record.ts";
import { Report, ReportWeek } from "../../records/findings/report.ts";
import { Reply } from "../../reply.ts";
import { deliverWeekly } from "./weekly-deliver.ts";

/**
 * Writes the page of the last whole ISO week by rule, in place of the one that stands for it, and delivers it where that
 * is on: once to chat, once to each member by mail. What could not be delivered is told, and the page stands.
 */
export async function weeklyReport(ctx: Ctx, input: { readonly by?: string | undefined }) {
  const week = lastCompleteWeek(ctx.now());
  const facts = await weeklyFacts(ctx, week);
  const page = weeklyPage(facts, await countsBefore(ctx, facts), ctx.now());
  const { report, replaced } = await stored(ctx, week, page, input.by);
  await auditAct(ctx, "weekly_written", { report: report.id, week, replaced }, input.by);
  const lines = weeklyLines(facts);
  const headline = { org: ctx.org.tag, week, lines, example: page.invented === true };
  const delivery = await deliverWeekly(ctx, report, headline, actor(ctx, input.by));
  const { met, valid } = weeklyTrials(facts);
  const body = {
    ...(await viewOf(ctx, report)),
    week,
    replaced,
    headline: lines,
    counts: {
      groups: facts.groups.length,
      met,
      valid,
      graded: weeklyTier(facts),
      new_modes: facts.newModes.length,
      modes: modesTier(facts),
      notes: facts.notes.length,
      spent_usd: spentUsd(facts),
    },
    delivery,
  };
  return replaced ? new Reply(200, body) : body;
}

async function stored(
  ctx: Ctx,
  week: string,
  page: PageDoc,
  said: string | undefined,
): Promise<{ readonly report: ReportDoc; readonly replaced: boolean }> {
  const key = idOfValue(ReportWeek, week);
  const shown = { title: page.title, blob: await putJson(ctx, page), made_at: page.made_at };
  const known = await ctx.store.records.get(ReportWeek, key);
  const again = known && (await ctx.store.records.update(Report, known.report, (doc) => ({ ...doc, ...shown })));
  if (again) return { report: again, replaced: true };
  const base = { created_at: ctx.now(), by: actor(ctx, said) };
  const id = ctx.id(Report.prefix);
  const report: ReportDoc = { ...base, ...shown, id, kind: "weekly", source: week, opens: 0 };
  try {
    await ctx.store.records.apply([
      { op: "insert", kind: ReportWeek, doc: { ...base, id: key, week, report: report.id } },
      { op: "insert", kind: Report, doc: report },
    ]);
  } catch (error) {
    // Another call wrote the week's page meanwhile: it is that one that is written again.
    if (error instanceof AppError && error.code === "conflict") return stored(ctx, week, page, said);
    throw error;
  }
  return { report, replaced: false };
}

import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { hashToken, mintToken } from "../../credentials.ts";
import { byField } from "../../fields.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Report, ReportLink, ReportShare } from "../../records/findings/report.ts";
import type { PageDoc } from "../pages/page-doc.ts";
import { reportRef } from "./fields.ts";
import { findReport, frozenPage, shareId, viewOf } from "./reports.ts";

type ShareDoc = Doc<typeof ReportShare>;

/** What `reports_share` takes. */
export const ShareInput = z.object({
  ...reportRef,
  on: z.boolean(),
  named: z.boolean().optional().describe("Whether the page says whose it is; no when absent and newly on."),
  ...byField,
});
export type ShareInput = z.output<typeof ShareInput>;

/**
 * Turns a report's link on or off. Turning it on answers a new link, once; with the link on already, it stays as it is
 * and only `named` changes. Off, no link of the report answers from the next request, nor ever again.
 */
export async function shareReport(ctx: Ctx, input: ShareInput) {
  const report = await findReport(ctx, input.report_id);
  const link = await (input.on ? turnOn(ctx, input) : turnOff(ctx, input));
  return { ...(await viewOf(ctx, report)), link };
}

async function turnOn(ctx: Ctx, { report_id: report, named, by }: ShareInput): Promise<string | null> {
  const { share, fresh } = await switchedOn(ctx, report, named, by);
  await auditAct(ctx, "report_shared", { report, named: share.named, new_link: fresh }, by);
  return fresh ? newLink(ctx, share) : null;
}

async function turnOff(ctx: Ctx, { report_id: report, by }: ShareInput): Promise<null> {
  await ctx.store.records.delete(ReportShare, shareId(report));
  const links: Doc<typeof ReportLink>[] = [];
  for await (const link of everyRow((page) => ctx.store.records.list(ReportLink, { ...page, where: { report } })))
    links.push(link);
  const now = await ctx.store.records.get(ReportShare, shareId(report));
  // Those of a turning on that came meanwhile stay.
  for (const { id, turn } of links) if (turn !== now?.turn) await ctx.store.records.delete(ReportLink, id);
  await auditAct(ctx, "report_unshared", { report }, by);
  return null;
}

/** A report's link as on: `fresh` when this turned it on. Of two at once one did. */
export async function switchedOn(
  ctx: Ctx,
  report: string,
  named: boolean | undefined,
  by: string | undefined,
): Promise<{ readonly share: ShareDoc; readonly fresh: boolean }> {
  const share: ShareDoc = {
    id: shareId(report),
    created_at: ctx.now(),
    by: actor(ctx, by),
    report,
    turn: ctx.id("turn"),
    named: named ?? false,
  };
  if (await ctx.store.records.insert(ReportShare, share)) return { share, fresh: true };
  const known = await ctx.store.records.update(ReportShare, share.id, (doc) => ({ ...doc, named: named ?? doc.named }));
  return known ? { share: known, fresh: false } : switchedOn(ctx, report, named, by);
}

/** One more link to a report that is shared; the others go on answering. It is told here and can never be told again. */
export async function newLink(ctx: Ctx, { report, turn }: ShareDoc): Promise<string> {
  const { raw, hash } = mintToken("share");
  await ctx.store.records.insert(ReportLink, {
    id: linkId(hash),
    created_at: ctx.now(),
    by: ctx.caller.name,
    report,
    turn,
  });
  return `${ctx.settings.publicUrl ?? ""}/r/${raw}`;
}

/** What a link shows. `owner` is the org's tag where the page names it. */
export interface SharedPage {
  readonly page: PageDoc;
  /** Digest of the page: the same for as long as it shows the same. */
  readonly digest: string;
  readonly owner: string | undefined;
}

/** The id of the link that a token stands for. */
export function linkOf(token: string): string {
  return linkId(hashToken(token));
}

function linkId(hash: string): string {
  return `${ReportLink.prefix}_${hash}`;
}

/** What a link of this org shows now, its opening counted where `counts`; undefined where it answers no more. */
export async function openShared(ctx: Ctx, link: string, counts: boolean): Promise<SharedPage | undefined> {
  const held = await ctx.store.records.get(ReportLink, link);
  const share = held && (await ctx.store.records.get(ReportShare, shareId(held.report)));
  if (!share || share.turn !== held.turn) return undefined;
  const report = await ctx.store.records.get(Report, held.report);
  if (!report) return undefined;
  const page = await frozenPage(ctx, report);
  if (counts) await ctx.store.records.update(Report, report.id, (doc) => ({ ...doc, opens: doc.opens + 1 }));
  return { page, digest: report.blob, owner: share.named ? ctx.org.tag : undefined };
}

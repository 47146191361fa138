import { z } from "zod";
import { auditAct, namedThrough } from "../../audit.ts";
import { getJson, putJson } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, orNotFound } from "../../errors.ts";
import { orgRef, recordId } from "../../fields.ts";
import { everyRow, type PageInput, pageInput, pageOf } from "../../page.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { Report, ReportKind, ReportShare } from "../../records/findings/report.ts";
import { ProviderComparison } from "../../records/runs/provider.ts";
import { RunGroup } from "../../records/runs/runs.ts";
import { Environment } from "../../records/sandboxes/sandboxes.ts";
import { groupPage } from "../pages/group.ts";
import { environmentsOf, outsidePage, wantsUnredacted, wordsToShare } from "../pages/outside.ts";
import { packetPage } from "../pages/packet.ts";
import { PageDoc, type PageSection } from "../pages/page-doc.ts";
import { providerPage } from "../pages/provider.ts";
import { asTheyAre, type Wording } from "../pages/words.ts";
import { clearedWords, writtenPage } from "../pages/written.ts";
import { frozenComparison } from "../viewer/flips-inside.ts";

export type ReportDoc = Doc<typeof Report>;

/** A report as lists show it: never its link. Times are unix seconds. */
export const ReportRow = z.object({
  id: z.string(),
  title: z.string(),
  kind: ReportKind,
  source: z
    .string()
    .nullable()
    .describe("What it was made of; of a weekly page its ISO week, of a comparison the tested group."),
  against: z.string().optional().describe("Of a comparison the group that it was compared with."),
  made_by: z.string(),
  created_at: z.number(),
  made_at: z.number().describe("When what it shows was frozen."),
  opens: z.number().int().describe("Times its link was opened."),
  shared: z.boolean().describe("Whether its link answers."),
  retired: z.boolean().describe("Whether what it was made of is retired."),
});

/** A report with the page that its reader sees. */
export const ReportView = ReportRow.extend({
  org: z.string(),
  share: z
    .object({ on: z.boolean(), named: z.boolean(), by: z.string().optional(), at: z.number().optional() })
    .describe("Whether its link answers, and whether the page names the org."),
  page: PageDoc,
});

/** Kinds that freeze a page of the org's own, each with the page's builder, which is a 404 where the org has none of that id. */
const FROZEN = {
  run_group: groupPage,
  packet: packetPage,
  provider_comparison: providerPage,
} as const satisfies Partial<Record<ReportKind, (ctx: Ctx, id: string, told: Wording) => Promise<PageDoc>>>;
type FrozenKind = keyof typeof FROZEN | "comparison";

/** What `reports_list` takes. */
export const ListInput = z.object({
  ...orgRef,
  ...pageInput,
  kind: ReportKind.optional(),
  retired: z.boolean().optional().describe("Also those of what is retired."),
});
export type ListInput = z.output<typeof ListInput>;

/** The org's reports, newest first. Those whose run group or sandbox was retired are counted, and listed when asked for. */
export async function listReports(ctx: Ctx, input: ListInput) {
  const where = input.kind === undefined ? {} : { kind: input.kind };
  const rows = (page: PageInput) => ctx.store.records.list(Report, { ...page, where });
  const retired = await retiredAmong(ctx, everyRow(rows));
  const page = await pageOf(rows, input, ({ id }) => input.retired === true || !retired.has(id));
  const shared = new Set((await sharesOf(ctx, page.items)).map(({ report }) => report));
  return {
    org: ctx.org.tag,
    reports: page.items.map((doc) => rowOf(doc, { retired: retired.has(doc.id), shared: shared.has(doc.id) })),
    retired_count: retired.size,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** A report as its reader sees it. Unknown and another org's are the same 404. */
export async function getReport(ctx: Ctx, input: { readonly report_id: string }) {
  return viewOf(ctx, await findReport(ctx, input.report_id));
}

/** What `reports_post` takes. */
export const PostInput = z.object({
  ...orgRef,
  kind: ReportKind.exclude(["weekly"]),
  id: recordId("run group, sandbox or provider comparison that is frozen").optional(),
  against: recordId("run group that a comparison holds `id` against").optional(),
  title: z.string().trim().min(1).max(200).optional().describe("The page's own title when absent."),
  markdown: z.string().optional().describe("For kind written: what the report says, at most 60000 characters."),
  redact: z
    .boolean()
    .optional()
    .describe("False leaves in names, addresses and ids; for a signed-in member or an admin."),
  made_by: z.string().min(1).max(200).optional().describe("Who makes it; the caller's name when absent."),
});
export type PostInput = z.output<typeof PostInput>;

/** Freezes what a page shows now, or a person's own words. Nothing is graded or run for it. */
export async function postReport(ctx: Ctx, input: PostInput) {
  const { kind, id = null } = input;
  const by = actor(ctx, input.made_by);
  const page = await reportPage(ctx, input);
  const doc: ReportDoc = {
    id: ctx.id(Report.prefix),
    created_at: ctx.now(),
    by,
    kind,
    title: page.title,
    source: id,
    ...(input.against === undefined ? {} : { against: input.against }),
    blob: await putJson(ctx, page),
    made_at: page.made_at,
    opens: 0,
  };
  await ctx.store.records.insert(Report, doc);
  await auditAct(ctx, "report_made", { report: doc.id, kind, redacted: input.redact !== false }, input.made_by);
  return viewOf(ctx, doc);
}

/** What a report would show, and refused where it would be, without making it. */
export async function reportPage(ctx: Ctx, input: PostInput): Promise<PageDoc> {
  wantsUnredacted(ctx, input.redact);
  return input.kind === "written" ? written(ctx, input, actor(ctx, input.made_by)) : frozen(ctx, input.kind, input);
}

/** A report of this org. Unknown and another org's are the same 404. */
export async function findReport(ctx: Ctx, id: string): Promise<ReportDoc> {
  return orNotFound(await ctx.store.records.get(Report, id), "report");
}

/** A report with its page, as it is answered. */
export async function viewOf(ctx: Ctx, doc: ReportDoc): Promise<z.infer<typeof ReportView>> {
  const [share] = await sharesOf(ctx, [doc]);
  const retired = (await retiredAmong(ctx, [doc])).has(doc.id);
  return {
    ...rowOf(doc, { retired, shared: share !== undefined }),
    org: ctx.org.tag,
    share: share ? { on: true, named: share.named, by: share.by, at: share.created_at } : { on: false, named: false },
    page: await frozenPage(ctx, doc),
  };
}

/** What a report froze. */
export async function frozenPage(ctx: Ctx, { blob }: Pick<ReportDoc, "blob">): Promise<PageDoc> {
  return PageDoc.parse(await getJson(ctx, blob));
}

/** The id of the record by which a report's link is on. */
export function shareId(report: string): string {
  return idOfValue(ReportShare, report);
}

function sharesOf(ctx: Ctx, reports: readonly ReportDoc[]) {
  return ctx.store.records.getMany(
    ReportShare,
    reports.map(({ id }) => shareId(id)),
  );
}

function rowOf(doc: ReportDoc, state: { readonly retired: boolean; readonly shared: boolean }) {
  const { id, title, kind, source, against, by, created_at, made_at, opens } = doc;
  const compared = against === undefined ? {} : { against };
  return { id, title, kind, source, ...compared, made_by: by, created_at, made_at, opens, ...state };
}

function written(ctx: Ctx, { id, against, title, markdown, redact, made_by }: PostInput, by: string): Promise<PageDoc> {
  if (against !== undefined) throw badField("against", "belongs to reports of kind comparison");
  if (id !== undefined) throw badField("id", "belongs to reports that freeze a page");
  if (title === undefined) throw badField("title", "is needed: a written report has no other");
  if (markdown === undefined) throw badField("markdown", "is needed: write what the report says");
  return writtenPage(ctx, { title, markdown, by, whole: redact === false, through: namedThrough(ctx, made_by) });
}

async function frozen(ctx: Ctx, kind: FrozenKind, input: PostInput): Promise<PageDoc> {
  const { id, title, markdown } = input;
  if (markdown !== undefined) throw badField("markdown", "belongs to reports of kind written");
  if (id === undefined) throw badField("id", "is needed: name what the report freezes");
  if (kind === "comparison" && input.against === undefined)
    throw badField("against", "is needed: name the run group that it is compared with");
  if (kind !== "comparison" && input.against !== undefined)
    throw badField("against", "belongs to reports of kind comparison");
  const whole = input.redact === false;
  const words = whole ? undefined : await wordsToShare(ctx, await drawnFrom(ctx, kind, id, input.against));
  const made = await (kind === "comparison"
    ? frozenComparison(ctx, input.against ?? "", id, words)
    : FROZEN[kind](ctx, id, words === undefined ? asTheyAre : (text) => words.said(text)));
  const page = whole ? made : await outsidePage({ ...made, sections: [...made.sections, MASKED] });
  if (title === undefined) return page;
  return { ...page, title: (await clearedWords(title, whole ? undefined : await wordsToShare(ctx))).text };
}

/** What a frozen page says of what is not in it. */
const MASKED: PageSection = {
  show: "text",
  heading: "What was taken out",
  paragraphs: [
    "In requests, and in what trials called, said and changed, names, addresses, numbers and ids of people are masked: letters as x, digits as 0. Keys, mail addresses, and numbers of phones, cards and accounts are taken out everywhere.",
  ],
};

/** Whether a frozen page says that what identifies people was taken out of it. */
export function isRedacted({ sections }: PageDoc): boolean {
  return sections.some(({ heading }) => heading === MASKED.heading);
}

/** The environments whose requests a frozen page tells. */
async function drawnFrom(ctx: Ctx, kind: FrozenKind, id: string, against: string | undefined): Promise<string[]> {
  if (kind === "packet") return [id];
  if (kind === "provider_comparison")
    return [orNotFound(await ctx.store.records.get(ProviderComparison, id), "provider comparison").environment];
  return environmentsOf(ctx, against === undefined ? [id] : [id, against]);
}

/** Ids of those of the reports whose run group or sandbox is retired now. */
async function retiredAmong(
  ctx: Ctx,
  reports: AsyncIterable<ReportDoc> | Iterable<ReportDoc>,
): Promise<ReadonlySet<string>> {
  const of = { run_group: new Map<string, string[]>(), packet: new Map<string, string[]>() };
  for await (const { id, kind, source, against } of reports) {
    const made = kind === "comparison" ? "run_group" : kind;
    if (source !== null && (made === "run_group" || made === "packet"))
      for (const each of against === undefined ? [source] : [source, against])
        of[made].set(each, [...(of[made].get(each) ?? []), id]);
  }
  const [groups, environments] = await Promise.all([
    ctx.store.records.getMany(RunGroup, [...of.run_group.keys()]),
    ctx.store.records.getMany(Environment, [...of.packet.keys()]),
  ]);
  const ids = (kind: keyof typeof of, docs: readonly { id: string; retired_at?: number | undefined }[]) =>
    docs.filter(({ retired_at }) => retired_at !== undefined).flatMap(({ id }) => of[kind].get(id) ?? []);
  return new Set([...ids("run_group", groups), ...ids("packet", environments)]);
}

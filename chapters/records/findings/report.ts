import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** What a report can be made of: a run group, two of them compared, a sandbox, a provider comparison, words of a person's own, a week. */
export const ReportKind = z.enum(["run_group", "comparison", "packet", "provider_comparison", "written", "weekly"]);
export type ReportKind = z.infer<typeof ReportKind>;

/** A page that was frozen: what it shows never changes with what it was made of. A weekly one is written again for its week. */
export const Report = recordKind({
  kind: "report",
  prefix: "rp",
  schema: z.object({
    ...recordBase,
    kind: ReportKind,
    title: z.string(),
    /** The id of what it was made of; of a weekly one its ISO week, of a written one null. */
    source: z.string().nullable(),
    /** Of a comparison the group that `source` was compared with. */
    against: z.string().optional(),
    /** The page document: a JSON blob, by its digest. */
    blob: z.string(),
    /** When what it shows was frozen, unix seconds. */
    made_at: z.number(),
    /** Times its link was opened, ever. */
    opens: z.number().int(),
  }),
  fields: ["kind", "source"],
});

/** That a report's link is on; there is none while it is off. Its id is made of the report's. */
export const ReportShare = recordKind({
  kind: "report_share",
  prefix: "rs",
  schema: z.object({
    ...recordBase,
    report: z.string(),
    /** This turning on: links of an earlier one never answer again. */
    turn: z.string(),
    /** Whether the page names the org. */
    named: z.boolean(),
  }),
  copy: { staysBehind: "links of this workspace; a report is shared anew where it goes" },
});

/** A link to a report. Its id is made of the hash of the token that was answered once; the token is kept nowhere. */
export const ReportLink = recordKind({
  kind: "report_link",
  prefix: "rl",
  schema: z.object({
    ...recordBase,
    report: z.string(),
    /** The turning on that it belongs to. */
    turn: z.string(),
  }),
  fields: ["report"],
  copy: { staysBehind: "links of this workspace; a report is shared anew where it goes" },
  scope: "admin",
});

/** Which report is an ISO week's. Its id is made of the week, so that two writers make one. */
export const ReportWeek = recordKind({
  kind: "report_week",
  prefix: "rw",
  schema: z.object({ ...recordBase, week: z.string(), report: z.string() }),
});

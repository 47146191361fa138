import { z } from "zod";
import { orgRef, recordId } from "../../../chapters/fields.ts";
import { reportRef } from "../../../chapters/findings/reports/fields.ts";
import {
  getReport,
  listReports,
  postReport,
  ReportRow,
  ReportView,
} from "../../../chapters/findings/reports/reports.ts";
import { pageInput } from "../../../chapters/page.ts";
import { ReportKind } from "../../../chapters/records/findings/report.ts";
import { operation } from "../../kernel/operation.ts";

/** Pages that were frozen, and their links. */
export const reports = [
  operation({
    name: "reports_list",
    title: "List reports",
    description:
      "Lists the org's frozen pages, newest first: title, kind, source, maker, opens, and whether the link answers; never the link itself. Feedback notes are in failure_mode_proposals.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/reports",
    input: z.object({
      ...orgRef,
      ...pageInput,
      kind: ReportKind.optional(),
      retired: z.boolean().optional().describe("Also those of what is retired."),
    }),
    output: z.object({
      org: z.string(),
      reports: z.array(ReportRow),
      retired_count: z.number().int(),
      next: z.string().optional(),
    }),
    handle: listReports,
  }),
  operation({
    name: "reports_post",
    title: "Make a report",
    description:
      "Freezes a page so that it can be shared later as it is now: a run group's, a sandbox's packet or a provider comparison's by its `id`, two groups compared (kind `comparison`: `id` against `against`), or your own words as Markdown. Secrets and what identifies people are taken out; the answer is what its readers will see. The link is off until reports_share turns it on.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/reports",
    input: z.object({
      ...orgRef,
      kind: ReportKind.exclude(["weekly"]),
      id: recordId("run group, sandbox or provider comparison that is frozen").optional(),
      against: recordId("run group that a comparison holds `id` against").optional(),
      title: z.string().trim().min(1).max(200).optional().describe("The page's own title when absent."),
      markdown: z.string().optional().describe("For kind written: what the report says, at most 60000 characters."),
      redact: z
        .boolean()
        .optional()
        .describe(
          "False leaves names, addresses and ids as they are (secrets are taken out always); it takes a signed-in member or an admin.",
        ),
      made_by: z.string().min(1).max(200).optional().describe("Who makes it; the caller's name when absent."),
    }),
    output: ReportView,
    handle: postReport,
  }),
  operation({
    name: "reports_get",
    title: "Read a report",
    description:
      "Reads a report as its reader sees it: the frozen page as data, with its maker, its source and how often its link was opened. Never the link.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/reports/{report_id}",
    input: z.object(reportRef),
    output: ReportView,
    handle: getReport,
  }),
];

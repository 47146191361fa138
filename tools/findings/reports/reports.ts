import { z } from "zod";
import { reportRef } from "../../../chapters/findings/reports/fields.ts";
import {
  getReport,
  ListInput,
  listReports,
  PostInput,
  postReport,
  ReportRow,
  ReportView,
} from "../../../chapters/findings/reports/reports.ts";
import { operation } from "../../kernel/operation.ts";

/** Pages that were frozen, and their links. */
export const reports = [
  operation({
    name: "reports_list",
    title: "List reports",
    description:
      "Lists the org's frozen pages, newest first: title, kind, source, maker, opens, and whether the link answers; never the link itself. Feedback notes are in failure_mode_proposals.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/reports",
    input: ListInput,
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
      "Freezes a page so that it can be shared as it is now: a run group's, a sandbox's packet or a provider comparison's by its `id`, two groups compared (kind `comparison`: `id` against `against`), or your own Markdown, without secrets and what identifies people. The answer is what readers will see; reports_share turns the link on.",
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/reports",
    input: PostInput,
    output: ReportView,
    handle: postReport,
  }),
  operation({
    name: "reports_get",
    title: "Read a report",
    description:
      "Reads a report as its reader sees it: the frozen page as data, with its maker, its source and how often its link was opened. Never the link.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/reports/{report_id}",
    input: z.object(reportRef),
    output: ReportView,
    handle: getReport,
  }),
];

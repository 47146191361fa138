import { z } from "zod";
import { ReportView } from "../../../chapters/findings/reports/reports.ts";
import { ShareInput, shareReport } from "../../../chapters/findings/reports/share.ts";
import { operation } from "../../kernel/operation.ts";

/** Turn a report's link on or off. */
export const share = [
  operation({
    name: "reports_share",
    title: "Turn a report's link on or off",
    description:
      "With `on` true, answers a link that shows the report to whoever holds it, told this once; with `on` false no link of it answers any more. While it is on, a further call only changes `named` (whether the page names the org).",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/reports/{report_id}/share",
    input: ShareInput,
    output: ReportView.extend({
      link: z.string().nullable().describe("The link, only in the answer that turned it on."),
    }),
    handle: shareReport,
  }),
];

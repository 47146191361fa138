import { chapter } from "../kernel/chapter.ts";
import { root } from "./assistant/root.ts";
import { failureModeActs } from "./failure-mode-acts.ts";
import { calibration } from "./judging/calibration.ts";
import { heldSets } from "./judging/held-sets.ts";
import { rubric } from "./judging/rubric.ts";
import { scorers } from "./judging/scorers.ts";
import { failureModes } from "./modes/failure-modes.ts";
import { investigation } from "./modes/investigate.ts";
import { proposals } from "./modes/proposals.ts";
import { reports } from "./reports/reports.ts";
import { weekly } from "./weekly/weekly.ts";

/** What trials showed, who confirmed it, and how it is told. */
export const findingsChapter = chapter({
  name: "findings",
  title: "Findings and reports",
  description:
    "Failure modes from a note to the version that fixed them, held sets, what judges every task and how well it agrees with people; reports that are frozen and shared, the weekly page, and an assistant that answers from the records.",
  operations: [
    ...heldSets,
    ...rubric,
    ...calibration,
    ...scorers,
    ...failureModes,
    ...investigation,
    ...proposals,
    ...failureModeActs,
    ...weekly,
    ...reports,
    ...root,
  ],
});

import { weekly } from "../automation/weekly/weekly.ts";
import { weeklySettings } from "../automation/weekly/weekly-settings.ts";
import { chapter } from "../kernel/chapter.ts";
import { root } from "./assistant/root.ts";
import { calibration } from "./judging/calibration.ts";
import { heldSetQualityOperations } from "./judging/held-set-quality.ts";
import { heldSets } from "./judging/held-sets.ts";
import { rubric } from "./judging/rubric.ts";
import { scorers } from "./judging/scorers.ts";
import { classifyModeOperations } from "./modes/classify-mode.ts";
import { failureModes } from "./modes/failure-modes.ts";
import { investigation } from "./modes/investigate.ts";
import { proposals } from "./modes/proposals.ts";
import { rekeyModeOperations } from "./modes/rekey-mode.ts";
import { reports } from "./reports/reports.ts";
import { share } from "./reports/share.ts";

/** What trials showed, who confirmed it, and how it is told. */
export const findingsChapter = chapter({
  name: "findings",
  title: "Findings and reports",
  description:
    "Failure modes from a note to the version that fixed them, held sets, what judges every task and how well it agrees with people; reports that are frozen and shared, the weekly page, and an assistant that answers from the records.",
  operations: [
    ...heldSetQualityOperations,
    ...heldSets,
    ...rubric,
    ...calibration,
    ...scorers,
    ...failureModes,
    ...investigation,
    ...proposals,
    ...classifyModeOperations,
    ...rekeyModeOperations,
    ...weekly,
    ...weeklySettings,
    ...reports,
    ...share,
    ...root,
  ],
});

import { chapter } from "../kernel/chapter.ts";
import { calibration } from "./calibration.ts";
import { failureModeActs } from "./failure-mode-acts.ts";
import { failureModes } from "./failure-modes.ts";
import { heldSets } from "./held-sets.ts";
import { investigation } from "./investigate.ts";
import { proposals } from "./proposals.ts";
import { reports } from "./reports.ts";
import { root } from "./root.ts";
import { rubric } from "./rubric.ts";
import { scorers } from "./scorers.ts";
import { weekly } from "./weekly.ts";

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

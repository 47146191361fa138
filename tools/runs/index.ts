import { chapter } from "../kernel/chapter.ts";
import { cleanRunsOperations } from "./clean-runs.ts";
import { compare } from "./compare/compare-runs.ts";
import { providers } from "./compare/providers.ts";
import { reanalyze } from "./grading/reanalyze.ts";
import { recount } from "./grading/recount.ts";
import { regrade } from "./grading/regrade.ts";
import { groupVersionsOperations } from "./groups/group-versions.ts";
import { groupView } from "./groups/group-view.ts";
import { lastGroup } from "./groups/last-group.ts";
import { levels } from "./groups/levels.ts";
import { importRunOperations } from "./import/import-run.ts";
import { publishRunOperations } from "./import/publish-run.ts";
import { jobs } from "./jobs/jobs.ts";
import { watch } from "./jobs/watch.ts";
import { finishRunOperations } from "./play/finish-run.ts";
import { runs } from "./runs.ts";
import { startRunOperations } from "./start/start-run.ts";
import { traceRunOperations } from "./trials/trace-run.ts";

/** Trials of agents: started, watched, graded and compared. */
export const runsChapter = chapter({
  name: "runs",
  title: "Runs and jobs",
  description:
    "Run agents on tasks in fresh worlds, watch and stop jobs, read groups, runs and single trials, and compare two groups for a verdict.",
  operations: [
    ...startRunOperations,
    ...finishRunOperations,
    ...groupView,
    ...lastGroup,
    ...cleanRunsOperations,
    ...groupVersionsOperations,
    ...levels,
    ...recount,
    ...regrade,
    ...compare,
    ...providers,
    ...runs,
    ...traceRunOperations,
    ...importRunOperations,
    ...reanalyze,
    ...publishRunOperations,
    ...jobs,
    ...watch,
  ],
});

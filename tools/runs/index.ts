import { chapter } from "../kernel/chapter.ts";
import { compare } from "./compare/compare.ts";
import { providers } from "./compare/providers.ts";
import { grading } from "./grading.ts";
import { groups } from "./groups.ts";
import { imports } from "./imports.ts";
import { jobs } from "./jobs/jobs.ts";
import { runs } from "./runs.ts";
import { start } from "./start.ts";

/** Trials of agents: started, watched, graded and compared. */
export const runsChapter = chapter({
  name: "runs",
  title: "Runs and jobs",
  description:
    "Run agents on tasks in fresh worlds, watch and stop jobs, read groups, runs and single trials, and compare two groups for a verdict.",
  operations: [...start, ...groups, ...grading, ...compare, ...providers, ...runs, ...imports, ...jobs],
});

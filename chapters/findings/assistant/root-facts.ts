import { broke } from "./root-broke-facts.ts";
import { costOfRuns, longestTrace, slowestTool, toolErrors } from "./root-figure-facts.ts";
import { jobs } from "./root-job-facts.ts";
import {
  agents,
  codeHost,
  environments,
  failureModes,
  firstState,
  flaky,
  makers,
  numberedTask,
  objects,
  sources,
  useCases,
  versions,
} from "./root-org-facts.ts";
import {
  alwaysMet,
  costOfRun,
  failedChecks,
  failedTasks,
  families,
  neverFailedChecks,
  neverMet,
  power,
  ranking,
  rootCauses,
  runResult,
  timeOfRun,
  uncharged,
  unrunAgents,
  verdictOnPair,
} from "./root-run-facts.ts";
import {
  callsOfTraces,
  newestEvidence,
  newestTraces,
  nextStep,
  privacy,
  records,
  refusedEvidence,
  spendOf,
  toolUse,
  tracesWith,
  unlabelled,
  untestedTools,
} from "./root-store-facts.ts";
import type { Ask } from "./root-subject.ts";
import { tasksAbout } from "./root-task-facts.ts";
import { callsOfRun, dearest, failedTrial, firstDifference, longest } from "./root-trial-facts.ts";
import { compiledAt, fidelity, taskCounts, taskKinds, toolsOffered } from "./root-world-facts.ts";

/** What no tool's verdict line tells by itself, each told from several: the answer in the first line, none where there is none. */
export type Fact = (ask: Ask, text: string) => Promise<string[]>;

/** What can be asked here, in a line. */
export const CAN_BE_ASKED =
  "Ask about its status, runs and their comparison, failures, tasks and environments, fidelity, coverage, agents, evidence, sources, schedules, reports or spend; or about a run group, environment or provider comparison by its id.";

/** Facts that heed the span of time that a question names; others are told with a word that they do not. */
export const HEEDS_PERIOD: ReadonlySet<string> = new Set(["jobs_list", "spend_summary", "org_changes_get", "power"]);

/** The facts by the name under which their questions stand (`tools/questions/facts.ts`): an operation's where one answers it. */
export const FACTS: Readonly<Record<string, Fact>> = {
  agents_list: agents,
  alwaysMet,
  broke,
  callsOfRun,
  callsOfTraces,
  compare_runs: verdictOnPair,
  compiledAt,
  costOfRun,
  costOfRuns,
  dearest,
  environment_fidelity: fidelity,
  environment_tools: toolsOffered,
  environments,
  evidence_match: tracesWith,
  failedChecks,
  failedTasks,
  failedTrial,
  failure_modes: failureModes,
  families,
  firstDifference,
  firstState,
  flaky,
  help: async () => [`This assistant answers from the workspace's own records, and changes nothing. ${CAN_BE_ASKED}`],
  jobs_list: jobs,
  unlabelled,
  longest,
  longestTrace,
  makers,
  neverFailedChecks,
  neverMet,
  newestEvidence,
  newestTraces,
  nextStep,
  numberedTask,
  objects,
  power,
  privacy,
  ranking,
  records,
  refusedEvidence,
  run_group: runResult,
  run_group_levels: rootCauses,
  sources_list: sources,
  slowestTool,
  spend_summary: (ask, text) => spendOf(ask, text),
  taskCounts,
  taskKinds,
  tasksAbout,
  timeOfRun,
  toolErrors,
  toolUse,
  unrunAgents,
  uncharged,
  untestedTools,
  useCases,
  vcs_repositories: codeHost,
  versions,
};

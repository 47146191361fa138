import {
  agents,
  codeHost,
  environments,
  failureModes,
  firstState,
  flaky,
  numberedTask,
  objects,
  sources,
  useCases,
  versions,
} from "./root-org-facts.ts";
import {
  costOfRun,
  failedChecks,
  failedTasks,
  failedTrial,
  families,
  neverMet,
  power,
  ranking,
  rootCauses,
  timeOfRun,
  trialsEnded,
  uncharged,
  unrunAgents,
  verdictOnPair,
} from "./root-run-facts.ts";
import {
  brokenJobs,
  callsOfTraces,
  jobs,
  newestEvidence,
  nextStep,
  privacy,
  records,
  refusedEvidence,
  spendOf,
  tasksAbout,
  toolUse,
  tracesWith,
  untestedTools,
} from "./root-store-facts.ts";
import type { Ask } from "./root-subject.ts";
import { callsOfRun, dearest, longest } from "./root-trial-facts.ts";
import { compiledAt, fidelity, taskCounts, taskKinds, toolsOffered } from "./root-world-facts.ts";

/** What no tool's verdict line tells by itself, each told from several: the answer in the first line, none where there is none. */
export type Fact = (ask: Ask, text: string) => Promise<string[]>;

/** What can be asked here, in a line. */
export const CAN_BE_ASKED =
  "Ask about its status, runs and their comparison, failures, tasks and environments, fidelity, coverage, agents, evidence, sources, schedules, reports or spend; or about a run group, environment or provider comparison by its id.";

/** The facts by the name under which their questions stand (`tools/questions/facts.ts`). */
export const FACTS: Readonly<Record<string, Fact>> = {
  agents,
  brokenJobs,
  callsOfRun,
  callsOfTraces,
  codeHost,
  compiledAt,
  costOfRun,
  dearest,
  environments,
  failedChecks,
  failedTasks,
  failedTrial,
  failureModes,
  families,
  fidelity,
  firstState,
  flaky,
  help: async () => [`This assistant answers from the workspace's own records, and changes nothing. ${CAN_BE_ASKED}`],
  jobs,
  longest,
  members: async () => [
    "members_list and org_tokens_list tell that, to a token of scope admin; this assistant reads with scope read alone.",
  ],
  neverMet,
  newestEvidence,
  nextStep,
  numberedTask,
  objects,
  power,
  privacy,
  ranking,
  records,
  refusedEvidence,
  rootCauses,
  sources,
  spendOf: (ask, text) => spendOf(ask, text),
  taskCounts,
  taskKinds,
  tasksAbout,
  timeOfRun,
  toolUse,
  toolsOffered,
  tracesWith,
  trialsEnded,
  uncharged,
  unrunAgents,
  untestedTools,
  useCases,
  verdictOnPair,
  versions,
};

import { replayNew } from "../../chapters/automation/after-ingest/after-ingest-replay.ts";
import { induceClusters, measureClusters } from "../../chapters/evidence/clusters/tasks.ts";
import { readPdf } from "../../chapters/evidence/reading/pdf-pages.ts";
import { compileGraph } from "../../chapters/ontology/compute-tasks.ts";
import { regradeTrials } from "../../chapters/runs/grading/regrade-trials.ts";
import {
  auditState,
  checkShapes,
  dryRunScript,
  rekeyTasks,
} from "../../chapters/sandboxes/authoring/authoring-tasks.ts";
import { referenceTrials } from "../../chapters/sandboxes/bench/bench-trials.ts";
import { compileDoor } from "../../chapters/sandboxes/doors/doors-compile.ts";
import { briefPrograms, tryPrograms } from "../../chapters/sandboxes/proposals/compute-tasks.ts";
import { replayTool } from "../../chapters/sandboxes/surfaces/try-declaration.ts";
import {
  compileSurface,
  drawState,
  openTrials,
  rehearse,
  reviewTasks,
  writeTasks,
} from "../../chapters/sandboxes/tasks/compute-tasks.ts";
import {
  hardenTasks,
  writeCriterion,
  writeModeTasks,
  writeRegressions,
  writeStated,
} from "../../chapters/sandboxes/tasks/failure-tasks.ts";
import { readSource } from "../repositories/source-tools.ts";
import type { AnyComputeTask } from "./answer-requests.ts";

/** The tasks that take a while. */
export const computeTasks: readonly AnyComputeTask[] = [
  compileSurface,
  briefPrograms,
  tryPrograms,
  drawState,
  compileDoor,
  openTrials,
  referenceTrials,
  writeTasks,
  reviewTasks,
  rehearse,
  auditState,
  rekeyTasks,
  dryRunScript,
  checkShapes,
  writeRegressions,
  writeStated,
  writeCriterion,
  writeModeTasks,
  hardenTasks,
  replayNew,
  replayTool,
  induceClusters,
  measureClusters,
  readSource,
  readPdf,
  compileGraph,
  regradeTrials,
];

import type { ComputeKit } from "../../chapters/compute.ts";
import { replayNew } from "../../chapters/evidence/after-ingest-replay.ts";
import { induceClusters, measureClusters } from "../../chapters/evidence/clusters/tasks.ts";
import { readPdf } from "../../chapters/evidence/reading/pdf-pages.ts";
import { readBatch } from "../../chapters/evidence/reading/read-batch.ts";
import { readSpans } from "../../chapters/evidence/rolling/read-spans.ts";
import { compileGraph } from "../../chapters/ontology/compute-tasks.ts";
import { regradeTrials } from "../../chapters/runs/regrade-trials.ts";
import { auditState, checkShapes, dryRunScript, rekeyTasks } from "../../chapters/sandboxes/authoring-tasks.ts";
import { referenceTrials } from "../../chapters/sandboxes/bench-trials.ts";
import {
  compileSurface,
  drawState,
  rehearse,
  reviewTasks,
  writeTasks,
} from "../../chapters/sandboxes/compute-tasks.ts";
import { compileDoor } from "../../chapters/sandboxes/doors-compile.ts";
import {
  hardenTasks,
  writeCriterion,
  writeModeTasks,
  writeRegressions,
} from "../../chapters/sandboxes/failure-tasks.ts";
import { readSource } from "../repositories/source-tools.ts";

/** A compute task as the worker holds it. */
export interface AnyComputeTask {
  readonly name: string;
  readonly run: (input: never, kit: ComputeKit) => unknown;
}

/** Every task that the worker threads know, by name. */
export const computeTasks: readonly AnyComputeTask[] = [
  compileSurface,
  drawState,
  compileDoor,
  referenceTrials,
  writeTasks,
  reviewTasks,
  rehearse,
  auditState,
  rekeyTasks,
  dryRunScript,
  checkShapes,
  writeRegressions,
  writeCriterion,
  writeModeTasks,
  hardenTasks,
  readBatch,
  readSpans,
  replayNew,
  induceClusters,
  measureClusters,
  readSource,
  readPdf,
  compileGraph,
  regradeTrials,
];

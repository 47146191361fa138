import { readBatch } from "../../chapters/evidence/reading/read-batch.ts";
import { readSpans } from "../../chapters/evidence/rolling/read-spans.ts";
import type { AnyComputeTask } from "./answer-requests.ts";

/** The tasks that take milliseconds. Their threads load nothing else: they start sooner, and have less memory to look through for garbage. */
export const briefTasks: readonly AnyComputeTask[] = [readBatch, readSpans];

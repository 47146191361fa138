import { readBatch } from "../../chapters/evidence/reading/read-batch.ts";
import { readSpans } from "../../chapters/evidence/rolling/read-spans.ts";
import type { AnyComputeTask } from "./answer-requests.ts";

/** Tasks that take milliseconds. Their threads load nothing else, so they start sooner and use less memory. */
export const briefTasks: readonly AnyComputeTask[] = [readBatch, readSpans];

import { chapter } from "../kernel/chapter.ts";
import { afterIngest } from "./after-ingest.ts";
import { attributes } from "./attributes.ts";
import { changes } from "./changes.ts";
import { corpus } from "./corpus.ts";
import { evidence } from "./evidence.ts";
import { extraction } from "./extraction.ts";
import { facets } from "./facets.ts";
import { feedback } from "./feedback.ts";
import { feedbackDerive } from "./feedback-derive.ts";
import { labels } from "./labels.ts";
import { pipeline } from "./pipeline.ts";
import { reconvert } from "./reconvert.ts";
import { records } from "./records.ts";
import { statements } from "./statements.ts";
import { worldplans } from "./worldplans.ts";

/** What is known of how an agent is used, and the way from it to environments. */
export const evidenceChapter = chapter({
  name: "evidence",
  title: "Evidence",
  description:
    "Traces, tool listings and documents: sending them, reading what was made of them, and running the pipeline over them.",
  operations: [
    ...evidence,
    ...attributes,
    ...extraction,
    ...reconvert,
    ...facets,
    ...worldplans,
    ...pipeline,
    ...records,
    ...labels,
    ...corpus,
    ...statements,
    ...feedback,
    ...feedbackDerive,
    ...afterIngest,
    ...changes,
  ],
});

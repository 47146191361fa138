import { chapter } from "../kernel/chapter.ts";
import { afterIngest } from "./after-ingest/after-ingest.ts";
import { attributes } from "./attributes/attributes.ts";
import { facets } from "./attributes/facets.ts";
import { changes } from "./changes.ts";
import { corpus } from "./corpus/corpus.ts";
import { extraction } from "./documents/extraction.ts";
import { statements } from "./documents/statements.ts";
import { evidence } from "./evidence.ts";
import { feedback } from "./feedback/feedback.ts";
import { feedbackDerive } from "./feedback/feedback-derive.ts";
import { labels } from "./feedback/labels.ts";
import { reconvert } from "./intake/reconvert.ts";
import { pipeline } from "./pipeline.ts";
import { records } from "./records.ts";
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

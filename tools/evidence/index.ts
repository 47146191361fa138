import { afterIngest } from "../automation/after-ingest/after-ingest.ts";
import { changes } from "../automation/changes.ts";
import { pipeline } from "../automation/run-pipeline.ts";
import { records } from "../exports/org-records.ts";
import { chapter } from "../kernel/chapter.ts";
import { coverEvidence } from "../sandboxes/environments/cover-evidence.ts";
import { planFromEvidence } from "../sandboxes/plans/plan-from-evidence.ts";
import { reconvert } from "../sources/reconvert.ts";
import { attributes } from "./attributes/attributes.ts";
import { facets } from "./attributes/facets.ts";
import { corpus } from "./corpus/corpus.ts";
import { extraction } from "./documents/extraction.ts";
import { statements } from "./documents/statements.ts";
import { evidence } from "./evidence.ts";
import { feedback } from "./feedback/feedback.ts";
import { feedbackDerive } from "./feedback/feedback-derive.ts";
import { labels } from "./feedback/labels.ts";
import { postEvidenceOperations } from "./intake/post-evidence.ts";
import { toolspec } from "./toolspec.ts";
import { match } from "./traces/match.ts";

/** What is known of how an agent is used, and the way from it to environments. */
export const evidenceChapter = chapter({
  name: "evidence",
  title: "Evidence",
  description:
    "Traces, tool listings and documents: sending them, reading what was made of them, and running the pipeline over them.",
  operations: [
    ...postEvidenceOperations,
    ...evidence,
    ...toolspec,
    ...attributes,
    ...match,
    ...extraction,
    ...reconvert,
    ...facets,
    ...planFromEvidence,
    ...coverEvidence,
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

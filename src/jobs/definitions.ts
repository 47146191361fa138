import { writePathJob } from "../../chapters/agents/writes/count-write-paths.ts";
import { afterIngestJob } from "../../chapters/automation/after-ingest/after-ingest-pass.ts";
import { detectJob } from "../../chapters/automation/onboarding/detect.ts";
import { discoverJob } from "../../chapters/automation/onboarding/discover.ts";
import { onboardJob } from "../../chapters/automation/onboarding/onboard-job.ts";
import { probeJob, smokeJob } from "../../chapters/automation/onboarding/probe.ts";
import { scanJob } from "../../chapters/automation/onboarding/scan.ts";
import { serverRefJob } from "../../chapters/automation/onboarding/server-refs.ts";
import { retentionJob } from "../../chapters/automation/organization/retention.ts";
import { pipelineJob } from "../../chapters/automation/run-pipeline.ts";
import { extractDocumentsJob } from "../../chapters/evidence/documents/extract-documents.ts";
import { extractTracesJob } from "../../chapters/evidence/documents/extract-traces.ts";
import { mirrorJob } from "../../chapters/exports/mirror-out.ts";
import { modeTasksJob } from "../../chapters/findings/modes/confirm-mode.ts";
import { findFailureJob } from "../../chapters/findings/modes/find-failures.ts";
import { evaluateOnlineJob } from "../../chapters/online/evaluate.ts";
import { ontologyJob } from "../../chapters/ontology/compile.ts";
import { deriveJob } from "../../chapters/ontology/derive.ts";
import { personaDrawJob } from "../../chapters/ontology/personas/personas.ts";
import { relationsJob } from "../../chapters/ontology/relations.ts";
import { runGroupJob, runJob } from "../../chapters/runs/jobs/run-jobs.ts";
import { finishJob } from "../../chapters/runs/play/finish-run.ts";
import { auditJob } from "../../chapters/sandboxes/authoring/audit.ts";
import { authorJob } from "../../chapters/sandboxes/authoring/author-environment.ts";
import { coverJob } from "../../chapters/sandboxes/environments/cover-evidence.ts";
import { generateJob } from "../../chapters/sandboxes/environments/generate-environments.ts";
import { reserveJob } from "../../chapters/sandboxes/environments/reserve.ts";
import { planJob } from "../../chapters/sandboxes/plans/plan-from-surface.ts";
import { rereviewJob } from "../../chapters/sandboxes/review/rereview.ts";
import { reviewJob } from "../../chapters/sandboxes/review/review.ts";
import { servedRepoJob } from "../../chapters/sandboxes/served-repos/served-repos-connect.ts";
import { mintJob } from "../../chapters/sandboxes/worlds/sandboxes.ts";
import { reconvertJob } from "../../chapters/sources/reconvert.ts";
import { syncJob } from "../../chapters/sources/sync.ts";
import type { AnyJob } from "./options.ts";

/** Every kind of job that this service runs. */
export const jobDefinitions: readonly AnyJob[] = [
  detectJob,
  scanJob,
  serverRefJob,
  pipelineJob,
  generateJob,
  reviewJob,
  runGroupJob,
  runJob,
  finishJob,
  syncJob,
  mirrorJob,
  authorJob,
  rereviewJob,
  reserveJob,
  auditJob,
  mintJob,
  servedRepoJob,
  planJob,
  coverJob,
  afterIngestJob,
  reconvertJob,
  evaluateOnlineJob,
  extractTracesJob,
  extractDocumentsJob,
  retentionJob,
  ontologyJob,
  deriveJob,
  relationsJob,
  personaDrawJob,
  modeTasksJob,
  findFailureJob,
  probeJob,
  smokeJob,
  writePathJob,
  discoverJob,
  onboardJob,
];

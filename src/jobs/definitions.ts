import { writePathJob } from "../../chapters/agents/count-write-paths.ts";
import { detectJob } from "../../chapters/agents/detect.ts";
import { discoverJob } from "../../chapters/agents/discover.ts";
import { onboardJob } from "../../chapters/agents/onboard-job.ts";
import { probeJob, smokeJob } from "../../chapters/agents/probe.ts";
import { scanJob } from "../../chapters/agents/scan.ts";
import { serverRefJob } from "../../chapters/agents/server-refs.ts";
import { afterIngestJob } from "../../chapters/evidence/after-ingest-pass.ts";
import { extractDocumentsJob } from "../../chapters/evidence/extract-documents.ts";
import { extractTracesJob } from "../../chapters/evidence/extract-traces.ts";
import { reconvertJob } from "../../chapters/evidence/reconvert.ts";
import { mirrorJob } from "../../chapters/exports/mirror-out.ts";
import { modeTasksJob } from "../../chapters/findings/confirm-mode.ts";
import { findFailureJob } from "../../chapters/findings/find-failures.ts";
import { evaluateOnlineJob } from "../../chapters/online/evaluate.ts";
import { ontologyJob } from "../../chapters/ontology/compile.ts";
import { deriveJob } from "../../chapters/ontology/derive.ts";
import { personaDrawJob } from "../../chapters/ontology/personas.ts";
import { relationsJob } from "../../chapters/ontology/relations.ts";
import { retentionJob } from "../../chapters/organization/retention.ts";
import { finishJob } from "../../chapters/runs/finish-run.ts";
import { runGroupJob, runJob } from "../../chapters/runs/jobs.ts";
import { auditJob } from "../../chapters/sandboxes/audit.ts";
import { authorJob } from "../../chapters/sandboxes/author-environment.ts";
import { coverJob } from "../../chapters/sandboxes/cover-evidence.ts";
import { generateJob } from "../../chapters/sandboxes/generate-environments.ts";
import { planJob } from "../../chapters/sandboxes/plan-from-surface.ts";
import { rereviewJob } from "../../chapters/sandboxes/rereview.ts";
import { reserveJob } from "../../chapters/sandboxes/reserve.ts";
import { reviewJob } from "../../chapters/sandboxes/review.ts";
import { pipelineJob } from "../../chapters/sandboxes/run-pipeline.ts";
import { mintJob } from "../../chapters/sandboxes/sandboxes.ts";
import { servedRepoJob } from "../../chapters/sandboxes/served-repos-connect.ts";
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

import { z } from "zod";
import { listPipelines, PipelineRequest, startPipeline } from "../../chapters/automation/run-pipeline.ts";
import { orgRef } from "../../chapters/fields.ts";
import { Started } from "../../chapters/job.ts";
import { pageInput } from "../../chapters/page.ts";
import { operation } from "../kernel/operation.ts";

/** From stored evidence to environments with certified tasks, as one job. */
export const pipeline = [
  operation({
    name: "pipeline_post",
    title: "Run the pipeline",
    description:
      "Call it after evidence_post: builds everything to test with from a surface's stored evidence, as one job: compiles the traces into a fake world, measures it, draws environments, writes and reviews tasks. Stages whose inputs are unchanged are skipped.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/pipeline",
    input: PipelineRequest,
    output: Started.extend({ org: z.string(), surface: z.string(), admit: z.boolean() }),
    handle: startPipeline,
  }),
  operation({
    name: "pipeline_get",
    title: "List pipeline runs",
    description: "Lists the org's pipeline jobs, newest first, with status, stage and what each made.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/pipeline",
    input: z.object({ ...orgRef, ...pageInput }),
    output: z.object({
      jobs: z.array(
        z.object({
          id: z.string(),
          status: z.string(),
          note: z.string().nullable(),
          message: z.string().nullable(),
          done: z.number(),
          total: z.number().nullable(),
          result: z.unknown(),
          created_at: z.number(),
          started_at: z.number().nullable(),
          ended_at: z.number().nullable(),
        }),
      ),
      next: z.string().optional(),
    }),
    handle: listPipelines,
  }),
];

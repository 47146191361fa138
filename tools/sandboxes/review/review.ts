import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { Started } from "../../../chapters/job.ts";
import { TaskStatus } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { envRef, Health, modelField, REVIEWED, StatusCounts, total } from "../../../chapters/sandboxes/fields.ts";
import {
  getReview,
  HoldInput,
  holdTask,
  ReplacedTask,
  regate,
  startReview,
} from "../../../chapters/sandboxes/review/review.ts";
import { Ask } from "../../../chapters/sandboxes/tasks/suite.ts";
import { Family, ReviewName, ReviewVerdict } from "../../../worlds/tasks/schema.ts";
import { operation, shaped } from "../../kernel/operation.ts";

const Asks = z.array(Ask).describe("What waits for a person's word.");
const ReviewChecks = z.array(z.object({ name: ReviewName, proves: z.string() }));

/** The review of an environment's tasks. */
export const review = [
  shaped({
    name: "environment_review",
    title: "Read an environment's review",
    description:
      "Read it to know why a task was refused: five review verdicts per task (solvable, discriminating, determined, grounded, natural) with evidence, survivors and counts.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/review",
    input: z.object({ ...envRef, format: z.enum(["json", "md"]).optional().describe("`md` answers a Markdown file.") }),
    output: z.object({
      org: z.string(),
      environment: z.string(),
      surface: z.string(),
      counts: StatusCounts,
      asks: Asks,
      checks: ReviewChecks,
      max_rounds: z.number().int().describe("How many candidates are tried for a task that is written again."),
      replaced_tasks: z.array(ReplacedTask),
      suite: z.string().describe("Names the set of tasks that count now."),
      verdicts: z.array(z.object({ name: ReviewName, passed: z.number().int(), failed: z.number().int() })),
      tier: z.literal("deterministic"),
      tasks: z.array(
        z.object({
          index: z.number().int(),
          family: Family,
          request: z.string(),
          status: TaskStatus,
          reason: z.string().optional(),
          reviewed_at: z.number().optional(),
          verdicts: z.array(ReviewVerdict),
        }),
      ),
      verifier_health: Health.optional(),
    }),
    handle: getReview,
    verdict: ({ counts, verifier_health: health }) =>
      `${counts.certified} of ${countOf(total(counts), "task")} certified${health === undefined ? "" : `; ${health.rejected} of ${countOf(health.mutants, "wrong trial")} rejected, ${health.spared} of ${countOf(health.equals, "equal one")} spared`}.`,
    counts: ({ counts, verifier_health: health, tier }) => [
      { name: "certified", value: counts.certified, of: total(counts), tier, how: REVIEWED },
      { name: "refused", value: counts.refused, of: total(counts), tier, how: REVIEWED },
      { name: "held", value: counts.held, of: total(counts), tier: "human", how: "held by a person, or not admitted" },
      ...(health === undefined
        ? []
        : [
            { name: "wrong trials rejected", value: health.rejected, of: health.mutants, tier, how: REVIEWED },
            { name: "equal trials spared", value: health.spared, of: health.equals, tier, how: REVIEWED },
          ]),
    ],
  }),
  operation({
    name: "environment_review_post",
    title: "Review an environment",
    description:
      "Starts a review of the tasks that have none, as a background job; of all with `force`. No model is called.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/review",
    input: z.object({ ...envRef, ...modelField, force: z.boolean().optional().describe("Review every task anew.") }),
    output: Started.extend({
      environment: z.string(),
      surface: z.string(),
      tasks: z.number().int(),
      force: z.boolean(),
      asks: Asks,
      checks: ReviewChecks,
      stages: z.array(z.string()),
      note: z.string(),
      tier: z.literal("deterministic"),
    }),
    handle: startReview,
  }),
  operation({
    name: "environment_review_hold",
    title: "Hold a task",
    description:
      "Holds one task by a person's word: it is kept, and it does not count in a run unless the run asks for held tasks.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/review/hold",
    input: HoldInput,
    output: z.object({
      environment: z.string(),
      hold: z.object({ index: z.number().int(), reason: z.string() }),
      counts: StatusCounts,
      tier: z.enum(["human", "llm-derived"]),
    }),
    handle: holdTask,
  }),
  operation({
    name: "environment_regate",
    title: "Certify tasks again",
    description:
      "Reviews the standing tasks again on the world served now and tells which changed sides. No model is called.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/regate",
    deferrable: true,
    input: z.object(envRef),
    output: z.object({
      environment: z.string(),
      regated: z.number().int(),
      counts: StatusCounts,
      moved: z.array(
        z.object({ index: z.number().int(), was: TaskStatus, is: TaskStatus, reason: z.string().optional() }),
      ),
      model_calls: z.number().int(),
      tier: z.literal("deterministic"),
    }),
    handle: regate,
  }),
];

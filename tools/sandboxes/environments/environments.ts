import { z } from "zod";
import { pageInput } from "../../../chapters/page.ts";
import { PublicProposal } from "../../../chapters/records/sandboxes/proposals.ts";
import { BundleRecord, Environment } from "../../../chapters/records/sandboxes/sandboxes.ts";
import {
  environmentSurfaceKey,
  environmentTools,
  environmentWorldTable,
  getEnvironment,
  restoreEnvironment,
  retireEnvironment,
} from "../../../chapters/sandboxes/environments/environments.ts";
import { startGeneration } from "../../../chapters/sandboxes/environments/generate-environments.ts";
import { environmentFidelity } from "../../../chapters/sandboxes/surfaces/fidelity.ts";
import { Situation, TaskSelection } from "../../../chapters/sandboxes/tasks/task-selection.ts";
import { ToolDefinition } from "../../../worlds/bundle.ts";
import { ReviewName } from "../../../worlds/tasks/schema.ts";
import { REGISTERS } from "../../../worlds/tasks/words/revoice.ts";
import { byField, orgRef } from "../../kernel/fields.ts";
import { operation, shaped } from "../../kernel/operation.ts";
import { Started } from "../../kernel/started.ts";
import { HeldToShapes } from "../authoring/answer-shapes.ts";
import { envRef, Health, modelField, StatusCounts, whyField } from "../fields.ts";

const EnvironmentView = Environment.schema.omit({ base_blob: true });

/** Drawn states with their tasks. */
export const environments = [
  operation({
    name: "environment_get",
    title: "Get an environment",
    description:
      "Answers one drawn state: what it was drawn from, rows per table and how many are drawn, tasks by review status, verifier health.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}",
    input: z.object(envRef),
    output: EnvironmentView.extend({
      state: z.enum(["live", "retired"]),
      tasks_state: z.enum(["none", "drafts", "reviewed"]),
      suite: z.string().describe("Names the set of tasks that count now."),
      world_snapshot: z.string(),
      counts: StatusCounts,
      verifier_health: Health.optional(),
    }),
    handle: getEnvironment,
  }),
  operation({
    name: "environment_tools",
    title: "An environment's tools",
    description: "Answers the manifest that this environment's worlds serve.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/tools",
    input: z.object(envRef),
    output: z.object({
      environment: z.string(),
      bundle_id: z.string(),
      tool_count: z.number().int(),
      tools: z.array(ToolDefinition),
    }),
    handle: environmentTools,
  }),
  operation({
    name: "environment_surface_key",
    title: "An environment's comparison terms",
    description:
      "Answers the digests that comparisons hold equal: bundle, base rows, and per task its text and the world, tools and checks its certificate names.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/surface-key",
    input: z.object(envRef),
    output: z.object({
      environment: z.string(),
      bundle: z.string(),
      base_rows: z.string(),
      tasks: z.array(
        z.object({
          index: z.number().int(),
          task: z.string(),
          world: z.string(),
          tools: z.string(),
          checks: z.string(),
        }),
      ),
    }),
    handle: environmentSurfaceKey,
  }),
  operation({
    name: "environment_world_table",
    title: "One table of an environment",
    description: "Answers one table of the drawn state by pages, saying of each row whether it was observed or drawn.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/world/table",
    input: z.object({ ...envRef, ...pageInput, table: z.string().min(1).max(200) }),
    output: z.object({
      environment: z.string(),
      table: z.string(),
      total: z.number().int(),
      rows: z.array(
        z.object({ key: z.string(), origin: z.enum(["observed", "drawn"]), row: z.record(z.string(), z.unknown()) }),
      ),
      next: z.string().optional(),
    }),
    handle: environmentWorldTable,
  }),
  operation({
    name: "environment_retire",
    title: "Retire an environment",
    description: "Takes one drawn state off the org's lists. Its runs stay; environment_restore puts it back.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/retire",
    input: z.object({ ...envRef, ...byField, ...whyField }),
    output: z.object({ retired: Environment.schema }),
    handle: retireEnvironment,
  }),
  operation({
    name: "environment_restore",
    title: "Restore an environment",
    description: "Puts a retired environment back on the org's lists.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/restore",
    input: z.object({ ...envRef, ...byField, ...whyField }),
    output: z.object({ restored: Environment.schema }),
    handle: restoreEnvironment,
  }),
  shaped({
    name: "environment_fidelity",
    title: "How faithful an environment is",
    description:
      "Call it before trusting a verdict: tells how an environment's worlds answer calls they were not compiled from, per tool: identical, same shape, same class, not served, wrong success; with a plain recording beside.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/fidelity",
    input: z.object(envRef),
    output: z.object({
      environment: z.string(),
      bundle: z.string(),
      exceptions: z.number().int().describe("Observed answers recorded over a fitted behaviour that misses them."),
      gaps: BundleRecord.schema.shape.gaps,
      tier: z.literal("deterministic"),
      fidelity: BundleRecord.schema.shape.fidelity,
      proposed: PublicProposal.optional().describe(
        "What a model proposed and replay took; absent where none was asked.",
      ),
      answer_shapes: HeldToShapes.optional().describe("Absent where no shape is expected."),
    }),
    handle: environmentFidelity,
    verdict: ({ fidelity, gaps }) =>
      fidelity === undefined
        ? "Fidelity was not measured: there were too few traces to hold some back."
        : `${percent(fidelity.all.identical_volatile, fidelity.all.calls)} of held-out calls answered as observed; ${fidelity.all.wrong_success} wrong successes; ${gaps.length} gaps.`,
    counts: ({ fidelity, exceptions, gaps, tier, proposed }) => [
      ...(fidelity === undefined
        ? []
        : [
            {
              name: "identical up to volatile fields",
              value: fidelity.all.identical_volatile,
              of: fidelity.all.calls,
              tier,
              how: "replay of held-out traces, in order, each on a fresh fork",
            },
            {
              name: "not served",
              value: fidelity.all.not_served,
              of: fidelity.all.calls,
              tier,
              how: "answered as a gap",
            },
            {
              name: "wrong successes",
              value: fidelity.all.wrong_success,
              of: fidelity.all.calls,
              tier,
              how: "a success where the real system answered otherwise",
            },
            ...(fidelity.all.wrong_answer === undefined
              ? []
              : [
                  {
                    name: "wrong answers",
                    value: fidelity.all.wrong_answer,
                    of: fidelity.all.calls,
                    tier,
                    how: "an answer that is not the real system's, refusals included",
                  },
                ]),
            {
              name: "a plain recording",
              value: fidelity.all.recording.identical_volatile,
              of: fidelity.all.calls,
              tier,
              how: "the same calls looked up by their arguments",
            },
          ]),
      { name: "recorded exceptions", value: exceptions, tier, how: "observed calls that the fitted behaviour misses" },
      { name: "tools with gaps", value: gaps.length, tier, how: "what evidence could not determine" },
      ...(proposed?.taken
        ? [
            {
              name: "tools answered by programs that a model proposed",
              value: proposed.tools.filter(({ standing }) => standing !== undefined).length,
              tier: proposed.tier,
              how: "each stands on observed calls, none against",
            },
          ]
        : []),
    ],
    next: () => "environment_tasks lists the tasks that were written on it.",
  }),
  shaped({
    name: "generate_environments",
    title: "Generate an environment",
    description:
      "Draws a new environment of a compiled surface (pipeline_post) and writes reviewed tasks for it, as a job: for tasks about something, narrow it by families or dimension values. Tasks that do not pass review are refused with reasons.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/environments/generate",
    input: z.object({
      ...orgRef,
      surface: z.string().min(1).max(200).optional().describe("The surface's name or id; `main` when absent."),
      count: z.number().int().min(1).max(20).optional().describe("How many environments; 1 when absent."),
      tasks: z.number().int().min(1).max(500).optional().describe("Tasks to write per environment; 30 when absent."),
      selection: TaskSelection.optional().describe(
        'Values by axis, see dimensions_get: {operation: ["refund"]}; all when absent.',
      ),
      situations: z
        .array(Situation)
        .min(1)
        .max(50)
        .optional()
        .describe("Cells, as many tasks for each: {use_case, persona, …}, a value an axis."),
      criteria: z
        .array(z.string().max(200))
        .max(100)
        .optional()
        .describe("Kinds of checks that half of the tasks carry, as many for each."),
      criteria_only: z.boolean().optional().describe("Whether every task must carry one of the criteria."),
      exemplars: z
        .array(z.string().max(200))
        .max(100)
        .optional()
        .describe("Ids of traces: tasks are mined from these alone and use no other tools."),
      history: z
        .boolean()
        .optional()
        .describe("Whether half of the tasks come from recorded sessions (true) or none (false)."),
      web: z.boolean().optional().describe("Refused when true: no web page is read; send pages as documents."),
      kind_floor: z
        .number()
        .int()
        .min(0)
        .max(500)
        .optional()
        .describe("Tasks of each family that are written before the rest, where rows allow it."),
      voice: z.enum(REGISTERS).optional().describe("The register of every request; every one in turn when absent."),
      seed: z.string().max(100).optional().describe("The same seed draws and writes the same."),
      label: z.string().min(1).max(200).optional(),
      augment: z.boolean().optional().describe("Whether rows may be drawn beside the observed ones."),
      representation: Environment.schema.shape.hypothesis
        .optional()
        .describe("The hypothesis to draw from; by `augment` when absent."),
      surface_version: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("A compiled version of the surface; the served one when absent."),
      bundle: z.string().min(1).max(200).optional().describe("The same by the bundle's id alone."),
      ...modelField,
      ...byField,
    }),
    output: Started.extend({
      surface: z.string(),
      surface_version: z.string(),
      count: z.number().int(),
      tasks: z.number().int(),
      selection: TaskSelection,
      voice: z.enum(REGISTERS).nullable(),
      checks: z.array(ReviewName).describe("What every task must pass."),
      stage: z.string(),
      stages: z.array(z.string()),
      note: z.string(),
    }),
    handle: startGeneration,
    verdict: ({ count, tasks, surface, deduplicated }) =>
      deduplicated
        ? `The same generation runs already on ${surface}.`
        : `Drawing ${count} environment${count === 1 ? "" : "s"} of ${surface} with ${tasks} tasks each.`,
    counts: ({ count, tasks }) => [
      { name: "environments asked for", value: count, tier: "human", how: "as the call said" },
      { name: "tasks asked for each", value: tasks, tier: "human", how: "as the call said" },
    ],
    next: ({ job }) => `job_status with job_id ${job} until it lands; its result names the environments.`,
  }),
];

function percent(part: number, whole: number): string {
  return whole === 0 ? "none" : `${((100 * part) / whole).toFixed(1)} %`;
}

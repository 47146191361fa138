import { z } from "zod";
import {
  CoverageInput,
  ProductionCalls,
  touchedCoverage,
} from "../../../chapters/automation/onboarding/touched-coverage.ts";
import { countOf } from "../../../chapters/count-of.ts";
import { shaped } from "../../kernel/operation.ts";

const Price = z.object({
  write_usd: z.number().describe("Writing tasks by rule asks no model."),
  model_calls: z.number().int(),
  try_once_usd: z
    .number()
    .optional()
    .describe(
      "What one trial of each would cost at the group's cost per trial in the ledger; absent where unmeasured.",
    ),
  tier: z.literal("deterministic"),
});

const Tool = z.object({
  tool: z.string(),
  how: z
    .enum(["named", "added", "removed", "redeclared", "described", "schema", "file"])
    .describe("What says that the version touches it."),
  surface: z.string().nullable().describe("A surface that serves it; null when none does."),
  unknown: z
    .literal(true)
    .optional()
    .describe("Set on a tool that was named and that no surface serves, no task calls and no trace shows."),
  tasks: z.number().int().describe("Tasks of the set whose script, or a trial of whom, calls it."),
  by_script: z.number().int(),
  by_trials: z.number().int().optional().describe("Absent without a group."),
  called_by: z.array(z.object({ task: z.string(), environment: z.string(), index: z.number().int() })),
  production: ProductionCalls.optional().describe("Absent where no production trace is stored."),
  gap: z.number().int().describe("Tasks that are missing to three."),
  plan: z
    .object({
      operation: z.literal("generate_environments"),
      body: z.object({
        surface: z.string(),
        selection: z.object({ operation: z.array(z.string()) }),
        tasks: z.number().int(),
        label: z.string(),
      }),
      price: Price,
    })
    .optional()
    .describe("The one call that writes what is missing."),
});

/** What a change touches, before anything of it is run. */
export const coverage = [
  shaped({
    name: "touched_coverage",
    title: "Show coverage of what a change touches",
    description:
      "Use it before a changed version is run: which tools it touches, how many tasks call each, how often production did, and the one call that generates what is missing, priced. Nothing runs or is written.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/agents/{aid}/touched-coverage",
    input: CoverageInput,
    output: z.object({
      org: z.string(),
      agent: z.string(),
      version: z.string(),
      set: z.object({
        kind: z.enum(["live", "selection", "held", "group"]),
        name: z.string().nullable(),
        tasks: z.number().int(),
        trials: z.number().int().nullable(),
      }),
      enough: z.number().int(),
      tools: z.array(Tool),
      gap: z.number().int(),
      planned: z.number().int().describe("Missing tasks that the plans would write."),
      production: z.object({ batches: z.number().int(), traces: z.number().int() }).optional(),
      price: Price,
      tier: z.literal("deterministic"),
    }),
    verdict: ({ tools, gap, enough, set }) => {
      if (tools.length === 0) return "This version touches no tool.";
      const short = tools.filter((tool) => tool.gap > 0);
      const unknown = tools.filter((tool) => tool.unknown).length;
      if (unknown === tools.length) return "No surface serves a tool of these names, and no task or trace calls one.";
      const rest = unknown === 0 ? "" : ` ${unknown} of the tools that were named nobody has.`;
      return short.length === 0
        ? `Each of the ${tools.length - unknown} touched tools is called by ${enough} of ${set.tasks} tasks or more.${rest}`
        : `${short.length} of ${tools.length} touched tools are called by fewer than ${countOf(enough, "task")}: ${gap} are missing.${rest}`;
    },
    counts: ({ tools, gap, set }) => [
      {
        name: "touched tools",
        value: tools.length,
        tier: "deterministic",
        how: "from the call, or what is stored of the version",
      },
      { name: "missing tasks", value: gap, tier: "deterministic", how: "three less the tasks that call each tool" },
      { name: "tasks", value: set.tasks, tier: "deterministic", how: "tasks of the set" },
    ],
    next: ({ tools }) =>
      tools.some(({ plan }) => plan !== undefined)
        ? "generate_environments with a tool's plan.body, once per row"
        : undefined,
    handle: touchedCoverage,
  }),
];

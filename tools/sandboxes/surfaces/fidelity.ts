import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { PublicProposal } from "../../../chapters/records/sandboxes/proposals.ts";
import { BundleRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { envRef } from "../../../chapters/sandboxes/fields.ts";
import { environmentFidelity } from "../../../chapters/sandboxes/surfaces/fidelity.ts";
import { WrongAnswer } from "../../../chapters/sandboxes/surfaces/read-wrong-answers.ts";
import { shaped } from "../../kernel/operation.ts";
import { HeldToShapes } from "../authoring/answer-shapes.ts";

/** How faithful an environment is. */
export const fidelityOperations = [
  shaped({
    name: "environment_fidelity",
    title: "Read how faithful an environment is",
    description:
      "Call it before trusting a verdict: tells how an environment's worlds answer calls they were not compiled from, per tool: identical, same shape, same class, not served, wrong success; with a plain recording beside.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/fidelity",
    input: z.object({
      ...envRef,
      wrong_of: z
        .string()
        .max(200)
        .optional()
        .describe("A tool, whose first wrong answers are told beside the observed ones."),
    }),
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
      wrong: z
        .array(WrongAnswer)
        .optional()
        .describe("Of the tool asked for, wrong successes first; absent where none was asked for or kept."),
      answer_shapes: HeldToShapes.optional().describe("Absent where no shape is expected."),
    }),
    handle: environmentFidelity,
    verdict: ({ fidelity, gaps }) =>
      fidelity === undefined
        ? "Fidelity was not measured: there were too few traces to hold some back."
        : `${percent(fidelity.all.identical_volatile, fidelity.all.calls)} of held-out calls answered as observed; ${countOf(fidelity.all.wrong_success, "wrong success", "wrong successes")}; ${countOf(gaps.length, "gap")}.`,
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
    next: ({ environment }) => `environment_tasks with env_id ${environment} lists the tasks that were written on it.`,
  }),
];

function percent(part: number, whole: number): string {
  return whole === 0 ? "none" : `${((100 * part) / whole).toFixed(1)} %`;
}

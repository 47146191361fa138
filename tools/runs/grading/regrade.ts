import { z } from "zod";
import { countOf } from "../../../chapters/count-of.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { LeftOut, MovedCheck } from "../../../chapters/records/runs/grading.ts";
import { GradingTier, TrialEnd } from "../../../chapters/records/runs/runs.ts";
import { gid, ofRun } from "../../../chapters/runs/fields.ts";
import { listRegrades, regradeGroup } from "../../../chapters/runs/grading/regrade.ts";
import { CheckVerdict } from "../../../worlds/tasks/schema.ts";
import { operation, shaped } from "../../kernel/operation.ts";

const Regrades = z.object({
  org: z.string(),
  group: z.string(),
  runs: z.array(z.object({ ...ofRun, version: z.number().int(), graded_at: z.number(), by: z.string() })),
  changed: z
    .array(z.object({ ...ofRun, task: z.string(), n: z.number().int(), from: TrialEnd, to: TrialEnd }))
    .describe("Tries that end otherwise than in the version before."),
  moved: z.array(MovedCheck.extend(ofRun)).describe("Checks whose verdict moved against the version before."),
  skipped: z.array(LeftOut.extend(ofRun)),
  versions: z.number().int().describe("The newest version; 0 when the group was never graded again."),
  tier: GradingTier,
});

/** Grade a group again; gradings of a group. */
export const regrade = [
  shaped({
    name: "regrade_group",
    title: "Grade a group again",
    description:
      "Runs the checks again on every stored try of a group, by code alone, as a new version of its verdicts. Use it after the checks' own code changed; no agent runs.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/runs/group/{gid}/regrade",
    input: z.object({ ...orgRef, gid }),
    output: Regrades.extend({
      graded_at: z.number(),
      model_calls: z.number().int(),
      cost_usd: z.number(),
      trials_started: z.number().int(),
    }),
    verdict: ({ versions, changed, moved }) =>
      changed.length + moved.length === 0
        ? `Graded again as version ${versions}: nothing moved.`
        : `Graded again as version ${versions}: ${countOf(moved.length, "check")} moved, ${changed.length === 1 ? "1 try ends" : `${changed.length} tries end`} otherwise.`,
    counts: ({ moved, changed, tier }) => [
      { name: "checks moved", value: moved.length, tier: "deterministic", how: "verdicts against the version before" },
      { name: "tries changed", value: changed.length, tier, how: "ends against the version before" },
    ],
    next: ({ group }) => `run_group with gid ${group}`,
    handle: regradeGroup,
  }),
  operation({
    name: "run_group_regrades",
    title: "List gradings of a group",
    description: "Answers what the newest regrade of a group moved, or that of `version`, then with each try's checks.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/runs/group/{gid}/regrade",
    input: z.object({
      ...orgRef,
      gid,
      version: z.number().int().min(1).optional().describe("Which regrade; the newest when absent."),
    }),
    output: Regrades.extend({
      tries: z
        .array(
          z.object({
            ...ofRun,
            tries: z.array(
              z.object({ task: z.string(), n: z.number().int(), end: TrialEnd, checks: z.array(CheckVerdict) }),
            ),
          }),
        )
        .optional(),
    }),
    handle: listRegrades,
  }),
];

import { z } from "zod";
import { surfaceProgress } from "../../../chapters/automation/progress/progress.ts";
import { ModeStatus } from "../../../chapters/records/evidence/feedback.ts";
import { RootCause } from "../../../chapters/records/runs/runs.ts";
import { surfaceRef } from "../../../chapters/sandboxes/fields.ts";
import { shaped } from "../../kernel/operation.ts";

const Versioned = z.object({ agent: z.string(), name: z.string(), version: z.string() });

const PathState = z.enum(["met", "not_met", "not_decided", "untested"]);

/** Progress on a surface. */
export const progress = [
  shaped({
    name: "surface_progress",
    title: "Show progress on a surface",
    description:
      "Tells how agent versions did on a system, oldest first: per golden path met or not, which version first met it, what each gained and lost, and in which version each failure mode stopped.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/surfaces/{surface}/progress",
    input: z.object(surfaceRef),
    output: z.object({
      surface: z.string(),
      environments: z.number().int(),
      versions: z.array(
        Versioned.extend({
          created_at: z.number(),
          runs: z.array(z.string()).describe("Its newest landed run on each environment."),
          trials: z.number().int(),
          paths: z.record(z.string(), PathState),
          changed: z.object({ gained: z.array(z.string()), lost: z.array(z.string()) }),
          tier: z.literal("deterministic"),
        }),
      ),
      paths: z.array(z.object({ path: z.string(), tasks: z.number().int(), first_met: Versioned.nullable() })),
      failure_modes: z.array(
        z.object({
          mode: z.string().nullable().describe("Its record; null for a root cause that no record names."),
          title: z.string().nullable(),
          behaviour: RootCause.nullable(),
          status: ModeStatus.nullable(),
          told_by: z
            .enum(["tasks", "root_cause"])
            .describe("By the trials of its own tasks, or by every trial's root cause."),
          reproduced_in: z.array(Versioned.extend({ trials: z.number().int() })),
          stopped_at: Versioned.nullable().describe(
            "The first version after the last that showed it, of those that were tried on it; null where there is none.",
          ),
        }),
      ),
      tier: z.literal("deterministic"),
    }),
    handle: surfaceProgress,
    verdict: ({ versions, paths }) => {
      const newest = versions.at(-1);
      if (!newest) return "No agent version has a landed run on this surface yet.";
      const met = Object.values(newest.paths).filter((state) => state === "met").length;
      const { gained, lost } = newest.changed;
      return `The newest version meets ${met} of ${paths.length} golden paths; ${gained.length} gained and ${lost.length} lost since the version before.`;
    },
    counts: ({ versions, paths, tier }) => {
      const states = Object.values(versions.at(-1)?.paths ?? {});
      const how = "every decided trial of the newest landed run on each environment";
      return [
        { name: "versions with a landed run", value: versions.length, tier, how: "landed runs of connected agents" },
        {
          name: "paths ever met",
          value: paths.filter((row) => row.first_met !== null).length,
          of: paths.length,
          tier,
          how,
        },
        ...(versions.length === 0
          ? []
          : PathState.options.map((state) => ({
              name: `${state.replace("_", " ")} by the newest`,
              value: states.filter((one) => one === state).length,
              of: paths.length,
              tier,
              how,
            }))),
      ];
    },
    next: ({ versions }) =>
      versions.length === 0 ? "start_run runs an agent on the surface's environments." : undefined,
  }),
];

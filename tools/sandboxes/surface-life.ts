import { z } from "zod";
import { surfaceProgress } from "../../chapters/automation/progress/progress.ts";
import { ModeStatus } from "../../chapters/records/evidence/feedback.ts";
import { RootCause } from "../../chapters/records/runs/runs.ts";
import { Surface } from "../../chapters/records/sandboxes/sandboxes.ts";
import { rebuildSurface } from "../../chapters/sandboxes/surfaces/rebuild.ts";
import { listRetired, supersedeSurface, unsupersedeSurface } from "../../chapters/sandboxes/surfaces/supersede.ts";
import { orgRef } from "../kernel/fields.ts";
import { operation, shaped } from "../kernel/operation.ts";
import { surfaceRef, whyField } from "./fields.ts";

const Measured = z.object({
  exceptions: z.number().int(),
  gaps: z.number().int(),
  calls: z.number().int().optional(),
  identical_volatile: z.number().int().optional(),
  wrong_success: z.number().int().optional(),
});
const Versioned = z.object({ agent: z.string(), name: z.string(), version: z.string() });
const PathState = z.enum(["met", "not_met", "not_decided", "untested"]);
const Retired = {
  id: z.string(),
  name: z.string(),
  retired_at: z.number(),
  retired_by: z.string().optional(),
  retired_reason: z.string().optional(),
};

/** How a surface goes on: versions of agents on it, rebuilds, and leaving the lists. */
export const surfaceLife = [
  shaped({
    name: "surface_progress",
    title: "Progress on a surface",
    description:
      "Tells how agent versions did on a system, oldest first: per golden path met or not, which version first met it, what each gained and lost, and in which version each failure mode stopped.",
    scope: "read",
    effect: "read",
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
  operation({
    name: "surface_rebuild",
    title: "Rebuild a surface",
    description:
      "Compiles a surface's served version again from the same evidence under today's compiler, and serves the result unless it answers held-out calls worse. Environments change with environment_world_refresh; `check` only tells.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/rebuild",
    input: z.object({
      ...surfaceRef,
      ...whyField,
      mode: z.enum(["in_place", "check"]).optional().describe("`in_place` when absent."),
    }),
    output: z.object({
      surface: z.string(),
      code: z.enum(["unchanged", "rebuilt", "would_change", "refused"]),
      error: z.string().nullable(),
      version: z.object({ was: z.string(), is: z.string() }),
      digest: z.object({ was: z.string(), is: z.string() }),
      measured: z.object({ was: Measured, is: Measured }),
      tier: z.literal("deterministic"),
    }),
    handle: rebuildSurface,
  }),
  operation({
    name: "surface_supersede",
    title: "Supersede a surface",
    description:
      "Marks a surface as superseded, by another where one is named: lists leave it out unless asked, and nothing of it goes. surface_unsupersede lists it again.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/supersede",
    input: z.object({
      ...surfaceRef,
      ...whyField,
      superseded_by: z.string().min(1).max(200).optional().describe("The surface that takes its place, by name or id."),
    }),
    output: z.object({ superseded: Surface.schema }),
    handle: supersedeSurface,
  }),
  operation({
    name: "surface_unsupersede",
    title: "List a superseded surface again",
    description: "Takes the mark off a superseded surface, so that lists show it by default again.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/unsupersede",
    input: z.object(surfaceRef),
    output: z.object({ restored: Surface.schema }),
    handle: unsupersedeSurface,
  }),
  operation({
    name: "org_retired",
    title: "What the org retired",
    description:
      "Lists the surfaces and environments that were taken off the org's pages, with who did it, when and why. surface_restore and environment_restore put them back.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/retired",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      surfaces: z.array(z.object({ kind: z.literal("surface"), ...Retired, versions: z.number().int() })),
      environments: z.array(
        z.object({ kind: z.literal("environment"), ...Retired, surface: z.string(), tasks: z.number().int() }),
      ),
    }),
    handle: listRetired,
  }),
];

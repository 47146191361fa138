import { z } from "zod";
import { AuditCounts } from "../../../chapters/records/sandboxes/revision.ts";
import {
  RedrawInput,
  RefreshInput,
  redrawSurface,
  refreshWorld,
  revertSurface,
} from "../../../chapters/sandboxes/environments/redraw.ts";
import { StatusCounts, surfaceRef, whyField } from "../../../chapters/sandboxes/fields.ts";
import { operation } from "../../kernel/operation.ts";
import { RevisionHead } from "./revisions.ts";

const TaskCounts = z.record(z.string(), z.number().int());

const RedrawAnswer = z.object({
  surface: z.string(),
  record: z.string().describe("The id of the re-draw."),
  seed: z.string(),
  resolved_by: z.enum(["seed", "next_seed", "revert"]).describe("What decided the draw."),
  redrawn: z.boolean().describe("Whether any world changed."),
  environments_refreshed: z.array(
    z.object({
      environment: z.string(),
      revision: z.string(),
      before: TaskCounts,
      after: TaskCounts,
      audit: z.object({ before: AuditCounts, after: AuditCounts }).optional(),
      held: z.boolean(),
      worse: TaskCounts,
    }),
  ),
  unchanged: z.array(z.string()).describe("Environments whose world came out as it was."),
  refused: z
    .array(z.object({ environment: z.string(), reason: z.string() }))
    .describe("Environments that changed meanwhile: they are as they were."),
  held_to_observed: z
    .array(z.string())
    .describe("Environments whose drawn rows contradicted the observed ones: they have none now."),
  observed_changed: z.boolean(),
  reobserved: z.boolean(),
  declared: z
    .object({
      tools_added: z.array(z.string()),
      tools_redeclared: z.array(z.string()),
      tools_removed: z.array(z.string()),
      descriptions_changed: z.array(z.string()),
    })
    .nullable()
    .describe("What it declared over what was compiled."),
  previous_kept: z.array(z.string()).describe("The revisions under which the draws before are kept."),
  regated: z.number().int().describe("Tasks reviewed again on the new worlds."),
  reauthor: z.object({ asked: z.boolean(), rewritten: z.number().int() }),
  reverted: z.boolean(),
  worlds_reset: z.number().int().describe("Minted worlds put on the new draw."),
  tier: z.literal("deterministic"),
});

/** Drawing worlds again. */
export const redraws = [
  operation({
    name: "surface_world_redraw",
    title: "Re-draw a surface's worlds",
    description:
      "Draws every environment of a surface again with another seed and certifies its tasks there; `reobserve` compiles the evidence anew first, `reauthor` rewrites tasks that no longer pass, tools can be changed. surface_world_revert takes it all back.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/world/redraw",
    input: RedrawInput,
    output: RedrawAnswer,
    handle: redrawSurface,
  }),
  operation({
    name: "surface_world_revert",
    title: "Take a re-draw back",
    description:
      "Puts every environment back to what it was before the surface's last re-draw that stands, tasks and checks included. What stood until now is kept as revisions.",
    scope: "push",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/surfaces/{surface}/world/revert",
    input: z.object({ ...surfaceRef, ...whyField }),
    output: RedrawAnswer,
    handle: revertSurface,
  }),
  operation({
    name: "environment_world_refresh",
    title: "Refresh an environment",
    description:
      "Draws one environment from the representation that its surface serves now and certifies its tasks there, as a revision. Says so when there is nothing newer, and changes nothing then.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/world/refresh",
    deferrable: true,
    input: RefreshInput,
    output: z.object({
      environment: z.string(),
      refreshed: z.boolean(),
      bundle: z.object({ before: z.string(), after: z.string() }),
      seed: z.string(),
      revision: RevisionHead.nullable(),
      counts: StatusCounts,
      held_to_observed: z.boolean(),
      regated: z.number().int(),
      worlds_reset: z.number().int(),
      tier: z.literal("deterministic"),
    }),
    handle: refreshWorld,
  }),
];

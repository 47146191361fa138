import { z } from "zod";
import { byField } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { Environment } from "../../../chapters/records/sandboxes/sandboxes.ts";
import {
  environmentSurfaceKey,
  environmentTools,
  environmentWorldTable,
  getEnvironment,
  restoreEnvironment,
  retireEnvironment,
} from "../../../chapters/sandboxes/environments/environments.ts";
import { envRef, Health, StatusCounts, whyField } from "../../../chapters/sandboxes/fields.ts";
import { ToolDefinition } from "../../../worlds/bundle.ts";
import { operation } from "../../kernel/operation.ts";

const EnvironmentView = Environment.schema.omit({ base_blob: true });

/** Drawn states with their tasks. */
export const environments = [
  operation({
    name: "environment_get",
    title: "Get an environment",
    description:
      "Answers one drawn state: what it was drawn from, rows per table and how many are drawn, tasks by review status, verifier health.",
    scope: "read",
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
    title: "List an environment's tools",
    description: "Answers the manifest that this environment's worlds serve.",
    scope: "read",
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
    title: "Read an environment's comparison terms",
    description:
      "Answers the digests that comparisons hold equal: bundle, base rows, and per task its text and the world, tools and checks its certificate names.",
    scope: "read",
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
    title: "Read one table of an environment",
    description:
      "Answers one table of the drawn state by pages, all rows or those that hold some words, saying of each whether it was observed or drawn.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/world/table",
    input: z.object({
      ...envRef,
      ...pageInput,
      table: z.string().min(1).max(200),
      q: z.string().max(200).optional().describe("Words that all occur in a row or its key, in any letter case."),
    }),
    output: z.object({
      environment: z.string(),
      table: z.string(),
      total: z.number().int().describe("Rows that fit."),
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
];

import { z } from "zod";
import { pageInput } from "../../../chapters/page.ts";
import { TaskStatus } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { TaskScript } from "../../../chapters/records/sandboxes/script.ts";
import { envRef } from "../../../chapters/sandboxes/fields.ts";
import {
  DryRunInput,
  dryRun,
  index,
  listScripts,
  StoreInput,
  starterScripts,
  storeScripts,
} from "../../../chapters/sandboxes/tasks/scripts.ts";
import { CheckVerdict, Family, FinishedTrial, Script } from "../../../worlds/tasks/schema.ts";
import { operation } from "../../kernel/operation.ts";

const ScriptView = TaskScript.schema.omit({ environment: true }).extend({
  lapsed: z.boolean().describe("Whether its dry run was on another world than is served now, or held to other checks."),
});

/** Other ways to do a task. */
export const scripts = [
  operation({
    name: "environment_scripts_starter",
    title: "Make starter scripts",
    description:
      "Answers the reference script of each task, or of one: calls with arguments that may refer to earlier results as $n.path, and the answer. Start from it to write another right way to do the task.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/scripts/starter",
    input: z.object({ ...envRef, ...pageInput, index: index.optional() }),
    output: z.object({
      environment: z.string(),
      scripts: z.array(
        z.object({
          index: z.number().int(),
          status: TaskStatus,
          family: Family,
          request: z.string(),
          turns: z.array(z.string()),
          script: Script,
          source: z.literal("reference"),
        }),
      ),
      next: z.string().optional(),
    }),
    handle: starterScripts,
  }),
  operation({
    name: "environment_scripts_dry_run",
    title: "Dry-run a script",
    description:
      "Plays a script on a fresh fork of the drawn world: what each call answered, what the world's difference is, and what the checks decide, a task's or those given. Nothing is stored.",
    scope: "push",
    effect: "read",
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/scripts/dry-run",
    deferrable: true,
    input: DryRunInput,
    output: z.object({
      environment: z.string(),
      index: z.number().int().optional(),
      end: z.enum(["met", "failed", "invalid", "did_not_run"]),
      cause: z.string(),
      failed_at: z.number().int().optional().describe("The call that could not be made, from 1."),
      calls: FinishedTrial.shape.calls,
      answer: z.string().nullable(),
      changes: FinishedTrial.shape.diff,
      checks: z.array(CheckVerdict),
      tier: z.literal("deterministic"),
    }),
    handle: dryRun,
  }),
  operation({
    name: "environment_scripts_get",
    title: "List scripts",
    description:
      "Lists the scripts that people wrote for an environment's tasks, or for one, with their dry runs: stored ones met every check, drafts did not and say why.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/scripts",
    input: z.object({ ...envRef, ...pageInput, index: index.optional() }),
    output: z.object({ environment: z.string(), scripts: z.array(ScriptView), next: z.string().optional() }),
    handle: listScripts,
  }),
  operation({
    name: "environment_scripts_post",
    title: "Store scripts",
    description:
      "Stores other ways to do tasks, each after a dry run. One that does not meet its task's checks stays a draft with the reason.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/scripts",
    input: StoreInput,
    output: z.object({
      environment: z.string(),
      scripts: z.array(ScriptView),
      stored: z.number().int(),
      drafts: z.number().int(),
      tier: z.literal("human"),
    }),
    handle: storeScripts,
  }),
];

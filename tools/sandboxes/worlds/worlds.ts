import { z } from "zod";
import { orgField } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { Environment, WorldRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { taskRef, worldRef } from "../../../chapters/sandboxes/fields.ts";
import { ofWorld } from "../../../chapters/sandboxes/worlds/fields.ts";
import {
  callWorld,
  checkWorld,
  listWorlds,
  MintWorldInput,
  mintWorld,
  peekWorld,
  resetWorld,
  worldState,
  worldTools,
} from "../../../chapters/sandboxes/worlds/worlds.ts";
import { ToolDefinition } from "../../../worlds/bundle.ts";
import { CheckVerdict } from "../../../worlds/tasks/schema.ts";
import { operation } from "../../kernel/operation.ts";

const Row = z.record(z.string(), z.unknown());

const RowChange = z.object({ table: z.string(), key: z.string(), before: Row.optional(), after: Row.optional() });

/** Running worlds: mint, call, look inside, check, reset, and the connector tokens that open them. */
export const worlds = [
  operation({
    name: "worlds_list",
    title: "List worlds",
    description:
      "Lists the org's running worlds, newest first, with the MCP endpoint of each. Worlds made for trials are left out unless `trials` is set.",
    scope: "read",
    route: "GET /v0/worlds",
    input: z.object({
      ...orgField,
      ...pageInput,
      environment: z.string().max(200).optional(),
      trials: z.boolean().optional().describe("Also worlds that were made for trials."),
    }),
    output: z.object({
      worlds: z.array(
        WorldRecord.schema.omit({ minted: true, earlier: true }).extend({ live: z.boolean(), url: z.string() }),
      ),
      next: z.string().optional(),
    }),
    handle: listWorlds,
  }),
  operation({
    name: "worlds_post",
    title: "Mint a world",
    description:
      "Makes a fresh world of an environment, as drawn, with an MCP endpoint of its own. The answer holds the endpoint and a connector token, shown this once: point an agent under test at them.",
    scope: "push",
    effect: "create",
    route: "POST /v0/worlds",
    orgResolution: { from: "record", kind: Environment, param: "environment" },
    input: MintWorldInput,
    output: z.object({
      world: z.string(),
      bundle_id: z.string(),
      environment: z.string(),
      token: z.string(),
      token_id: z.string(),
      url: z.string(),
    }),
    handle: mintWorld,
  }),
  operation({
    name: "world_tools",
    title: "List a world's tools",
    description: "Answers the manifest a world serves: what an agent sees on its tools listing.",
    scope: "read",
    route: "GET /v0/worlds/{bundle_id}/{world}/tools",
    orgResolution: ofWorld,
    input: z.object(worldRef),
    output: z.object({ world: z.string(), tool_count: z.number().int(), tools: z.array(ToolDefinition) }),
    handle: worldTools,
  }),
  operation({
    name: "world_peek",
    title: "Peek into a world",
    description:
      "Counts a world's rows per table and names the rows that differ from its drawn state. Small whatever the world's size.",
    scope: "read",
    route: "GET /v0/worlds/{bundle_id}/{world}/peek",
    orgResolution: ofWorld,
    input: z.object(worldRef),
    output: z.object({
      world: z.string(),
      tables: z.record(z.string(), z.number().int()),
      changed: z.array(z.object({ table: z.string(), key: z.string(), op: z.enum(["insert", "update", "delete"]) })),
      digest: z.string(),
    }),
    handle: peekWorld,
  }),
  operation({
    name: "world_state",
    title: "Read a world's tables",
    description:
      "Answers a world's tables as they stand now, and the net difference from its drawn state. Name one table to keep it small.",
    scope: "read",
    route: "GET /v0/worlds/{bundle_id}/{world}/state",
    orgResolution: ofWorld,
    input: z.object({ ...worldRef, table: z.string().max(200).optional() }),
    output: z.object({
      world: z.string(),
      tables: z.record(z.string(), z.record(z.string(), Row)),
      diff: z.array(RowChange),
      digest: z.string(),
    }),
    handle: worldState,
  }),
  operation({
    name: "world_call",
    title: "Call a world's tool",
    description:
      "Makes one call in a world as an agent would, and answers what the agent would see, what answered it (behaviour, recording or a gap) and which rows changed. A tool's own error is an answer, not a refusal.",
    scope: "push",
    effect: "create",
    statuses: [200],
    route: "POST /v0/worlds/{bundle_id}/{world}/call",
    orgResolution: ofWorld,
    input: z.object({
      ...worldRef,
      tool: z.string().min(1).max(200),
      args: z.record(z.string(), z.unknown()).optional(),
    }),
    output: z.object({
      world: z.string(),
      tool: z.string(),
      is_error: z.boolean(),
      answer_class: z.string(),
      served_by: z.enum(["behaviour", "recorded", "gap", "schema"]),
      layer: z
        .enum(["history", "program", "floor"])
        .optional()
        .describe("Where the bundle has estimates: a session alike, what the tools do, or the most frequent answer."),
      confidence: z.number().min(0).max(1).optional().describe("Beside layer: how likely the answer is right."),
      answer: z.unknown(),
      text: z.string(),
      changes: z.array(z.object({ table: z.string(), key: z.string() })),
    }),
    handle: callWorld,
  }),
  operation({
    name: "world_check",
    title: "Check a world against a task",
    description:
      "Runs a task's checks against a world as it stands now: its calls so far, its difference, and the answer you give. Nothing changes.",
    scope: "read",
    effect: "read",
    route: "POST /v0/worlds/{bundle_id}/{world}/check",
    orgResolution: ofWorld,
    input: z.object({
      ...worldRef,
      index: taskRef.index,
      answer: z.string().max(100_000).optional().describe("What the agent answered; empty when absent."),
    }),
    output: z.object({
      world: z.string(),
      index: z.number().int(),
      end: z.enum(["met", "failed", "invalid"]),
      checks: z.array(CheckVerdict),
      tier: z.literal("deterministic"),
    }),
    handle: checkWorld,
  }),
  operation({
    name: "world_reset",
    title: "Reset a world",
    description: "Puts a world back to its drawn state and clears its journal.",
    scope: "push",
    effect: "update",
    hints: { destructive: true },
    route: "POST /v0/worlds/{bundle_id}/{world}/reset",
    orgResolution: ofWorld,
    input: z.object(worldRef),
    output: z.object({ world: z.string(), reset: z.boolean(), digest: z.string() }),
    handle: resetWorld,
  }),
];

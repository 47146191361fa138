import { z } from "zod";
import {
  AcceptInput,
  acceptWritePath,
  readWritePath,
  ref,
  startWritePathCount,
} from "../../../chapters/agents/writes/write-path.ts";
import { countOf } from "../../../chapters/count-of.ts";
import { audience } from "../../../chapters/fields.ts";
import { ToolWrites, WritePathCount } from "../../../chapters/records/agents/write-path.ts";
import { FailureMode } from "../../../chapters/records/findings/findings.ts";
import { operation, shaped } from "../../kernel/operation.ts";

const HOW = "calls of stored traces, by whether an earlier call of the same trace read the row";

/** Writes that an agent makes to rows it has not read. */
export const writePath = [
  shaped({
    name: "write_path",
    title: "Read write paths",
    description:
      "Answers the last count of an agent's write paths: by tool, how many writes changed a row that the session had not read before, and which tools are proposed as failure mode unverified_write. Count first with write_path_count.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/agents/{aid}/write-path",
    input: z.object({ ...ref, audience }),
    output: z.object({
      org: z.string(),
      agent: z.string(),
      audience: z.enum(["customer", "staff"]),
      counted: z.boolean().describe("Whether a count has landed; without one nothing is said of any tool."),
      counted_at: z.number().nullable(),
      running: z.boolean(),
      job: z.string().nullable().describe("The count that runs."),
      threshold: z.object({ sessions: z.number(), share: z.number() }),
      accepted: z.array(z.object({ tool: z.string(), mode: z.string(), at: z.number(), by: z.string() })),
      tools: z.array(ToolWrites).optional(),
      coverage: WritePathCount.schema.shape.coverage.optional(),
      proposals: z
        .array(
          z.object({ tool: z.string(), behaviour: z.literal("unverified_write"), title: z.string(), line: z.string() }),
        )
        .optional(),
      tier: z.literal("deterministic"),
    }),
    verdict: ({ counted, coverage, proposals = [] }) => {
      if (!counted || coverage === undefined) return "The write paths of this agent were not counted yet.";
      if (coverage.with_row === 0) return "No stored trace has a write whose row can be told.";
      return proposals.length === 0
        ? `No tool passes the threshold over ${coverage.with_row} writes.`
        : `Rows that were not read first are changed by ${countOf(proposals.length, "tool")}: ${proposals.map(({ tool }) => tool).join(", ")}.`;
    },
    counts: ({ tools = [], coverage }) =>
      coverage === undefined || coverage.with_row === 0
        ? []
        : [
            {
              name: "unread writes",
              value: tools.reduce((sum, { unread }) => sum + unread, 0),
              of: coverage.with_row,
              tier: "deterministic",
              how: HOW,
            },
            { name: "traces", value: coverage.traces, tier: "deterministic", how: "stored traces that were counted" },
          ],
    next: ({ counted, running, agent, proposals = [] }) => {
      if (running) return undefined;
      if (!counted) return `write_path_count with aid ${agent}`;
      return proposals.length > 0 ? `write_path_accept with aid ${agent} and a proposed tool` : undefined;
    },
    handle: readWritePath,
  }),
  operation({
    name: "write_path_count",
    title: "Count write paths",
    description:
      "Starts counting, by tool, how many of an agent's writes changed a row that its session had not read before, over every stored trace batch but those of other agents. Then call write_path.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/write-path",
    input: z.object(ref),
    output: z.object({
      job: z.string(),
      poll: z.string(),
      status: z.string(),
      agent: z.string(),
      stages: z.array(z.string()),
      model_calls: z.number().int(),
    }),
    handle: startWritePathCount,
  }),
  operation({
    name: "write_path_accept",
    title: "Accept a write-path proposal",
    description:
      "Records what the last count proposed for a tool as a known failure mode (unverified_write), citing traces that show it. A tool that was not proposed is refused; a second accept answers the mode that stands as a duplicate.",
    scope: "push",
    effect: "create",
    statuses: [201, 200],
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/write-path/accept",
    input: AcceptInput,
    output: z.object({
      org: z.string(),
      agent: z.string(),
      tool: z.string(),
      mode: FailureMode.schema.omit({ moved_from: true }),
      duplicate: z.boolean(),
      stored: z.boolean(),
      next: z.string(),
      model_calls: z.number().int(),
    }),
    handle: acceptWritePath,
  }),
];

import { z } from "zod";
import { Behaviour } from "./behaviour/schema.ts";
import { ConfidenceModel } from "./confidence.ts";
import { MemoryModel } from "./memory/schema.ts";
import { Proposed } from "./propose/schema.ts";

/** A tool exactly as an agent sees it on a tools listing. */
export const ToolDefinition = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z
    .object({
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
      title: z.string().optional(),
    })
    .optional(),
  /** The HTTP operation that the tool stands for, where a document declares one; no client of the protocol is shown it. */
  http: z
    .object({
      method: z.string(),
      path: z.string(),
      statuses: z.array(z.number().int()),
      /** Its output schema holds the response's body under `result`: the body is no object. */
      wrapped: z.literal(true).optional(),
    })
    .optional(),
});
export type ToolDefinition = z.infer<typeof ToolDefinition>;

/** What is known of a column from its observed values. */
export const ColumnModel = z.object({
  name: z.string(),
  types: z.array(z.enum(["null", "boolean", "number", "string", "array", "object"])),
  format: z
    .enum([
      "id",
      "date",
      "datetime",
      "time",
      "money",
      "integer",
      "number",
      "email",
      "phone",
      "zip",
      "name",
      "enum",
      "text",
      "boolean",
      "nested",
    ])
    .optional(),
  /** Share of rows that carry it, 0..1. */
  present: z.number(),
  /** The closed set of values, when there is one. */
  values: z.array(z.unknown()).optional(),
  /** Whose key its values are. */
  refers_to: z.object({ table: z.string(), column: z.string() }).optional(),
});
export type ColumnModel = z.infer<typeof ColumnModel>;

/** A table of the world: how its rows are told apart, and what is known of its columns. */
export const TableModel = z.object({
  name: z.string(),
  /** Key columns; a row's key is their values, joined by U+001F where there are several. */
  key: z.array(z.string()).min(1),
  columns: z.array(ColumnModel),
  /** Bookkeeping of the compiler (which questions evidence answered), not an entity of the system. */
  internal: z.boolean().optional(),
});
export type TableModel = z.infer<typeof TableModel>;

/** How a tool's answers look on the wire, as observed. */
export const Rendering = z.object({
  /** JSON as text, plain text, or a structure. */
  form: z.enum(["json", "text", "structured", "python"]),
  /** Indent of JSON text; 0 is compact, and `spaced` puts a blank after `,` and `:` as Python's json.dumps does. */
  indent: z.number().int().optional(),
  spaced: z.boolean().optional(),
  /** Non-ASCII as \\u escapes. */
  ascii: z.boolean().optional(),
  /** Wrapper keys around the value, outermost first. */
  wrap: z.array(z.string()).optional(),
  /** Whether an error result carries the protocol's error flag. */
  error_flag: z.boolean(),
});
export type Rendering = z.infer<typeof Rendering>;

/** A tool's compiled behaviour with what supports it. `effect` says whether calls change state. */
export const ToolBehaviour = z.object({
  effect: z.enum(["read", "write"]),
  behaviour: Behaviour,
  rendering: Rendering,
  /** Paths of the answer that differ from call to call whatever the state: generated ids, times. */
  volatile: z.array(z.string()),
  support: z.object({
    seen: z.number().int(),
    reproduced: z.number().int(),
  }),
});
export type ToolBehaviour = z.infer<typeof ToolBehaviour>;

/** An observed call that the kept behaviour misses: a recorded answer over it. Served while the world is as drawn for the rows it names. */
export const RecordedAnswer = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  answer: z.unknown(),
  is_error: z.boolean(),
  answer_class: z.string(),
  /** Rows as a recorded write left them: set, over what its behaviour does, when the answer is served. */
  rows: z.array(z.object({ table: z.string(), key: z.string(), row: z.record(z.string(), z.unknown()) })).optional(),
});
export type RecordedAnswer = z.infer<typeof RecordedAnswer>;

/** What evidence cannot determine: the tool answers `not_served`. */
export const Gap = z.object({ tool: z.string(), reason: z.string(), n: z.number().int() });

/**
 * Columns of some rows; `*` where also which rows there are is meant. A column may be followed by what lies within it,
 * parts joined by U+001F: `*` for the members that the call's arguments name, else a member's own name.
 */
const Cells = z.union([z.literal("*"), z.array(z.string())]);

/**
 * What a write may change, by table, estimated apart from its behaviour: of rows whose key its arguments hold, of rows
 * that those refer to, and of all others; `made` where rows may come into being. It becomes unknown where a call is not
 * understood.
 */
export const Footprint = z.object({
  tables: z.record(
    z.string(),
    z.object({
      named: Cells.optional(),
      near: Cells.optional(),
      others: Cells.optional(),
      made: z.literal(true).optional(),
      /** Of these what becomes unknown under a call that is answered too: its behaviour does not tell what it makes of it. */
      doubted: z
        .object({
          named: Cells.optional(),
          near: Cells.optional(),
          others: Cells.optional(),
          made: z.literal(true).optional(),
        })
        .optional(),
    }),
  ),
});
export type Footprint = z.infer<typeof Footprint>;

/**
 * What is known of a tool's effect on the system's state, and what says so. `n`: how often a question was answered alike
 * before and after its calls (none, unknown), or otherwise for its sake (changes). `fitted`: so its compiled behaviour has
 * it, which answers `n` of its calls as observed where it changes nothing.
 */
export const ShownEffect = z.object({
  effect: z.enum(["none", "changes", "unknown"]),
  by: z.enum(["declared", "seen", "fitted"]).optional(),
  n: z.number().int(),
});
export type ShownEffect = z.infer<typeof ShownEffect>;

const Rows = z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown())));

/**
 * Rows by table and key: an initial state. `drawn` names the rows that no evidence showed, by table. `starts` holds,
 * by the group of a session (its task), the columns in which sessions of that group alone start otherwise; `tables`
 * leaves them unknown. `others` holds the same of a drawn state: by group the whole rows in which its start differs
 * from `tables`, null for a row that it has not. `unknown` names columns that rows lack because no evidence showed
 * them, by table.
 */
export const BaseState = z.object({
  tables: Rows,
  drawn: z.record(z.string(), z.array(z.string())),
  starts: z.record(z.string(), Rows).optional(),
  others: z
    .record(z.string(), z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown()).nullable())))
    .optional(),
  unknown: z
    .record(z.string(), z.array(z.object({ columns: z.array(z.string()), keys: z.array(z.string()) })))
    .optional(),
  /** The state is one that recorded sessions began with: those of a task, or any. Nothing was drawn, edited or added. */
  recorded: z.object({ task: z.string().optional() }).optional(),
});
export type BaseState = z.infer<typeof BaseState>;

/**
 * Another way to explain the same sessions, with its own tables and start. It answers the calls of its tools that the
 * bundle's own behaviours leave open, in worlds that start as sessions did.
 */
export const CompanionModel = z.object({
  tools: z.array(z.string()),
  tables: z.array(TableModel),
  behaviours: z.record(z.string(), ToolBehaviour),
  exceptions: z.array(RecordedAnswer),
  footprints: z.record(z.string(), Footprint).optional(),
  trust: ConfidenceModel.optional(),
  base: BaseState,
});
export type CompanionModel = z.infer<typeof CompanionModel>;

/** A compiled tool surface, version 1. Same inputs and seed give the same bytes (canonical JSON). */
export const Bundle = z.object({
  v: z.literal(1),
  name: z.string(),
  /** The manifest: in the order of the listing, else by name. */
  tools: z.array(ToolDefinition),
  /** Tools that only the user's side was seen to call, by name: served to the user, in no listing for the agent. */
  user_tools: z.array(ToolDefinition).optional(),
  tables: z.array(TableModel),
  /** The frozen clock, unix seconds. */
  now: z.number(),
  behaviours: z.record(z.string(), ToolBehaviour),
  /** By tool what is known of its effect; bundles of older compilers do not say. */
  effects: z.record(z.string(), ShownEffect).optional(),
  exceptions: z.array(RecordedAnswer),
  gaps: z.array(Gap),
  /** What each tool's calls may change; none for read-only tools. Without it, calls that are not understood change nothing. */
  footprints: z.record(z.string(), Footprint).optional(),
  /** What calls of tools that the manifest does not hold were seen to be answered; the name stands as `{tool}`. */
  unlisted: z.object({ text: z.string(), is_error: z.boolean() }).optional(),
  /** How calls were refused that lack one required argument, by several tools alike; names stand as `{tool}` and `{argument}`. */
  missing_argument: z.object({ text: z.string(), is_error: z.boolean(), in_words: z.boolean().optional() }).optional(),
  /** How far behaviours are trusted; a bundle without it answers all that they say. */
  trust: ConfidenceModel.optional(),
  /** What sessions were answered that behaviours do not say; for worlds that start as sessions did. */
  memory: MemoryModel.optional(),
  /** What else answers, in the order in which it is asked. */
  companions: z.array(CompanionModel).optional(),
  /** Programs that somebody proposed and replay bore out, and who: a model, mostly. */
  proposed: Proposed.optional(),
  /** No call was ever observed: what it answers is the shape of its listing, or a behaviour that was declared. */
  unobserved: z.literal(true).optional(),
});
export type Bundle = z.infer<typeof Bundle>;

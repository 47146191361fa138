import { z } from "zod";

/** The kind of a task: what it asks of an agent, or what it was made from. */
export const Family = z.enum([
  "lookup",
  "multi_hop",
  "filter",
  "aggregate",
  "write",
  "multi_write",
  "guarded_write",
  "no_data",
  "ambiguous",
  "mined",
  "regression",
  "criterion",
]);
export type Family = z.infer<typeof Family>;

/** What an answer is: what was asked for, that there is no such data, that it cannot be done, or nothing. */
export const AnswerClass = z.enum(["answered", "said_no_data", "refused", "none"]);
export type AnswerClass = z.infer<typeof AnswerClass>;

/** A fact that an answer must or must not hold. `value` compares by its kind (number, money, date, text); aliases count. */
export const Fact = z.object({
  value: z.union([z.string(), z.number(), z.boolean()]),
  kind: z.enum(["text", "number", "money", "date", "time", "id", "unit", "boolean"]),
  aliases: z.array(z.string()).optional(),
});
export type Fact = z.infer<typeof Fact>;

/** A predicate on one argument, by path: equal as data, one of several, present, or absent; `[*]` is any element of a list. */
export const ArgPredicate = z.object({
  path: z.string(),
  op: z.enum(["equals", "in", "present", "absent"]),
  value: z.unknown().optional(),
});
/** Calls of a tool whose arguments hold every predicate. */
export const CallPattern = z.object({ tool: z.string(), args: z.array(ArgPredicate).optional() });
export type CallPattern = z.infer<typeof CallPattern>;

/** A change that the final difference must or may hold. A field's value may be left open (`any`), as for generated ids. */
export const AllowedChange = z.object({
  table: z.string(),
  /** Absent for a row whose key is generated. */
  key: z.string().optional(),
  op: z.enum(["insert", "update", "delete"]),
  /** Field path → the value it must end with. */
  fields: z.record(z.string(), z.unknown()),
  /** Field paths that the change takes away: absent at the end. */
  gone: z.array(z.string()).optional(),
  /** Field paths whose value is free. */
  any: z.array(z.string()),
  /** What `links` of the other changes call this added row. */
  as: z.string().optional(),
  /** Field path → the `as` of the added row whose generated key it must end with. */
  links: z.record(z.string(), z.string()).optional(),
  required: z.boolean(),
});
export type AllowedChange = z.infer<typeof AllowedChange>;

/** Every value of a column in the drawn state but the excepted: what a padded answer holds. `of` first reduces a nested list. */
export const OtherValues = z.object({
  table: z.string(),
  path: z.string(),
  of: z.enum(["count", "sum", "min", "max"]).optional(),
  kind: Fact.shape.kind,
  except: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
});

/** How a reading shows a row, whichever tool gives it: named by a call or in a record of its answer, with all of the facts there. */
export const Shown = z.object({
  /** Ways to name the row, each of values that name it together. */
  named: z.array(z.array(z.union([z.string(), z.number(), z.boolean()])).min(1)).min(1),
  facts: z.array(Fact),
  /** A table that the row is not in: answers that hold every drawn key of it show so as well. */
  absent_from: z.string().optional(),
});
export type Shown = z.infer<typeof Shown>;

/** What decides a trial, by its kind; all of a task's checks must be met. */
export const Check = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("answer_includes"), facts: z.array(Fact).min(1), ordered: z.boolean().optional() }),
  z.object({ kind: z.literal("answer_excludes"), facts: z.array(Fact).min(1), others: OtherValues.optional() }),
  /** `or` are other classes that are as right. */
  z.object({ kind: z.literal("answer_class"), class: AnswerClass, or: z.array(AnswerClass).optional() }),
  z.object({ kind: z.literal("asks"), about: z.array(z.string()).min(1) }),
  z.object({
    kind: z.literal("calls_required"),
    calls: z.array(CallPattern).min(1),
    /** One of the calls is enough. */
    any: z.literal(true).optional(),
    /** Met as well by any other reading that shows this. */
    shown: Shown.optional(),
    /** The calls change something, and have to have been carried out: one that was refused is none. */
    done: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal("calls_forbidden"), calls: z.array(CallPattern).min(1) }),
  z.object({ kind: z.literal("call_order"), calls: z.array(CallPattern).min(2) }),
  z.object({
    kind: z.literal("state"),
    changes: z.array(AllowedChange),
    /** Other final differences that are right as well, each whole; an empty one accepts that nothing changed. */
    alternatives: z.array(z.array(AllowedChange)).optional(),
  }),
  z.object({ kind: z.literal("no_state_change") }),
  z.object({ kind: z.literal("max_calls"), n: z.number().int().min(0) }),
  z.object({ kind: z.literal("judged"), criterion: z.string() }),
]);
export type Check = z.infer<typeof Check>;

/** Arguments may refer to earlier results as `$n.path` (n from 1). */
export const Script = z.object({
  calls: z.array(z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })),
  answer: z.string(),
  class: AnswerClass,
  /** What the reference asks a simulated user, one a turn, before it answers. */
  questions: z.array(z.string().min(1).max(10_000)).max(50).optional(),
});
export type Script = z.infer<typeof Script>;

/** What a user knows and tells when asked for it: what people call it, its value, and the user's own words where they are known. */
export const UserFact = z.object({
  names: z.array(z.string().min(1).max(200)).min(1).max(20),
  value: z.union([z.string().min(1).max(10_000), z.number(), z.boolean()]),
  says: z.string().min(1).max(10_000).optional(),
});
export type UserFact = z.infer<typeof UserFact>;

/** A user who answers the agent's questions. What is not among `knows` it does not know, and says so. */
export const SimulatedUser = z.object({
  /** The first says what is meant where the agent asks for no more than that. */
  knows: z.array(UserFact).max(100),
  /** What it says of itself, in order, one a turn: where it is asked nothing that it knows, before anything else. */
  adds: z.array(z.string().min(1).max(100_000)).max(100).optional(),
  /** It says no where it is asked whether to go on; it says yes when absent. */
  confirms: z.literal(false).optional(),
  /** Replies after which it goes. When absent 4 more than it has to tell: each asked for alone, and some confirmations. */
  most: z.number().int().min(1).max(100).optional(),
});
export type SimulatedUser = z.infer<typeof SimulatedUser>;

/** A request with what proves that it was met. */
export const Task = z.object({
  /** From the task's own content: the same inputs and seed give the same id. */
  id: z.string(),
  family: Family,
  /** Its cell of the dimensions. */
  cell: z.record(z.string(), z.string()),
  /** The group of recorded sessions whose start it begins with; the drawn state when absent. */
  start: z.string().max(1_000).optional(),
  /**
   * What it rests on, where it was read off recorded sessions: how many, whether a source had rewarded them, and the
   * arguments that no word of the user's says and that all of them gave alike.
   */
  rests_on: z
    .object({
      runs: z.number().int().min(1),
      rewarded: z.boolean(),
      agreed: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
    })
    .optional(),
  /** `lead` is what the persona says before the request, where words were stated or known for it. */
  voice: z.object({ persona: z.string(), register: z.string(), lead: z.string().optional() }),
  request: z.string().min(1).max(100_000),
  /** Scripted follow-up user turns, in order. */
  turns: z.array(z.string().max(100_000)).max(1_000),
  /** Who answers the agent's questions after the turns; nobody does when absent. */
  user: SimulatedUser.optional(),
  script: Script,
  /** Other scripts that are as right: each ends as one of the state check's alternatives does. */
  alternatives: z.array(Script).optional(),
  checks: z.array(Check).min(1),
  /** Who wrote it. */
  tier: z.enum(["human", "deterministic", "llm-derived"]),
});
export type Task = z.infer<typeof Task>;

/** What a review proves of a task. */
export const ReviewName = z.enum(["solvable", "discriminating", "determined", "grounded", "natural"]);
/** One proof of a review, and what it was proven by. */
export const ReviewVerdict = z.object({
  name: ReviewName,
  passed: z.boolean(),
  reason: z.string(),
  /** Counts behind it, by name: mutants, rejected, equals, spared, runs. */
  counts: z.record(z.string(), z.number()),
  /** Wrong trials that the checks did not reject, and equal ones they did, with their difference of the world. */
  survivors: z.array(z.object({ name: z.string(), detail: z.string(), changes: z.array(z.unknown()) })),
});
export type ReviewVerdict = z.infer<typeof ReviewVerdict>;

/** The first four verdicts, bound to what they were proven on and by. It lapses when a digest or the engine changes. */
export const Certificate = z.object({
  /** The `ENGINE` that proved it; absent where it was proven before certificates named one, which was 1. */
  engine: z.number().int().optional(),
  world: z.string(),
  tools: z.string(),
  checks: z.string(),
  passed: z.boolean(),
  verdicts: z.array(ReviewVerdict),
  /** The models that decided the task's judged checks on the trials that code leaves open; absent where none did. */
  judges: z.array(z.string()).optional(),
  /** How held-out sessions were answered by the tools of the task; absent where that was not measured. */
  neighbourhood: z
    .object({
      tools: z.array(z.string()),
      /** Of these tools, or of all where these alone do not bear the bound out. */
      over: z.enum(["tools", "world"]),
      /** What is neither right nor wrong was not answered. */
      calls: z.number().int(),
      right: z.number().int(),
      wrong: z.number().int(),
      /** The lower 95 % bound of what was answered rightly, 0..1. */
      lower: z.number(),
      /** Why the world is too poor for the task; absent where it is not. */
      poor: z.string().optional(),
    })
    .optional(),
});
export type Certificate = z.infer<typeof Certificate>;

/** What one check came to on one trial, and why. */
export const CheckVerdict = z.object({
  kind: z.string(),
  verdict: z.enum(["met", "not_met", "not_decided"]),
  reason: z.string(),
  /** The change that was required and never made; absent where that is not why. */
  missing: AllowedChange.pick({ table: true, key: true, op: true }).optional(),
});
export type CheckVerdict = z.infer<typeof CheckVerdict>;

/** A row that differs: `before` absent for one that was added, `after` for one that was deleted. */
const RowDiff = z.object({
  table: z.string(),
  key: z.string(),
  before: z.record(z.string(), z.unknown()).optional(),
  after: z.record(z.string(), z.unknown()).optional(),
});

/** One finished trial, as grading sees it. */
export const FinishedTrial = z.object({
  calls: z.array(
    z.object({
      tool: z.string(),
      args: z.record(z.string(), z.unknown()),
      answer: z.unknown(),
      answer_class: z.string(),
      is_error: z.boolean(),
      changed: z.boolean(),
      /** What it changed; absent where it changed nothing, and on trials that were stored before this was kept. */
      changes: z.array(RowDiff).optional(),
      /** When it was answered, unix seconds; absent where the call was made by code of ours, and on older trials. */
      at: z.number().optional(),
    }),
  ),
  /** What the simulated user replied, each before the next answer; `calls` is how many calls had been made by then. */
  said: z
    .array(
      z.object({
        text: z.string(),
        calls: z.number().int().min(0),
        /** Whether rules or a model put it in words. */
        tier: z.enum(["deterministic", "llm-derived"]),
      }),
    )
    .optional(),
  /** What the agent said, one per turn. */
  answers: z.array(z.object({ text: z.string(), class: AnswerClass.optional() })),
  /** The world's final difference against the drawn state. */
  diff: z.array(RowDiff),
});
export type FinishedTrial = z.infer<typeof FinishedTrial>;

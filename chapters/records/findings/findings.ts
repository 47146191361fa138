import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";
import { ModeStatus, NoteOrigin } from "../evidence/feedback.ts";
import { RootCause } from "../runs/runs.ts";

/** Where a failure shows: a stored trace, or a trial of a run, and how it was told that it does. */
export const ModeCite = z.object({
  /** A stored trace's id; absent for a trial. */
  trace: z.string().optional(),
  session: z.string().optional(),
  trial: z.object({ run: z.string(), task: z.string(), n: z.number().int() }).optional(),
  tier: Tier,
  at: z.number(),
});
export type ModeCite = z.infer<typeof ModeCite>;

/** What a failure is about: the tool that it is of, and the column of the answer. */
const ModeTarget = z.object({ tool: z.string().optional(), column: z.string().optional() });

/** The version of an agent in which a mode was seen, or seen to be gone, and the group that showed it. */
export const ModeVersion = z.object({
  agent: z.string(),
  name: z.string(),
  version: z.string().nullable(),
  group: z.string(),
  at: z.number(),
});

export type ModeVersion = z.infer<typeof ModeVersion>;

/** A named way in which an agent fails: from the note that reported it to the tasks that hold agents to it. */
export const FailureMode = recordKind({
  kind: "failure_mode",
  prefix: "fm",
  schema: z.object({
    ...recordBase,
    title: z.string(),
    /** The feedback note that holds the reporter's own words; they are never changed. */
    note: z.string(),
    description: z.string().optional(),
    example: z.string().optional(),
    reported_by: z.string().optional(),
    /** When it was seen, unix seconds. */
    seen_at: z.number().optional(),
    origin: NoteOrigin,
    status: ModeStatus,
    behaviour: RootCause.optional(),
    target: ModeTarget.optional(),
    /** The sandbox (environment) that its tasks go on. */
    bucket: z.string().optional(),
    /** The tasks that hold agents to it. */
    tasks: z.array(z.object({ environment: z.string(), task: z.string() })),
    ticket: z.string().optional(),
    cites: z.array(ModeCite),
    /** Ids of traces and sessions that were reported with it, as they were given. */
    reported: z.array(z.string()),
    visibility: z.enum(["org", "staff"]),
    /** What the newest reading of its reported sessions found, by class. */
    classified: z
      .object({
        reader: z.enum(["rule", "model"]),
        holding: z.array(z.string()),
        counts: z.record(z.string(), z.number().int()),
        tier: Tier,
        at: z.number(),
        by: z.string(),
      })
      .optional(),
    /** Each status it took, oldest first; `group` where a landed run group moved it. */
    history: z.array(z.object({ status: ModeStatus, at: z.number(), by: z.string(), group: z.string().optional() })),
    /** Where it was seen last. */
    reproduced: ModeVersion.optional(),
    /** The first version after that whose trials of its tasks were all met. */
    fixed: ModeVersion.optional(),
    /** The state before the last group that moved it, to return to if that group is graded otherwise; `lines` counts history then. */
    moved_from: z
      .object({
        group: z.string(),
        status: ModeStatus,
        lines: z.number().int(),
        reproduced: ModeVersion.optional(),
        fixed: ModeVersion.optional(),
      })
      .optional(),
    /** How it was found: a person said so, or code proposed it and a person took it. */
    tier: Tier,
  }),
  fields: ["status", "behaviour", "note", "visibility"],
  staffOnly: ({ visibility }) => visibility === "staff",
});

/** Which mode came of what: its id is made of the origin, so that the same origin makes one mode. */
export const FailureModeKey = recordKind({
  kind: "failure_mode_key",
  prefix: "fmk",
  schema: z.object({ ...recordBase, mode: z.string() }),
  fields: ["mode"],
});

/** How a proposal stands. */
export const ProposalState = z.enum(["proposed", "confirmed", "dismissed"]);

/** A report read into one failure mode that could be; a person confirms or dismisses it. Its id is made of the report. */
export const FailureModeProposal = recordKind({
  kind: "failure_mode_proposal",
  prefix: "fmp",
  schema: z.object({
    ...recordBase,
    state: ProposalState,
    /** The report's words, as they were given. */
    text: z.string(),
    author: z.string(),
    member: z.string().optional(),
    /** The note or chat message that it was read from, where it was parked. */
    report: z.string().optional(),
    ticket: z.string().optional(),
    origin: NoteOrigin,
    origin_source: z.string().optional(),
    seen_at: z.number().optional(),
    title: z.string(),
    behaviour: RootCause.optional(),
    /** The words of the report by which the behaviour was told. */
    behaviour_words: z.array(z.string()),
    target: ModeTarget.optional(),
    bucket: z.string().optional(),
    /** Ids of traces and sessions that the report names. */
    named: z.array(z.string()),
    /** What the confirm did. */
    confirmed: z
      .object({
        at: z.number(),
        by: z.string(),
        mode: z.string(),
        environment: z.string().nullable(),
        job: z.string().nullable(),
        stored_as: z.array(z.string()),
      })
      .optional(),
    dismissed_at: z.number().optional(),
    dismissed_by: z.string().optional(),
  }),
  fields: ["state", "origin"],
});

/** One task of a held set, with the terms it was frozen under, by digest. */
export const HeldTask = z.object({
  task: z.string(),
  environment: z.string(),
  index: z.number().int(),
  digest: z.string(),
  checks: z.string(),
  /** The drawn rows and the tools it was run on. */
  base: z.string(),
  tools: z.string(),
});

/** A run group's tasks frozen as a regression set. It is addressed by its group; the newest of a group stands. */
export const HeldSet = recordKind({
  kind: "held_set",
  prefix: "hs",
  schema: z.object({
    ...recordBase,
    group: z.string(),
    /** What was picked: every task, those named, or those with a trial of this end. */
    picked: z.enum(["all", "named", "met", "failed"]),
    trials: z.number().int(),
    timeout_seconds: z.number(),
    tasks: z.array(HeldTask).min(1),
  }),
  fields: ["group"],
});

/** A judge's verdict, or a person's. */
export const CalibrationVerdict = z.enum(["met", "not_met"]);

/** A set of judge verdicts beside a person's labels on the same items. Nothing but `retired` ever changes. */
export const CalibrationSet = recordKind({
  kind: "calibration_set",
  prefix: "cal",
  schema: z.object({
    ...recordBase,
    name: z.string(),
    /** What was labelled, in words. */
    label: z.string().optional(),
    /** The judged criterion, or the kind of check, that was decided. */
    criterion: z.string(),
    /** What the labellers were told, where it was kept. */
    rubric: z.string().optional(),
    /** Who judged: a model, or null where code decided. */
    judge: z.object({ model: z.string().nullable(), prompt_version: z.string().optional() }),
    /** Who labelled. */
    human: z.string(),
    /** Invented to show the form: it says nothing of a judge. */
    illustrative: z.boolean(),
    items: z.array(
      z.object({
        id: z.string(),
        judge: CalibrationVerdict,
        human: CalibrationVerdict,
        /** The judge's later verdicts on the same item, in order. */
        again: z.array(CalibrationVerdict),
        note: z.string().optional(),
        trial: z.object({ run: z.string(), task: z.string(), n: z.number().int(), check: z.number().int() }).optional(),
      }),
    ),
    retired: z.object({ reason: z.string(), by: z.string(), at: z.number() }).optional(),
  }),
  fields: ["criterion"],
});

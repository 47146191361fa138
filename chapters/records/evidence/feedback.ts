import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** What a note is about, by kind of record. */
export const ABOUT_KINDS = [
  "org",
  "environment",
  "task",
  "run",
  "run_group",
  "trial",
  "agent",
  "surface",
  "evidence",
  "trace",
  "report",
  "finding",
  "failure_mode",
] as const;
/** What a note says of what it is about. */
export const NotePolarity = z.enum(["positive", "negative", "neutral"]);
/** Where a note was given. */
export const NoteOrigin = z.enum(["production", "chat", "console", "sheet", "run"]);

/** How a failure mode stands. */
export const ModeStatus = z.enum(["reported", "confirmed", "reproduced", "fixed", "retired"]);

/** A note of a person: their words, kept as they were given and never changed. With `failure_mode` it reports that mode. */
export const FeedbackNote = recordKind({
  kind: "feedback",
  prefix: "fb",
  schema: z.object({
    ...recordBase,
    text: z.string(),
    author: z.string(),
    author_member: z.string().optional(),
    about: z.object({ kind: z.enum(ABOUT_KINDS), id: z.string(), index: z.number().int().optional() }).optional(),
    polarity: NotePolarity.optional(),
    context: z.string().optional(),
    /** What the author looked at. */
    seen: z.object({ head: z.string(), route: z.string().optional() }).optional(),
    origin: NoteOrigin,
    origin_source: z.string().optional(),
    /** Columns of the sheet it was filed from. */
    fields: z.record(z.string(), z.string()).optional(),
    filed_by: z.string().optional(),
    place: z.string().optional(),
    /** What the author found to be missing. */
    missing: z.string().optional(),
    visibility: z.enum(["org", "staff"]),
    /** The id of the failure mode that it reports. */
    failure_mode: z.string().optional(),
    /** The id of the last pass that read it. */
    read_by: z.string().optional(),
    retired_at: z.number().optional(),
    retired_by: z.string().optional(),
  }),
  fields: ["visibility", "failure_mode"],
  staffOnly: ({ visibility }) => visibility === "staff",
});

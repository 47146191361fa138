import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** What an act did to an environment. `restore` puts back what an earlier revision had replaced. */
export const RevisionKind = z.enum([
  "redraw",
  "refresh",
  "revert",
  "restore",
  "rekey",
  "revoice",
  "correct",
  "regenerate",
  "turns",
  "tasks_added",
  "tasks_retired",
  "tasks_restored",
  "held",
]);
export type RevisionKind = z.infer<typeof RevisionKind>;

/** An audit in counts: rows looked at, rows that contradict the observed ones, rows that look made up. */
export const AuditCounts = z.object({
  rows: z.number().int(),
  drawn: z.number().int(),
  contradictions: z.number().int(),
  flags: z.number().int(),
});
export type AuditCounts = z.infer<typeof AuditCounts>;

/** An environment at one side of a revision: the digests its worlds stand on, and its tasks by status. */
export const RevisionSide = z.object({
  bundle: z.string(),
  base_blob: z.string(),
  seed: z.string(),
  hypothesis: z.string(),
  tasks: z.record(z.string(), z.number().int()),
});
export type RevisionSide = z.infer<typeof RevisionSide>;

/** A change of an environment's draw or tasks: what it was, what it became, and what undoes it. Counts and ids; the words are in `kept`. */
export const EnvironmentRevision = recordKind({
  kind: "environment_revision",
  prefix: "rv",
  schema: z.object({
    ...recordBase,
    environment: z.string(),
    /** The environment's revision that it made. */
    n: z.number().int(),
    act: RevisionKind,
    state: z.enum(["applied", "restored"]),
    reason: z.string().optional(),
    /** Blob of what it replaced: the draw, and the tasks that changed. */
    kept: z.string(),
    /** Whether the draw changed, and with it every certificate. */
    draws: z.boolean(),
    changed: z.array(z.number().int()),
    added: z.array(z.number().int()),
    before: RevisionSide,
    after: RevisionSide,
    audit: z.object({ before: AuditCounts, after: AuditCounts }).optional(),
    /** What is worse than before, by name, with how much. Empty: it held. */
    worse: z.record(z.string(), z.number().int()),
    jobs: z.array(z.string()),
    /** The revision that this one undoes. */
    undoes: z.string().optional(),
    restored_at: z.number().optional(),
    restored_by: z.string().optional(),
  }),
  fields: ["environment", "n", "draws", "act"],
});

/** One re-draw of a surface's environments: what it replaced, for the revert. */
export const WorldRedraw = recordKind({
  kind: "world_redraw",
  prefix: "rd",
  schema: z.object({
    ...recordBase,
    surface: z.string(),
    seed: z.string(),
    reason: z.string().optional(),
    /** The bundle served before and after; equal where nothing was observed anew. */
    bundle_before: z.string(),
    bundle_after: z.string(),
    revisions: z.array(z.object({ environment: z.string(), revision: z.string() })),
    reverted_at: z.number().optional(),
    reverted_by: z.string().optional(),
  }),
  fields: ["surface"],
});

import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { TrialEnd } from "./runs.ts";

/** A check of a try whose verdict another grading changed. `check` is its place among the task's checks, from 0. */
export const MovedCheck = z.object({
  task: z.string(),
  n: z.number().int(),
  check: z.number().int(),
  kind: z.string(),
  from: z.string(),
  to: z.string(),
});

/** A task that a grading or a count left out, and why. */
export const LeftOut = z.object({ task: z.string(), reason: z.string() });

/** Trials by how they count: met of valid. */
export const Counted = z.object({ met: z.number().int(), valid: z.number().int(), trials: z.number().int() });

/** One grading of a run's stored tries after the first. The newest version is what is read; none is ever changed. */
export const RunRegrade = recordKind({
  kind: "run_regrade",
  prefix: "rgr",
  schema: z.object({
    ...recordBase,
    group: z.string(),
    run: z.string(),
    /** From 1; the grading that the run itself made is no version. */
    version: z.number().int(),
    /** The grades of every try as a JSON blob, by task and n. */
    grades_blob: z.string(),
    moved: z.array(MovedCheck),
    ends: z.array(z.object({ task: z.string(), n: z.number().int(), from: TrialEnd, to: TrialEnd })),
    skipped: z.array(LeftOut),
  }),
  fields: ["group", "run"],
});

/** One count of a run's landed trials against the review and the keys as they stood. The newest is the one that is read. */
export const RunRecount = recordKind({
  kind: "run_recount",
  prefix: "rc",
  schema: z.object({
    ...recordBase,
    group: z.string(),
    run: z.string(),
    before: Counted,
    after: Counted,
    /** Tasks whose trials no longer count. */
    left: z.array(LeftOut),
  }),
  fields: ["group", "run"],
});

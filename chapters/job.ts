import { z } from "zod";
import type { Ctx } from "./context.ts";

/** `held` waits for budget or consent, with the sentence in `note`. */
export type JobStatus = "queued" | "held" | "running" | "landed" | "failed" | "stopped" | "cancelled";

/** What a running job has beside its Ctx. */
export interface JobCtx extends Ctx {
  readonly job: {
    readonly id: string;
    /** 1 on the first attempt. */
    readonly attempt: number;
    /** Writes what is finished, so that the next attempt starts from there. Kept whole, replaced each time. */
    checkpoint(state: unknown): Promise<void>;
    /** What the attempt before wrote, or undefined. */
    readonly state: unknown;
    /** Appends a line to the audit trail: kinds, ids, counts and times only. */
    audit(kind: string, fields?: Record<string, string | number | boolean>): Promise<void>;
  };
}

/** Thrown by a job that has spent what its org's day allows: it is held, and goes on from its checkpoint when there is more. */
export class WaitsForBudget extends Error {
  /** A sentence with the way out. */
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.name = "WaitsForBudget";
    this.reason = reason;
  }
}

/** Thrown by a job that fails in words and yet leaves something to read: its result. */
export class FailedWith extends Error {
  /** A sentence of what went wrong. */
  readonly reason: string;
  readonly result: unknown;
  constructor(reason: string, result: unknown) {
    super(reason);
    this.name = "FailedWith";
    this.reason = reason;
    this.result = result;
  }
}

/** A kind of job: data in, result out, safe to repeat from its checkpoint. */
export interface JobDefinition<I = unknown, O = unknown> {
  readonly kind: string;
  readonly input: z.ZodType<I>;
  /** Two starts with the same key while one runs are one job. */
  readonly key: (input: I) => string;
  /** How often it may be begun in all before it fails (crashes of the service count, stops do not). */
  readonly attempts: number;
  /** Whether `stop` (runs, groups) or `cancel` (all else) is the word for ending it. */
  readonly ends: "stop" | "cancel";
  /** How many of this kind run at once in one process. */
  readonly concurrency: number;
  /** What it may cost at most, micro-dollars. A job that would pass what is left of the day's budget is held. */
  readonly estimate?: (input: I) => number;
  readonly run: (ctx: JobCtx, input: I) => Promise<O>;
  /** What to say of a result beside that the job landed; null where it speaks for itself. */
  note?(result: O): string | null;
}

/** What every start of long work answers. */
export const Started = z.object({
  job: z.string(),
  status: z.string(),
  deduplicated: z.boolean().describe("Whether the same work ran already; `job` is that one then."),
  poll: z.string().describe("Where to ask how it goes."),
});

/** The answer of a start: the job's id, and whether it ran already. */
export type JobHandle = Readonly<z.infer<typeof Started>> & { readonly status: JobStatus };

/** Declares a job; it exists for inference. */
export function job<I, O>(definition: JobDefinition<I, O>): JobDefinition<I, O> {
  return definition;
}

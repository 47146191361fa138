import type { PackedTrace } from "./ports/store.ts";
import type { CanonicalTrace } from "./records/evidence/evidence.ts";

/** What the host lends to a task, on whatever thread it runs. */
export interface ComputeKit {
  /** A trace as the store keeps it. */
  readonly packTrace: (trace: CanonicalTrace) => PackedTrace;
  /** Says what share of the task is done, 0 to 1. */
  readonly tell: (share: number) => void;
}

/**
 * Heavy pure work, done off the serving thread. Each task is a function of its input alone (structured-clonable in
 * and out), listed in `src/jobs/compute-tasks.ts`, or in `brief-tasks.ts` where it is one; chapters call it by reference
 * to its declaration.
 */
export interface ComputeTask<I, O> {
  readonly name: string;
  /** Whether a run takes milliseconds: it has threads of its own, so that it never waits for a long one. */
  readonly brief?: boolean;
  /** Buffers of an input that the task may have for itself: the caller no longer has them. All else is copied. */
  readonly handsOver?: (input: I) => readonly ArrayBuffer[];
  /** Buffers of an output that the task has no more use for: they are handed over in turn. All else is copied. */
  readonly handsBack?: (output: O) => readonly ArrayBuffer[];
  readonly run: (input: I, kit: ComputeKit) => O | Promise<O>;
}

/** The pool. `signal` ends the wait, and a long task's work; `told` hears what share of a long task is done, where it says so. */
export interface Compute {
  run<I, O>(task: ComputeTask<I, O>, input: I, signal?: AbortSignal, told?: (share: number) => void): Promise<O>;
}

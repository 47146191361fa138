/**
 * Heavy pure work, done off the serving thread. Each task is a function of its input alone (structured-clonable in
 * and out), named in the table of `src/jobs/compute-tasks.ts`; chapters call it by reference to its declaration.
 */
export interface ComputeTask<I, O> {
  readonly name: string;
  readonly run: (input: I) => O | Promise<O>;
}

/** The pool. `signal` ends the wait and the thread's work. */
export interface Compute {
  run<I, O>(task: ComputeTask<I, O>, input: I, signal?: AbortSignal): Promise<O>;
}

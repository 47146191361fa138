import type { ComputeKit } from "../../chapters/compute.ts";
import { AppError, type ErrorCode, type ErrorDetails } from "../../chapters/errors.ts";
import { packTrace } from "../../store/pack-trace.ts";
import { computeTasks } from "./compute-tasks.ts";

/** What a worker thread is asked for. */
export interface WorkRequest {
  readonly task: string;
  readonly input: unknown;
}

/** What it answers: errors cross as data, since a thread boundary drops their class. */
export type WorkReply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly refused: { code: ErrorCode; reason: string; details: ErrorDetails } }
  | { readonly ok: false; readonly fault: { message: string; stack: string | undefined } };

const KIT: ComputeKit = { packTrace };
const TASKS = new Map(computeTasks.map((task) => [task.name, task]));

/** Runs one named task in this thread. */
export default async function work({ task, input }: WorkRequest): Promise<WorkReply> {
  const known = TASKS.get(task);
  if (!known) return { ok: false, fault: { message: `no compute task is named ${task}`, stack: undefined } };
  try {
    return { ok: true, value: await known.run(input as never, KIT) };
  } catch (error) {
    if (error instanceof AppError) {
      return { ok: false, refused: { code: error.code, reason: error.reason, details: error.details } };
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { ok: false, fault: { message, stack } };
  }
}

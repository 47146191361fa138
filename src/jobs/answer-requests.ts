import type { MessagePort } from "node:worker_threads";
import { move, transferableSymbol, valueSymbol } from "piscina";
import type { ComputeKit } from "../../chapters/compute.ts";
import { AppError, type ErrorCode, type ErrorDetails } from "../../chapters/errors.ts";
import { packTrace } from "../../store/pack-trace.ts";

/** What a worker thread is asked for. */
export interface WorkRequest {
  readonly task: string;
  readonly input: unknown;
  /** Where the share that is done is told; absent where nobody listens. */
  readonly port?: MessagePort;
}

/** What it answers: errors cross as data, since a thread boundary drops their class. */
export type WorkReply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly refused: { code: ErrorCode; reason: string; details: ErrorDetails } }
  | { readonly ok: false; readonly fault: { message: string; stack: string | undefined } };

/** A compute task as a worker thread holds it. */
export interface AnyComputeTask {
  readonly name: string;
  readonly run: (input: never, kit: ComputeKit) => unknown;
  readonly handsBack?: (output: never) => readonly ArrayBuffer[];
}

/** What a thread that knows these tasks makes of a request: a `WorkReply`, for the library to hand over. Never rejects. */
export function answerRequests(tasks: readonly AnyComputeTask[]): (request: WorkRequest) => Promise<unknown> {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  return async ({ task: name, input, port }) => {
    const task = byName.get(name);
    if (!task) return { ok: false, fault: { message: `no compute task is named ${name}`, stack: undefined } };
    const reply = await answer(task, input, { packTrace, tell: (share) => port?.postMessage(share) });
    port?.close();
    const back = reply.ok ? (task.handsBack?.(reply.value as never) ?? []) : [];
    return back.length === 0 ? reply : move({ [transferableSymbol]: back, [valueSymbol]: reply });
  };
}

async function answer(task: AnyComputeTask, input: unknown, kit: ComputeKit): Promise<WorkReply> {
  try {
    return { ok: true, value: await task.run(input as never, kit) };
  } catch (error) {
    if (error instanceof AppError) {
      return { ok: false, refused: { code: error.code, reason: error.reason, details: error.details } };
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { ok: false, fault: { message, stack } };
  }
}

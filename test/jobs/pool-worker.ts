import { AppError } from "../../chapters/errors.ts";
import type { WorkReply, WorkRequest } from "../../src/jobs/answer-requests.ts";

/** What stands where in the shared memory of a spin: how many have begun, and whether they may end. */
export const BEGUN = 0;
export const LET_GO = 1;

/** A worker with tasks of the tests' own: squares, measures, spins until it is let go, refuses, ends its thread, breaks. */
export default function work({ task, input, port }: WorkRequest): WorkReply {
  switch (task) {
    case "square":
      return { ok: true, value: (input as number) ** 2 };
    case "tell":
      for (const share of [0.5, 1]) port?.postMessage(share);
      port?.close();
      return { ok: true, value: port !== undefined };
    case "length":
      return { ok: true, value: (input as { bytes: Uint8Array }).bytes.length };
    case "spin": {
      const gate = new Int32Array(input as SharedArrayBuffer);
      Atomics.add(gate, BEGUN, 1);
      while (Atomics.load(gate, LET_GO) === 0) Math.sqrt(2);
      return { ok: true, value: "done" };
    }
    case "end":
      return process.exit(input as number);
    case "refuse": {
      const error = new AppError("unprocessable", "Cannot be used.", { names: ["a"] });
      return { ok: false, refused: { code: error.code, reason: error.reason, details: error.details } };
    }
    default:
      return { ok: false, fault: { message: "broken", stack: undefined } };
  }
}

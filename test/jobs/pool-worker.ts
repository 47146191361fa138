import { AppError } from "../../chapters/errors.ts";
import type { WorkReply, WorkRequest } from "../../src/jobs/answer-requests.ts";

/** A worker with tasks of the tests' own: squares, measures, spins, refuses, ends its thread, breaks. */
export default function work({ task, input }: WorkRequest): WorkReply {
  switch (task) {
    case "square":
      return { ok: true, value: (input as number) ** 2 };
    case "length":
      return { ok: true, value: (input as { bytes: Uint8Array }).bytes.length };
    case "spin": {
      const end = Date.now() + (input as number);
      while (Date.now() < end) Math.sqrt(2);
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

import { createReadStream } from "node:fs";
import { z } from "zod";
import { badRequest, unprocessable } from "../../chapters/errors.ts";
import { inflated } from "../../chapters/evidence/reading/bytes.ts";
import type { SetupCalls, Unflagged } from "../../worlds/fidelity/index.ts";
import type { Json, JsonObject } from "../../worlds/json.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import { filesOf } from "../evaluate/files.ts";
import type { Origin } from "./traces.ts";

const SetupCall = z.object({ tool: z.string().min(1), args: z.record(z.string(), z.unknown()) });

/** One session: calls that set the stage, then calls whose answers are scored. */
const SessionRow = z.object({
  id: z.string().optional(),
  setup_calls: z.array(SetupCall),
  probe_calls: z.array(SetupCall.extend({ result: z.unknown(), is_error: z.boolean().optional() })).min(1),
});

/** Sessions as they are replayed: their probe calls, and by the same id what is called before. */
export interface ReadSessions {
  readonly traces: readonly ObservedTrace[];
  readonly setup: SetupCalls;
  /** Probe calls whose row leaves `is_error` out. */
  readonly unflagged: Unflagged;
  readonly origins: ReadonlyMap<string, Origin>;
}

/** Reads sessions, one JSON object a line. Throws AppError with the line that is no session. */
export async function readSessions(path: string): Promise<ReadSessions> {
  const traces: ObservedTrace[] = [];
  const setup = new Map<string, { tool: string; args: JsonObject }[]>();
  const unflagged = new Map<string, ReadonlySet<number>>();
  const origins = new Map<string, Origin>();
  for (const file of filesOf(path)) {
    let line = 0;
    for await (const text of linesOf(file)) {
      line++;
      if (text.trim() === "") continue;
      const row = sessionOf(text, line, file);
      const id = String(traces.length).padStart(7, "0");
      setup.set(
        id,
        row.setup_calls.map(({ tool, args }) => ({ tool, args: args as JsonObject })),
      );
      traces.push({
        id,
        calls: row.probe_calls.map(({ tool, args, result, is_error }) => ({
          tool,
          args: args as JsonObject,
          result: result as Json,
          isError: is_error ?? false,
        })),
      });
      unflagged.set(id, new Set(row.probe_calls.flatMap(({ is_error }, i) => (is_error === undefined ? [i] : []))));
      origins.set(id, { file, trajectory: row.id ?? String(line) });
    }
  }
  if (traces.length === 0) throw unprocessable("The file holds no sessions.", { names: [path] });
  return { traces, setup, unflagged, origins };
}

async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of inflated(createReadStream(file))) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest;
}

function sessionOf(text: string, line: number, file: string): z.infer<typeof SessionRow> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest(`Line ${line} of the sessions is not valid JSON:`, { names: [file] });
  }
  const checked = SessionRow.safeParse(value);
  if (!checked.success) {
    const at = checked.error.issues[0]?.path.filter((part) => typeof part === "number" || NAMES.has(String(part)));
    throw badRequest(
      `Line ${line} of the sessions is no session: ${at && at.length > 0 ? at.join(".") : "the row"} does not fit; see svc fidelity --help.`,
      { names: [file] },
    );
  }
  for (const [i, call] of checked.data.probe_calls.entries())
    if (call.result === undefined || call.result === null)
      throw badRequest(`Line ${line} of the sessions: probe call ${i + 1} has no result to compare.`, {
        names: [file],
      });
  return checked.data;
}

const NAMES = new Set(["id", "setup_calls", "probe_calls", "tool", "args", "result", "is_error"]);

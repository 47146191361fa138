import type { Compute } from "../../../../chapters/compute.ts";
import { type Hints, openEvidence } from "../../../../chapters/evidence/reading/evidence.ts";
import type { Counted } from "../../../../chapters/evidence/reading/tally.ts";
import type { TraceBatch } from "../../../../chapters/evidence/reading/trace-batches.ts";
import type { PackedTrace } from "../../../../chapters/ports/store.ts";
import { packTrace } from "../../../../store/pack-trace.ts";

/** What was read of a body: the rows as the store would keep them, and everything that was counted. */
export interface ReadWay {
  readonly rows: readonly (Omit<PackedTrace, "body"> & { readonly body: string })[];
  readonly calls: number;
  readonly tools: readonly string[];
  readonly first: TraceBatch["first"];
  readonly counted: Counted;
  readonly error: string | undefined;
  /** How many traces came packed from the compute. */
  readonly elsewhere: number;
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** A compute whose threads are up: the question whether they are is answered at once, here. */
export function awake(compute: Compute): Compute {
  let asked = false;
  return {
    async run(task, input) {
      if (asked) return compute.run(task, input);
      asked = true;
      return task.run(input, { packTrace, tell: () => {} });
    },
  };
}

/** Reads a body in batches, on this thread or through a compute. */
export async function readWay(text: string, compute: Compute | undefined, hints: Hints = {}): Promise<ReadWay> {
  const open = await openEvidence(chunks(text), hints);
  const rows: ReadWay["rows"][number][] = [];
  const tools = new Set<string>();
  let calls = 0;
  let elsewhere = 0;
  let first: TraceBatch["first"];
  let error: string | undefined;
  try {
    for await (const batch of open.batches(compute && awake(compute))) {
      first ??= batch.first;
      calls += batch.calls;
      for (const tool of batch.tools) tools.add(tool);
      for (const given of batch.traces) {
        if ("packed" in given) elsewhere++;
        const packed = "packed" in given ? given.packed : packTrace(given.trace);
        rows.push({ ...packed, body: Buffer.from(packed.body).toString("base64") });
      }
    }
  } catch (cause) {
    error = String(cause);
  }
  return { rows, calls, tools: [...tools].sort(), first, counted: open.tally.counted(), error, elsewhere };
}

import type { CanonicalTrace } from "../chapters/evidence/schema.ts";
import { pack } from "./codec.ts";
import type { PackedTrace } from "./port.ts";
import { sha256 } from "./text.ts";

/** A trace as it is kept. The same trace gives the same bytes on every thread of one build. */
export function packTrace(trace: CanonicalTrace): PackedTrace {
  const raw = Buffer.from(JSON.stringify(trace));
  return {
    session: trace.session,
    startedAt: trace.started_at,
    calls: trace.calls.length,
    digest: sha256(raw),
    ...pack(raw),
  };
}

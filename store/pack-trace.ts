import type { PackedTrace } from "../chapters/ports/store.ts";
import type { CanonicalTrace } from "../chapters/records/evidence/evidence.ts";
import { packText } from "./codec.ts";

/** A trace as it is kept. The same trace gives the same bytes on every thread of one build. */
export function packTrace(trace: CanonicalTrace): PackedTrace {
  return {
    session: trace.session,
    startedAt: trace.started_at,
    calls: trace.calls.length,
    ...packText(JSON.stringify(trace)),
  };
}

import type { DocumentContent } from "../../../../chapters/evidence/formats/format.ts";
import { once } from "../../../../chapters/evidence/reading/bytes.ts";
import { type Hints, openEvidence } from "../../../../chapters/evidence/reading/evidence.ts";
import { CanonicalTrace } from "../../../../chapters/records/evidence/evidence.ts";

/** Opens a value (text and bytes as they are, all else as JSON) and reads all of it. */
export async function read(value: unknown, hints: Hints = {}) {
  const asIs = typeof value === "string" || value instanceof Uint8Array;
  const open = await openEvidence(once(asIs ? value : JSON.stringify(value)), hints);
  const traces: CanonicalTrace[] = [];
  if (open.format.kind === "traces")
    for await (const { trace } of open.traces()) traces.push(CanonicalTrace.parse(trace));
  const tools = open.format.kind === "tool_listing" ? await open.tools() : [];
  const document: DocumentContent = open.format.kind === "document" ? await open.document() : { texts: [], tables: [] };
  const exchanges = open.format.kind === "http_capture" ? await open.capture() : [];
  return {
    format: open.format.name,
    detected: open.detected,
    traces,
    tools,
    document,
    exchanges,
    stripped: open.tally.strippedCredentials,
    losses: open.tally.losses,
    refused: open.tally.refused,
  };
}

/** A call as OpenAI messages carry it. */
export const call = (id: string, name: string, args: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
});
/** A short session as OpenAI messages. */
export const CHAT = [
  { role: "system", content: "Help." },
  { role: "user", content: "Cancel W1 please" },
  {
    role: "assistant",
    content: "One moment.",
    tool_calls: [call("a", "get_order", { id: "W1" }), call("b", "get_user", { id: 7 })],
  },
  { role: "tool", tool_call_id: "b", content: "Error: user not found" },
  { role: "tool", tool_call_id: "a", content: '{"id":"W1","items":[]}' },
  { role: "assistant", content: "I cannot cancel it." },
];

import type { Invoke } from "../../helpers/app.ts";
import { ok } from "../sandboxes/kit.ts";

/** One session of an agent: what it called with what came back, and what it said last. */
export interface Session {
  readonly id: string;
  readonly calls: readonly { readonly tool: string; readonly args: unknown; readonly result: string }[];
  readonly answer: string;
}

/** A session in which an agent says that there is nothing although its tool had answered. */
export const falseNoData = (id: string): Session => ({
  id,
  calls: [{ tool: "get_order", args: { order_id: `#W${id}` }, result: '{"order_id":"#W1","status":"open"}' }],
  answer: "I could not find any order with that number.",
});

/** Stores sessions as chat messages; answers the trace ids in order. */
export async function storeSessions(invoke: Invoke, sessions: readonly Session[], more = {}): Promise<string[]> {
  const content = sessions.map(({ id, calls, answer }) => ({
    id,
    messages: [
      { role: "user", content: `Where is my order #W${id}?` },
      ...calls.flatMap(({ tool, args, result }, i) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `c${i}`, type: "function", function: { name: tool, arguments: JSON.stringify(args) } }],
        },
        { role: "tool", tool_call_id: `c${i}`, content: result },
      ]),
      { role: "assistant", content: answer },
    ],
  }));
  const { body } = await ok(invoke("evidence_post", { content, format: "openai-chat", ...more }));
  return body.ids;
}

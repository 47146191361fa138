import { evidence } from "../../../tools/evidence/evidence.ts";
import { records } from "../../../tools/evidence/records.ts";
import { chapter } from "../../../tools/kernel/chapter.ts";
import type { Invoke } from "../../helpers/app.ts";
import { ok } from "../sandboxes/kit.ts";

/** The evidence operations alone. */
export const chapters = [
  chapter({ name: "evidence", title: "Evidence", description: "Evidence.", operations: [...evidence, ...records] }),
];
/** What a secret of a code host looks like. */
export const TOKEN = `ghp_${"a1B2".repeat(9)}`;

/** One trial of an invented shop as tau-bench writes it. */
export function trial(task: number, reward: number, result = '{"order_id": "W1", "status": "open", "total": 12.5}') {
  return {
    task_id: task,
    trial: 0,
    reward,
    info: { source: "user" },
    traj: [
      { role: "system", content: "Be kind." },
      { role: "user", content: `Where is order W${task}? I am ann_smith_42.` },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "c1",
            type: "function",
            function: { name: "get_order", arguments: JSON.stringify({ order_id: `W${task}`, user: "ann_smith_42" }) },
          },
        ],
      },
      { role: "tool", tool_call_id: "c1", name: "get_order", content: result },
      { role: "assistant", content: "It is open." },
    ],
  };
}

/** Rows as JSON lines. */
export const lines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join("\n");

/** An evidence record of `n` traces, with the ids of its traces. */
export async function traced(invoke: Invoke, n: number, surface = "main"): Promise<{ eid: string; ids: string[] }> {
  const content = lines(Array.from({ length: n }, (_, i) => trial(i, i % 2)));
  const { body } = await ok(invoke("evidence_post", { content, format: "tau-bench", surface }));
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await ok(
      invoke("evidence_attributes_get", { eid: body.id, limit: 500, ...(cursor ? { cursor } : {}) }),
    );
    ids.push(...page.body.attributes.map((row: { trace: string }) => row.trace));
    cursor = page.body.next;
  } while (cursor !== undefined);
  return { eid: body.id, ids };
}

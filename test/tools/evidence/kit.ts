import { evidence } from "../../../tools/evidence/evidence.ts";
import { records } from "../../../tools/evidence/records.ts";
import { chapter } from "../../../tools/kernel/chapter.ts";

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

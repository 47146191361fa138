import { evidence } from "../../../tools/evidence/evidence.ts";
import { postEvidenceOperations } from "../../../tools/evidence/intake/post-evidence.ts";
import { toolspec } from "../../../tools/evidence/toolspec.ts";
import { records } from "../../../tools/exports/org-records.ts";
import { chapter } from "../../../tools/kernel/chapter.ts";
import type { Invoke } from "../../helpers/app.ts";
import { shopRows } from "../../worlds/fixtures/shop.ts";
import { ok } from "../sandboxes/kit.ts";

/** The evidence operations alone. */
export const chapters = [
  chapter({
    name: "evidence",
    title: "Evidence",
    description: "Evidence.",
    operations: [...postEvidenceOperations, ...evidence, ...toolspec, ...records],
  }),
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

const orders = Object.values(shopRows.tables.orders ?? {});

/** Sessions that read one order each, from one on; every fourth found it in another state than the shop's rows have it. */
export function shopSessions(n: number, from = 0): string {
  return lines(
    orders.slice(from, from + n).map((order, i) => {
      const found = i % 4 === 0 ? { ...order, status: "lost" } : order;
      const call = {
        id: "c1",
        type: "function",
        function: { name: "get_order", arguments: JSON.stringify({ order_id: order.order_id }) },
      };
      return {
        task_id: from + i,
        trial: 0,
        reward: 1,
        info: { source: "user" },
        traj: [
          { role: "user", content: `Where is order ${String(order.order_id)}?` },
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: "c1", name: "get_order", content: JSON.stringify(found) },
          { role: "assistant", content: "Here it is." },
        ],
      };
    }),
  );
}

/** A measure of fidelity on so many calls, all answered as observed. */
export const fidelityOf = (calls: number) => ({
  calls,
  identical: calls,
  identical_volatile: calls,
  same_shape: calls,
  same_class: calls,
  not_served: 0,
  wrong_success: 0,
  wrong_answer: 0,
  recording: { identical: 0, identical_volatile: 0 },
});

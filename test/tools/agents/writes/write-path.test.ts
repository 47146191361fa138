import { expect } from "vitest";
import { bothSurfaces, type Invoke } from "../../../helpers/app.ts";
import { endOf } from "../../runs/kit.ts";

interface Called {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly result: string;
}

/** One session as tau-bench writes it. */
function session(task: number, ...calls: Called[]) {
  const traj = calls.flatMap(({ name, args, result }, i) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${i}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
    },
    { role: "tool", tool_call_id: `c${i}`, name, content: result },
  ]);
  const asked = { role: "user", content: `Please see to order W${task}.` };
  return {
    task_id: task,
    trial: 0,
    reward: 1,
    info: {},
    traj: [asked, ...traj, { role: "assistant", content: "Done." }],
  };
}

const read = (order_id: string): Called => ({
  name: "get_order",
  args: { order_id },
  result: JSON.stringify({ order_id, status: "open" }),
});
const cancel = (order_id: string): Called => ({
  name: "cancel_order",
  args: { order_id, reason: "late" },
  result: JSON.stringify({ order_id, status: "cancelled" }),
});
const gift = (order_id: string): Called => ({ name: "gift_order", args: { order_id }, result: '{"ok": true}' });

const sessions = [
  ...Array.from({ length: 6 }, (_, i) => session(i, cancel(`W${i}`))),
  ...Array.from({ length: 4 }, (_, i) => session(10 + i, read(`W${10 + i}`), cancel(`W${10 + i}`))),
  ...Array.from({ length: 4 }, (_, i) => session(20 + i, gift(`W${20 + i}`))),
];

async function counted(invoke: Invoke, aid: string): Promise<void> {
  const started = await invoke("write_path_count", { aid });
  expect(started).toMatchObject({ status: 202, body: { model_calls: 0, stages: ["read", "count"] } });
  expect(await endOf(invoke, started.body.job)).toBe("landed");
}

bothSurfaces(
  "writes to rows that were not read are counted by tool, and proposed from the threshold on: write_path, write_path_count",
  async (invoke, { org }) => {
    const { id: aid } = (await invoke("agents_post", { kind: "command", name: "bot", command: "true" })).body.agent;
    const other = (await invoke("agents_post", { kind: "command", name: "other", command: "true" })).body.agent.id;
    const before = await invoke("write_path", { aid }, org.read);
    expect(before.body).toMatchObject({ counted: false, counted_at: null, running: false, job: null, accepted: [] });
    expect(before.body.tools).toBeUndefined();
    expect((await invoke("write_path_accept", { aid, tool: "cancel_order" })).status).toBe(409);

    await invoke("evidence_post", { content: sessions });
    const foreign = await invoke("evidence_post", { content: [session(99, cancel("W99"))] });
    await invoke("evidence_assign", { eid: foreign.body.id, agent: other });
    expect((await invoke("write_path_count", { aid }, org.read)).status).toBe(403);
    await counted(invoke, aid);

    const after = await invoke("write_path", { aid });
    expect(after.body).toMatchObject({
      counted: true,
      threshold: { sessions: 5, share: 0.05 },
      coverage: { batches: 1, apart: 1, traces: 14, calls: 18, writes: 14, with_row: 14 },
      tier: "deterministic",
    });
    // Four sessions of unread gifts are too few, whatever their share.
    expect(after.body.tools).toMatchObject([
      { tool: "gift_order", writes: 4, unread: 4, unread_sessions: 4, share: 1, told_by: "names" },
      { tool: "cancel_order", writes: 10, with_row: 10, unread: 6, sessions: 10, unread_sessions: 6, share: 0.6 },
    ]);
    expect(after.body.tools[1].examples).toHaveLength(5);
    expect(after.body.proposals).toMatchObject([{ tool: "cancel_order", behaviour: "unverified_write" }]);
    expect(after.body.proposals[0].line).toContain("6 of 10 writes by cancel_order (60.0 %), in 6 sessions");
    expect(after.verdict).toContain("Rows that were not read first are changed by 1 tool: cancel_order");

    await counted(invoke, other);
    expect((await invoke("write_path", { aid: other })).body.coverage).toMatchObject({
      batches: 2,
      apart: 0,
      traces: 15,
    });
  },
);

bothSurfaces("a proposal becomes a known failure mode once: write_path_accept", async (invoke, { app, org }) => {
  const { id: aid } = (await invoke("agents_post", { kind: "command", name: "bot", command: "true" })).body.agent;
  await invoke("evidence_post", { content: sessions });
  await counted(invoke, aid);
  expect(await invoke("write_path_accept", { aid, tool: "gift_order" })).toMatchObject({ status: 409 });
  const accepting = { aid, tool: "cancel_order", by: "ann" };
  const raced = await Promise.all([1, 2, 3].map(() => invoke("write_path_accept", accepting, org.push)));
  expect(raced.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
  const first = raced.find(({ status }) => status === 201)!.body;
  expect(first).toMatchObject({
    tool: "cancel_order",
    duplicate: false,
    stored: true,
    model_calls: 0,
    mode: {
      title: "cancel_order changes rows that were not read first",
      behaviour: "unverified_write",
      target: { tool: "cancel_order" },
      status: "confirmed",
      tier: "deterministic",
      by: "ann",
    },
  });
  expect(first.mode.cites).toHaveLength(5);
  expect(new Set(raced.map(({ body }) => body.mode.id)).size).toBe(1);
  expect((await invoke("write_path", { aid })).body.accepted).toMatchObject([
    { tool: "cancel_order", mode: first.mode.id, by: "ann" },
  ]);
  const { records } = app.service.store.forOrg(org.id);
  expect((await records.kinds()).find(({ kind }) => kind === "failure_mode")?.count).toBe(1);

  const staff = { aid, tool: "cancel_order", visibility: "staff" };
  expect(await invoke("write_path_accept", staff)).toMatchObject({
    status: 400,
    body: { fields: [{ path: "visibility" }] },
  });
  expect((await invoke("write_path_accept", { aid: "nobody", tool: "x" })).status).toBe(404);
});

bothSurfaces(
  "one count of an agent runs at a time",
  async (invoke, { app, org }) => {
    const { id: aid } = (await invoke("agents_post", { kind: "command", name: "bot", command: "true" })).body.agent;
    const first = await invoke("write_path_count", { aid });
    expect(first.status).toBe(202);
    expect((await invoke("write_path", { aid })).body).toMatchObject({ running: true, job: first.body.job });
    expect((await invoke("write_path_count", { aid })).status).toBe(409);
    expect((await app.service.store.forOrg(org.id).jobs.list({ live: true })).items).toHaveLength(1);
  },
  { jobs: false },
);

import { beforeAll, describe, expect, it } from "vitest";
import type { Invoke } from "../../../helpers/app.ts";
import { buildDesk, ended, ok, sharedApp } from "../kit.ts";

// biome-ignore lint/suspicious/noExplicitAny: fields of many answers; a wrong name fails the expectation.
type Row = any;

const shared = sharedApp();

/** A compiled desk whose traces say which tool they called first, and on which half they stand. */
async function desk(invoke: Invoke, surface: string, every: number) {
  await buildDesk(invoke, surface, every);
  const { body } = await ok(invoke("evidence_list", { surface, kind: "traces" }));
  const eid = body.evidence[0].id as string;
  const page = (await ok(invoke("evidence_attributes_get", { eid, limit: 500 }))).body;
  return { eid, ids: page.attributes.map((row: Row) => row.trace) as string[] };
}

describe("plans of evidence", () => {
  const { org, invoke, store } = shared.over();
  let eid = "";
  let ids: string[] = [];
  const tools: string[] = [];
  beforeAll(async () => {
    ({ eid, ids } = await desk(invoke, "desk", 12));
    const attributes = [];
    for await (const { id, position, trace } of store().traces.stream([eid])) {
      const tool = trace.calls[0]?.tool ?? "none";
      tools.push(tool);
      const rare = position < 3 ? { rare: { value: "yes" } } : {};
      attributes.push({
        trace: id,
        values: { first_tool: { value: tool }, calls: { value: String(Math.min(trace.calls.length, 4)) }, ...rare },
      });
    }
    await ok(invoke("evidence_attributes_post", { eid, attributes, method: "test" }));
  });
  const most = () =>
    [...Map.groupBy(tools, (tool) => tool)]
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([tool, of]) => [tool, of.length] as const);

  it("worldplan_post mints from the traces that a selection leaves, and the same request answers the same plan", async () => {
    const [[tool, n] = ["", 0]] = most();
    const input = { eid, selection: { first_tool: [tool] }, count: 4, label: "of one tool" };
    expect((await invoke("worldplan_post", input, org.read)).status).toBe(403);
    const made = await ok(invoke("worldplan_post", input, org.push));
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      label: "of one tool",
      dimensions: { first_tool: [tool] },
      minted_from: { evidence: eid, traces: n, mined: n },
      deduplicated: false,
    });
    expect((await ended(invoke, made.body.job)).status).toBe("landed");
    const plan = (await ok(invoke("worldplan_get", { wid: made.body.id }))).body;
    expect(plan).toMatchObject({
      minted_from: { evidence: eid, traces: n },
      dimensions: { first_tool: [tool] },
      owned: false,
    });
    expect(plan.tasks).toHaveLength(4);
    expect(plan.tasks.some((row: Row) => row.status === "certified")).toBe(true);
    const matched = (
      await store().traces.at(eid, await store().attributes.positions(eid, { first_tool: [tool] }))
    ).flatMap(({ trace }) => trace.calls.map((call) => call.tool));
    for (const row of plan.tasks) expect(matched, "no tool but theirs").toContain(row.task.cell.operation);
    const again = await ok(invoke("worldplan_post", input));
    expect(again.body.id).toBe(made.body.id);
    await ended(invoke, again.body.job);
    expect((await ok(invoke("worldplan_get", { wid: made.body.id }))).body.tasks).toEqual(plan.tasks);
  });

  it("worldplan_post refuses what it cannot mint from, in words", async () => {
    const few = most().find(([, n]) => n < 5)?.[0] ?? "none";
    const small = await invoke("worldplan_post", { eid, selection: { first_tool: [few], calls: ["0"] } });
    expect(small).toMatchObject({ status: 422, body: { reason: expect.stringContaining("at least 5") } });
    const rare = await invoke("worldplan_post", { eid, selection: { rare: ["yes"] } });
    expect(rare).toMatchObject({ status: 422, body: { details: { names: ['"rare"'] } } });
    const unknown = await invoke("worldplan_post", { eid, selection: { colour: ["red"] } });
    expect(unknown).toMatchObject({ status: 400, body: { fields: [{ path: "selection.colour" }] } });
    expect((await invoke("worldplan_post", { eid: "ev_none" })).status).toBe(404);
    const { body: late } = await ok(
      invoke("evidence_post", {
        content: ids.slice(0, 6).map((_, i) => ({
          messages: [
            { role: "user", content: `hello ${i}` },
            { role: "assistant", content: "hi" },
          ],
        })),
      }),
    );
    const uncompiled = await invoke("worldplan_post", { eid: late.id });
    expect(uncompiled).toMatchObject({ status: 409, body: { reason: expect.stringContaining("run its pipeline") } });
  });

  it("worldplan_coverage mints a plan for each group of traces, alike every time", async () => {
    expect((await invoke("worldplan_coverage", { eid }, org.read)).status).toBe(403);
    const started = await ok(invoke("worldplan_coverage", { eid, k: 3, count: 2 }, org.push));
    expect(started).toMatchObject({ status: 202, body: { evidence_id: eid, k: 3 } });
    const twice = await ok(invoke("worldplan_coverage", { eid, k: 3, count: 2 }));
    expect(twice.body).toMatchObject({ job: started.body.job, deduplicated: true });
    const job = await ended(invoke, started.body.job);
    expect(job.status).toBe("landed");
    const { plans, skipped, covered, of } = job.result;
    expect(plans.length + skipped.length).toBe(3);
    expect(of).toBe(ids.length);
    expect(covered).toBe(plans.reduce((sum: number, row: Row) => sum + row.traces, 0));
    expect(covered + skipped.reduce((sum: number, row: Row) => sum + row.size, 0)).toBe(of);
    expect(new Set(plans.map((row: Row) => row.worldplan)).size).toBe(plans.length);
    for (const row of plans) {
      const plan = (await ok(invoke("worldplan_get", { wid: row.worldplan }))).body;
      expect(plan).toMatchObject({ label: row.label, minted_from: { evidence: eid, traces: row.traces } });
      expect(plan.tasks).toHaveLength(row.tasks);
      expect(Object.keys(plan.dimensions).sort()).toEqual(["calls", "first_tool"]);
    }
    const again = await ended(invoke, (await ok(invoke("worldplan_coverage", { eid, k: 3, count: 2 }))).body.job);
    expect(again.result).toEqual(job.result);
    expect((await invoke("worldplan_coverage", { eid: "ev_none" })).status).toBe(404);
    expect((await invoke("worldplan_coverage", { eid, k: 0 })).status).toBe(400);
  });
});

import { describe, expect, it } from "vitest";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { playRule } from "../../../../worlds/tasks/grading/rule-agent.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const drawn = createWorld(shop, shopRows, { seed: "w" });
const order = Object.entries(shopRows.tables.orders ?? {}).find(([, row]) => row.status === "pending") as [
  string,
  Record<string, unknown>,
];

describe("rule agent", () => {
  it("answers from what it looked up", () => {
    const trial = playRule(drawn.fork(), [`What is the total of order ${order[0]}?`]);
    expect(trial.calls[0]).toMatchObject({ tool: "get_order", args: { order_id: order[0] } });
    expect(trial.answers[0]?.text).toContain(String(order[1].total));
    expect(trial.diff).toEqual([]);
  });
  it("does what it is asked to, and no more", () => {
    const trial = playRule(drawn.fork(), [`Please cancel my order ${order[0]}, reason ordered by mistake.`]);
    expect(trial.diff.map((c) => [c.table, c.key, c.after?.status, c.after?.cancel_reason])).toEqual([
      ["orders", order[0], "cancelled", "ordered by mistake"],
    ]);
  });
  it("asks for what it was not told", () => {
    const trial = playRule(drawn.fork(), ["Please cancel my order."]);
    expect(trial.diff).toEqual([]);
    expect(trial.answers[0]?.text).toContain("?");
  });
  it("declines what the world refuses", () => {
    const shipped = Object.entries(shopRows.tables.orders ?? {}).find(
      ([, row]) => row.status === "shipped",
    )?.[0] as string;
    expect(
      playRule(drawn.fork(), [`Please cancel my order ${shipped}, reason no longer needed.`]).answers[0]?.class,
    ).toBe("refused");
  });
  it("is deterministic, stays under its bound of calls, and meets most of the shop's tasks", () => {
    const tasks = generateTasks(shop, shopRows, { seed: "rule", count: 60 });
    const trials = tasks.map((t) => playRule(drawn.fork(), [t.request, ...t.turns]));
    expect(tasks.map((t) => playRule(drawn.fork(), [t.request, ...t.turns]))).toEqual(trials);
    for (const trial of trials) expect(trial.calls.length).toBeLessThanOrEqual(24);
    const met = tasks.filter((t, i) => grade(t, trials[i]!, { bundle: shop, base: shopRows }).end === "met").length;
    expect(met / tasks.length).toBeGreaterThan(0.7);
  });
  it("survives text that means nothing to it", () => {
    for (const text of ["", "???", "{}", "a".repeat(5000), "ORDER ".repeat(300)])
      expect(playRule(drawn.fork(), [text]).answers).toHaveLength(1);
  });
});

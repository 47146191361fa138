import { describe, expect, it } from "vitest";
import type { BaseState } from "../../../../worlds/bundle.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { rekeyTask } from "../../../../worlds/tasks/grading/rekey.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const orders = shopRows.tables.orders ?? {};
const [order = "", row] =
  Object.entries(orders).find(
    ([, { status, items }]) => status === "delivered" && Array.isArray(items) && items.length > 1,
  ) ?? [];
const items = (row?.items ?? []) as { product_id: string; price: number }[];

const refund = (nth: number): ObservedTrace => ({
  id: `t${nth}`,
  group: "g",
  reward: 1,
  request: `Please refund one of the two things of order ${order}, whichever you like: ${items.map(({ product_id }) => product_id).join(" or ")}.`,
  finalAnswer: "I have refunded it.",
  calls: [
    {
      tool: "refund_item",
      args: { order_id: order, product_id: items[nth]?.product_id ?? "" },
      result: "{}",
      isError: false,
    },
  ],
});

describe("a task that accepts several ends, on a world whose prices are others", () => {
  const before = { bundle: shop, base: shopRows };
  const dearer: BaseState = {
    ...shopRows,
    tables: {
      ...shopRows.tables,
      orders: { ...orders, [order]: { ...row, items: items.map((item) => ({ ...item, price: item.price + 10 })) } },
    },
  };
  const after = { bundle: shop, base: dearer };
  const [task] = generateTasks(shop, shopRows, {
    seed: "m",
    count: 5,
    families: ["mined"],
    mined: [refund(0), refund(1)],
  });
  if (!task) throw new Error("no task was mined");

  it("agrees where nothing moved", () => {
    expect(task.alternatives?.length).toBe(1);
    expect(reviewTask(task, before).certificate.passed).toBe(true);
    expect(rekeyTask(task, before)).toEqual({ kind: "agrees" });
  });
  it("gets every one of its keys anew, and its certificate", () => {
    expect(reviewTask(task, after).certificate.passed).toBe(false);
    const made = rekeyTask(task, after, before);
    if (made.kind !== "rekeyed") throw new Error(`it is ${made.kind}`);
    expect(made.checks).toEqual([0]);
    const [state] = made.task.checks;
    if (state?.kind !== "state") throw new Error("its first check is of the state");
    expect(state.alternatives?.length).toBe(1);
    const amounts = [state.changes, ...(state.alternatives ?? [])].map(
      (changes) => changes.find(({ table }) => table === "refunds")?.fields.amount,
    );
    expect(new Set(amounts).size).toBe(2);
    expect(reviewTask(made.task, after).certificate.passed).toBe(true);
  });
  it("keeps what still leads to an end", () => {
    const broken = {
      ...task,
      alternatives: [{ ...task.script, calls: [{ tool: "refund_item", args: { order_id: "#W0", product_id: "x" } }] }],
    };
    const made = rekeyTask(broken, before);
    if (made.kind !== "rekeyed") throw new Error(`it is ${made.kind}`);
    expect(made.task.alternatives).toBeUndefined();
    expect(made.task.checks[0]).not.toHaveProperty("alternatives");
  });
});

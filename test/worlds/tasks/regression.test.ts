import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../worlds/json.ts";
import { type ConfirmedFailure, type RightOutcome, regressionTask } from "../../../worlds/tasks/families/regression.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import { reviewTask } from "../../../worlds/tasks/grading/review.ts";
import { type Task, Task as TaskSchema } from "../../../worlds/tasks/schema.ts";
import { playNothing } from "../../../worlds/tasks/trial.ts";
import { shop, shopRows } from "../fixtures/shop.ts";

const env = { bundle: shop, base: shopRows };
const orders = shopRows.tables.orders ?? {};
const inState = (status: string) => Object.keys(orders).filter((id) => orders[id]?.status === status);
const [order = "", other = ""] = inState("pending");
const [shipped = ""] = inState("shipped");
const [delivered = ""] = inState("delivered");
const [item] = (orders[delivered]?.items ?? []) as { product_id: string }[];
const cancel = (order_id: string) => ({ tool: "cancel_order", args: { order_id, reason: "no longer needed" } });
const get = (order_id: string) => ({ tool: "get_order", args: { order_id } });

function made(
  right: RightOutcome,
  request: string,
  failed: { calls: { tool: string; args: JsonObject }[]; answer: string },
  more: Partial<ConfirmedFailure> = {},
) {
  return regressionTask(env, { request, failed, right, ...more });
}
function task(found: ReturnType<typeof regressionTask>): Task {
  if (typeof found === "string") throw new Error(found);
  expect(TaskSchema.parse(found)).toEqual(found);
  expect(found.family).toBe("regression");
  expect(grade(found, playNothing(found.turns.length + 1), env).end).toBe("failed");
  return found;
}

describe("a task from a confirmed failure", () => {
  it("keeps the request, takes the right calls as key, and rejects the failing trial", () => {
    const request = `Please cancel order ${order}, no longer needed.`;
    const found = task(
      made(
        { kind: "change", calls: [cancel(order)] },
        request,
        { calls: [get(order)], answer: "I cannot do that." },
        { behaviour: "over_refusal" },
      ),
    );
    expect(found).toMatchObject({ request, cell: { use_case: "a failure: over refusal", operation: "cancel_order" } });
    expect(found.checks[0]).toMatchObject({ kind: "state", changes: [{ table: "orders", key: order }] });
    expect(reviewTask(found, env).certificate.passed).toBe(true);
  });
  it("leaves generated ids free where a later call takes one", () => {
    const refund = { tool: "refund_item", args: { order_id: delivered, product_id: item?.product_id ?? "" } };
    const found = task(
      made({ kind: "change", calls: [refund] }, `Refund ${item?.product_id} of order ${delivered}.`, {
        calls: [],
        answer: "Done.",
      }),
    );
    const [state] = found.checks;
    if (state?.kind !== "state") throw new Error("its first check is of the state");
    expect(state.changes.find(({ table }) => table === "refunds")).not.toHaveProperty("key");
  });
  it("of the other outcomes: an answer, nothing there, a refusal, a question", () => {
    const total = orders[order]?.total as number;
    const customer = String(orders[order]?.customer_id);
    const answers = made(
      { kind: "answer", calls: [get(order)], answer: "It is {$1.total}.", facts: [total] },
      `What is the total of order ${order}?`,
      { calls: [], answer: "I could not find that order." },
    );
    expect(reviewTask(task(answers), env).certificate.passed).toBe(true);
    const none = made({ kind: "no_data", calls: [get("#W0000001")] }, "What is the total of order #W0000001?", {
      calls: [],
      answer: "It is $12.50.",
    });
    expect(task(none).script.class).toBe("said_no_data");
    const refused = made({ kind: "refuse", calls: [cancel(shipped)] }, `Cancel order ${shipped}, no longer needed.`, {
      calls: [cancel(order)],
      answer: "Done.",
    });
    expect(reviewTask(task(refused), env).certificate.passed).toBe(true);
    const asks = made(
      { kind: "ask", about: ["order"] },
      `Cancel my order, no longer needed. I am customer ${customer}.`,
      { calls: [cancel(order)], answer: "Done." },
    );
    expect(task(asks).checks[0]).toEqual({ kind: "asks", about: ["order"] });
  });
  it.each([
    ["leads_nowhere", { kind: "change", calls: [{ tool: "cancel_order", args: { order_id: "$4.id" } }] }],
    ["changes_nothing", { kind: "change", calls: [cancel(shipped)] }],
    ["changes_something", { kind: "refuse", calls: [cancel(order)] }],
    ["failure_passes", { kind: "change", calls: [cancel(order)] }],
    ["not_met", { kind: "answer", calls: [get(order)], answer: "It is {$1.status}.", facts: ["never said"] }],
  ] as [string, RightOutcome][])("is none where it would be worthless: %s", (why, right) => {
    expect(
      made(right, `Please cancel order ${order}.`, { calls: [cancel(order)], answer: "I have cancelled it." }),
    ).toBe(why);
  });
  it("is the same for the same failure and another for another", () => {
    const of = (id: string) =>
      task(made({ kind: "change", calls: [cancel(id)] }, `Cancel ${id}.`, { calls: [], answer: "No." })).id;
    expect(of(order)).toBe(of(order));
    expect(of(order)).not.toBe(of(other));
  });
});

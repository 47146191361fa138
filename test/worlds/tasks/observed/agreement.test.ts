import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { measureAgreement } from "../../../../worlds/tasks/observed/agreement.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const compiled = { bundle: shop, base: shopRows };
const rows = shopRows.tables.orders ?? {};
const pending = Object.keys(rows).filter((id) => rows[id]?.status === "pending");
const [order = "", other = ""] = pending;
const cancel = (id: string, reason = "no longer needed"): Asked => ["cancel_order", { order_id: id, reason }];

type Asked = readonly [tool: string, args: JsonObject];
let n = 0;

/** A trace whose calls are answered by the shop itself, but for those whose answer is given. */
function trace(
  calls: readonly (readonly [...Asked, (string | { error: string })?])[],
  more: Partial<ObservedTrace> = {},
): ObservedTrace {
  const world = createWorld(shop, shopRows, { seed: `real ${n}` });
  return {
    id: `t${n++}`,
    group: "task",
    request: "Please see to it.",
    reward: 1,
    answers: ["Done."],
    calls: calls.map(([tool, args, given]) => {
      const answer = world.call(tool, args);
      if (given === undefined) return { tool, args, result: answer.text, isError: answer.isError };
      return typeof given === "string"
        ? { tool, args, result: given, isError: false }
        : { tool, args, result: given.error, isError: true };
    }),
    ...more,
  };
}

function verdicts(train: ObservedTrace[], test: ObservedTrace[]) {
  return measureAgreement(compiled, train, test).judged.map(({ verdict, check }) => [verdict, check]);
}

describe("trials judged by mined tasks", () => {
  it("pass where they end as the rewarded run did, and fail where they do not, naming the row", () => {
    const train = [trace([cancel(order)])];
    const { judged } = measureAgreement(compiled, train, [
      trace([["get_order", { order_id: order }], cancel(order)]),
      trace([cancel(order, "ordered by mistake")], { reward: 0 }),
      trace([], { reward: 0 }),
      trace([cancel(order), cancel(other)], { reward: 0 }),
    ]);
    expect(judged.map(({ verdict }) => verdict)).toEqual(["pass", "fail", "fail", "fail"]);
    expect(judged[1]?.reason).toContain("cancel_reason");
    expect(judged[2]?.reason).toContain(order);
    expect(judged[3]?.reason).toContain(other);
  });
  it("accept the end of any rewarded run, also one that changed nothing, and no end of another", () => {
    const train = [trace([cancel(order)]), trace([]), trace([cancel(other)], { reward: 0 })];
    const test = [trace([cancel(order)]), trace([["get_order", { order_id: order }]]), trace([cancel(other)])];
    expect(verdicts(train, test).map(([verdict]) => verdict)).toEqual(["pass", "pass", "fail"]);
  });
  const delivered = Object.keys(rows).filter((id) => rows[id]?.status === "delivered");
  const refund = (id = "", nth = 0): Asked => {
    const items = (rows[id]?.items ?? []) as { product_id: string }[];
    return ["refund_item", { order_id: id, product_id: items[nth]?.product_id ?? "" }];
  };
  const long = delivered.find((id) => Array.isArray(rows[id]?.items) && rows[id].items.length > 1);
  const gapped = { bundle: { ...shop, behaviours: { ...shop.behaviours } }, base: shopRows };
  delete gapped.bundle.behaviours.refund_item;

  it.each([
    ["a world that carries the write out", compiled],
    ["a world that does not serve it, by the row that its answer shows", gapped],
  ])("leave ids free that the system makes up, and hold what they stand for: %s", (_name, world) => {
    const train = [trace([refund(long)])];
    const test = [trace([refund(long)]), trace([refund(long, 1)]), trace([refund(long), refund(long, 1)])];
    const ids = [...train, ...test].map(({ calls }) => /R\d{7}/.exec(String(calls[0]?.result))?.[0]);
    expect(new Set(ids).size).toBe(4);
    const { judged } = measureAgreement(world, train, test);
    expect(judged.map(({ verdict }) => verdict)).toEqual(["pass", "fail", "fail"]);
  });
  it("take a row that both made under the recorded id, with the figures that were recorded", () => {
    const told = (id: string, amount: number): string => {
      const [, args] = refund(long);
      return JSON.stringify({ refund_id: id, ...args, amount });
    };
    const served = trace([refund(long)]);
    const paid = (id: string, amount: number) => trace([[...refund(long), told(id, amount)]]);
    expect(String(served.calls[0]?.result)).toContain("refund_id");
    const train = [paid("R-A", 1.25)];
    expect(verdicts(train, [paid("R-B", 1.25), paid("R-C", 7), served])).toEqual([
      ["pass", "state"],
      ["fail", "state"],
      ["fail", "state"],
    ]);
  });
  it("believe the recorded answer where the world says otherwise: a refusal changed nothing, a shown row is what it became", () => {
    const train = [trace([cancel(order)])];
    const refused = trace([[...cancel(order), { error: "Error: the store is closed" }]]);
    const after = { ...rows[other], status: "cancelled", cancel_reason: "no longer needed" };
    const shown = trace([["cancel_order", { order_id: other, reason: "NO LONGER NEEDED" }, JSON.stringify(after)]]);
    expect(verdicts(train, [refused])).toEqual([["fail", "state"]]);
    expect(verdicts([trace([cancel(other)])], [shown])).toEqual([["pass", "state"]]);
  });
  it("are undecided only where the rows that are known agree, and a like act that nothing shows differs in words or has no result", () => {
    const act = (amount: number, note: string, id = order): readonly [...Asked, string] => [
      "grant_voucher",
      { order_id: id, amount, note },
      "Granted.",
    ];
    const train = [trace([act(5, "for the late parcel")])];
    const cut = trace([act(5, "for the late parcel")]);
    const test = [
      trace([act(5, "for the late parcel")]),
      trace([act(5, "with our kind regards")]),
      { ...cut, calls: cut.calls.map((call) => ({ ...call, result: null })) },
      trace([act(9, "for the late parcel")]),
      trace([act(5, "for the late parcel", other)]),
      trace([]),
    ];
    expect(verdicts(train, test).map(([verdict]) => verdict)).toEqual([
      "pass",
      "undecided",
      "undecided",
      "fail",
      "fail",
      "fail",
    ]);
    expect(verdicts(train, [trace([act(5, "with our kind regards"), cancel(other)])])).toEqual([["fail", "state"]]);
    const talk = trace([["hand_over", { summary: "A long story." }, "Transferred."]]);
    expect(verdicts([trace([])], [talk])).toEqual([["pass", "state"]]);
  });
  it.each([
    ["a tool that the world does not serve", "update_parcel", { parcel_id: "P-1", field: "status", value: "lost" }],
    ["a tool whose world knows no such row", "cancel_order", { order_id: "#W0", reason: "no longer needed" }],
  ])("take no write that was answered with success for a change of nothing: %s", (_name, tool, args) => {
    const wrote: readonly [...Asked, string] = [tool, args, "Updated."];
    const refused: readonly [...Asked, { error: string }] = [tool, args, { error: "Error: not allowed" }];
    expect(verdicts([trace([])], [trace([]), trace([wrote]), trace([refused])])).toEqual([
      ["pass", "state"],
      ["fail", "state"],
      ["pass", "state"],
    ]);
    expect(verdicts([trace([wrote])], [trace([wrote]), trace([])]).map(([verdict]) => verdict)).toEqual([
      "pass",
      "fail",
    ]);
  });
  it("take a write of what the world answers without knowing the row for no change of nothing", () => {
    const { cancel_order: served } = shop.behaviours;
    if (!served) throw new Error("The shop cancels orders.");
    const steps = [{ op: "answer" as const, expr: '"Updated."' }];
    const claims = { ...served, effect: "read" as const, behaviour: { ...served.behaviour, steps } };
    const blind = { bundle: { ...shop, behaviours: { cancel_order: claims } }, base: { ...shopRows, tables: {} } };
    const wrote = trace([[...cancel(order), "Updated."]]);
    const { judged } = measureAgreement(blind, [trace([])], [trace([]), wrote]);
    expect(judged.map(({ verdict }) => verdict)).toEqual(["pass", "fail"]);
  });
  it("fail where the source says that they were cut off, and where a sum that was asked for is not told", () => {
    const sum = { request: "How much would I get back in total?", answers: ["The total refund would be $1,093.34."] };
    const train = [trace([], sum)];
    expect(
      verdicts(train, [
        trace([], { answers: ["You would get 1093.34 dollars in total."] }),
        trace([], { answers: ["A refund is possible."] }),
        trace([], { ...sum, cutOff: true }),
      ]),
    ).toEqual([
      ["pass", "state"],
      ["fail", "answer_includes"],
      ["fail", "ended"],
    ]);
    const unasked = [trace([], { ...sum, request: "Please look at my order." })];
    expect(verdicts(unasked, [trace([])])).toEqual([["pass", "state"]]);
    const two = [trace([], { ...sum, answers: [...sum.answers, "With the lamp, the total would be $1,127.69."] })];
    expect(verdicts(two, [trace([])])).toEqual([["pass", "state"]]);
    const apart = [trace([], sum), trace([], { ...sum, answers: ["The total refund would be $7.10."] })];
    expect(verdicts(apart, [trace([])])).toEqual([["pass", "state"]]);
  });
  it("leave out trials without a reward or a task, and say how many there were", () => {
    const { trials, tasks, judged } = measureAgreement(
      compiled,
      [trace([cancel(order)]), trace([], { group: "unsolved", reward: 0 })],
      [
        trace([]),
        trace([], { group: "unsolved" }),
        trace([], { group: "new" }),
        { ...trace([]), reward: undefined } as unknown as ObservedTrace,
      ],
    );
    expect({ trials, tasks, judged: judged.length }).toEqual({ trials: 4, tasks: 1, judged: 1 });
  });
});

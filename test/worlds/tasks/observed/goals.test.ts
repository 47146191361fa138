import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { measureAgreement } from "../../../../worlds/tasks/observed/agreement.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";
import { phone, phoneRows } from "./phone.ts";

type Act = readonly [tool: string, args: JsonObject];

const orders = shopRows.tables.orders ?? {};
const pending = Object.keys(orders).filter((id) => orders[id]?.status === "pending");
const cancel = (id: string, reason = "no longer needed"): Act => ["cancel_order", { order_id: id, reason }];
const move = (id: string, street: string): Act => [
  "change_address",
  { order_id: id, street, city: "Boise", zip: "83702" },
];

let n = 0;

/** A session of a service, answered by the service itself. */
function session(
  world: ReturnType<typeof createWorld>,
  group: string,
  reward: number,
  acts: readonly Act[],
): ObservedTrace {
  return {
    id: `g${n++}`,
    group,
    request: "Please see to it.",
    reward,
    answers: ["Done."],
    calls: acts.map(([tool, args]) => {
      const { text, isError } = world.call(tool, args);
      return { tool, args, result: text, isError };
    }),
  };
}

const inShop = (group: string, reward: number, acts: readonly Act[]) =>
  session(createWorld(shop, shopRows, { seed: `shop ${n}` }), group, reward, acts);

function judged(
  train: readonly ObservedTrace[],
  test: readonly ObservedTrace[],
  world = { bundle: shop, base: shopRows },
) {
  return measureAgreement(world, train, test).judged.map(({ verdict }) => verdict);
}

describe("what rewarded runs do differently", () => {
  const [a = "", b = "", c = "", d = "", other = ""] = pending;
  const both = (group: string, id: string) => [
    inShop(group, 1, [cancel(id)]),
    inShop(group, 1, [cancel(id, "ordered by mistake")]),
  ];
  const one = inShop("single", 1, [cancel(c)]);
  const otherReason = inShop("single", 1, [cancel(c, "ordered by mistake")]);

  it("in two tasks is free in a third, which has one run; what they did alike is not", () => {
    const train = [...both("a", a), ...both("b", b), one];
    expect(judged(train, [otherReason])).toEqual(["pass"]);
    expect(judged(train, [inShop("single", 0, [cancel(d, "ordered by mistake")])])).toEqual(["fail"]);
    expect(judged(train, [inShop("single", 0, [])])).toEqual(["fail"]);
    expect(judged([...both("a", a), one], [otherReason])).toEqual(["fail"]);
  });
  it("is not free where an unrewarded run of some task differs in nothing else", () => {
    const train = [...both("a", a), ...both("b", b), one];
    const refuted = [inShop("d", 1, [cancel(d)]), inShop("d", 0, [cancel(d, "ordered by mistake")])];
    expect(judged([...train, ...refuted], [otherReason])).toEqual(["fail"]);
  });
  it("in rows beside those of the task's own runs is never free", () => {
    const train = [...both("a", a), ...both("b", b), one];
    const collateral = pending
      .slice(4, 14)
      .map((id) => inShop("single", 0, [cancel(c), cancel(id, "ordered by mistake")]));
    expect(new Set(judged(train, collateral))).toEqual(new Set(["fail"]));
    expect(judged(train, [inShop("single", 0, [cancel(c), move(other, "1 Elm Street")])])).toEqual(["fail"]);
  });
  it("within one task may be put together anew, but not so that an unrewarded run of it would pass", () => {
    const runs = [
      inShop("own", 1, [cancel(a), move(b, "1 Elm Street")]),
      inShop("own", 1, [cancel(a, "ordered by mistake"), move(b, "2 Elm Street")]),
    ];
    const elsewhere: Act = ["change_address", { order_id: b, street: "1 Elm Street", city: "Boise", zip: "10001" }];
    const mixed = inShop("own", 1, [cancel(a, "ordered by mistake"), move(b, "1 Elm Street")]);
    expect(judged(runs, [mixed])).toEqual(["pass"]);
    expect(judged(runs, [inShop("own", 0, [cancel(a), elsewhere])])).toEqual(["fail"]);
    const refuting = inShop("own", 0, [cancel(a), move(b, "2 Elm Street")]);
    expect(judged([...runs, refuting], [mixed])).toEqual(["fail"]);
  });
});

describe("a state that does not decide", () => {
  const [a = ""] = pending;

  it("is open: where an unrewarded run ended in the same one, but not where it was cut off", () => {
    const train = [inShop("a", 1, [cancel(a)])];
    const same = inShop("a", 0, [cancel(a)]);
    const test = [inShop("a", 1, [cancel(a)]), inShop("a", 0, [])];
    expect(judged([...train, same], test)).toEqual(["undecided", "fail"]);
    expect(judged([...train, { ...same, cutOff: true }], test)).toEqual(["pass", "fail"]);
  });
  it("is open where it differs in prose alone that nobody asked for, and fails where the user said it", () => {
    const street = (text: string) => [move(a, text)];
    const train = [inShop("a", 1, street("the yellow house by the river"))];
    const test = [inShop("a", 1, street("by the river in the yellow house"))];
    expect(judged(train, test)).toEqual(["undecided"]);
    const told = train.map((trace) => ({ ...trace, request: "Send it to the yellow house by the river." }));
    expect(judged(told, test)).toEqual(["fail"]);
  });
});

describe("a reading whose one value marks success", () => {
  const at = (group: string, reward: number, acts: readonly string[]) =>
    session(createWorld(phone, phoneRows, { seed: "phone" }), group, reward, [
      ...acts.map((tool): Act => [tool, {}]),
      ["check_internet", {}],
    ]);
  const world = { bundle: phone, base: phoneRows };
  const train = [
    at("one", 1, ["turn_data_on", "turn_vpn_off"]),
    at("one", 0, ["turn_vpn_off"]),
    at("two", 1, ["turn_vpn_off", "turn_data_on", "turn_saver_on"]),
    at("two", 0, ["turn_data_on"]),
    at("three", 1, ["turn_data_on", "turn_vpn_off"]),
    at("four", 1, ["turn_data_on", "turn_vpn_off"]),
  ];

  it("decides by a probe of the finished world, whatever else of the same row differs", () => {
    const test = [
      at("three", 1, ["turn_saver_on", "turn_vpn_off", "turn_data_on"]),
      at("two", 1, ["turn_vpn_off", "turn_data_on"]),
      at("four", 0, ["turn_data_on"]),
      at("four", 0, []),
    ];
    expect(judged(train, test, world)).toEqual(["pass", "pass", "fail", "fail"]);
  });
  it("decides nothing where an unrewarded run reached it, or fewer tasks bear it out", () => {
    const ways = [at("three", 1, ["turn_saver_on", "turn_vpn_off", "turn_data_on"])];
    const contrary = at("four", 0, ["turn_data_on", "turn_vpn_off", "turn_saver_on"]);
    expect(judged([...train, contrary], ways, world)).toEqual(["fail"]);
    expect(
      judged(
        train.filter(({ group }) => group !== "one"),
        ways,
        world,
      ),
    ).toEqual(["fail"]);
  });
  it("lets no row beside the task's own be changed", () => {
    const test = [at("three", 0, ["turn_data_on", "turn_vpn_off", "cancel_contract"])];
    expect(judged(train, test, world)).toEqual(["fail"]);
  });
});

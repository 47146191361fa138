import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { makeKit } from "../../../../worlds/tasks/kit.ts";
import { playScript } from "../../../../worlds/tasks/trial.ts";
import { introduced, keepIdentification, saysWho } from "../../../../worlds/tasks/words/identity.ts";
import { changesOnePerson } from "../../../../worlds/tasks/words/owners.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const orders = Object.values(shopRows.tables.orders ?? {}) as JsonObject[];
const customerOf = (order: JsonObject) => shopRows.tables.customers?.[String(order.customer_id)] as JsonObject;

/** Sessions that read an order; the first `known` of them find the customer by email before. */
function sessions(known: number, sentence = (email: unknown) => `My email is ${email}.`): ObservedTrace[] {
  return orders.slice(0, 20).map((order, i) => {
    const email = customerOf(order).email;
    const first = {
      tool: "find_customer",
      args: { email } as JsonObject,
      result: order.customer_id!,
      isError: false,
    };
    const read = { tool: "get_order", args: { order_id: order.order_id! }, result: order, isError: false };
    return {
      id: `s${i}`,
      request: `What is the total of order ${order.order_id}?`,
      turns: i < known ? [sentence(email)] : [],
      calls: i < known ? [first, read] : [read],
    };
  });
}
const kitAfter = (traces: readonly ObservedTrace[]) => {
  const kit = makeKit(shop, shopRows, "1");
  keepIdentification(kit, traces);
  return kit;
};

describe("who asks", () => {
  it("is a custom where most sessions say it before they turn to what is owned", () => {
    expect(saysWho(kitAfter(sessions(20)))).toBe(true);
    expect(saysWho(kitAfter(sessions(11)))).toBe(true);
    expect(saysWho(kitAfter(sessions(9)))).toBe(false);
    expect(saysWho(kitAfter([]))).toBe(false);
  });
  it("is no custom where it is said after the fact, or by what no user said", () => {
    const late = sessions(20).map((trace) => ({ ...trace, calls: trace.calls.toReversed() }));
    expect(saysWho(kitAfter(late))).toBe(false);
    expect(saysWho(kitAfter(sessions(20, () => "That is me.")))).toBe(false);
  });
  it("is in the words of every task that touches somebody's rows, from that person's own row, and nobody else's", () => {
    const tasks = generateTasks(shop, shopRows, { seed: "who", count: 40, mined: sessions(20) });
    const kit = makeKit(shop, shopRows, "1");
    let named = 0;
    for (const task of tasks.filter(({ family }) => family !== "mined")) {
      const right = playScript(kit.fork(), task.script, task.turns.length + 1);
      const text = JSON.stringify(right.calls.map(({ args }) => args));
      const own = orders.filter(({ order_id }) => text.includes(`"${order_id}"`));
      if (own.length === 0) continue;
      const people = new Set(own.map(({ customer_id }) => customer_id));
      expect(people.size, task.request).toBe(1);
      expect(task.request).toContain(String(customerOf(own[0]!).email));
      expect(changesOnePerson(kit, right)).toBe(true);
      named += 1;
    }
    expect(named).toBeGreaterThan(10);
  });
  it("never gives away what is asked for", () => {
    const tasks = generateTasks(shop, shopRows, { seed: "leak", count: 60, families: ["lookup"], mined: sessions(20) });
    for (const { checks, request } of tasks)
      for (const check of checks)
        if (check.kind === "answer_includes")
          for (const { value } of check.facts) expect(request).not.toContain(String(value));
  });
  it("is said in words of people, not of columns", () => {
    expect(introduced({ first_name: "Mia", last_name: "Lopez", zip: "97201" })).toBe(
      "My name is Mia Lopez and my zip code is 97201.",
    );
    expect(introduced({ user_id: "mia_1" })).toBe("My user id is mia_1.");
  });
});

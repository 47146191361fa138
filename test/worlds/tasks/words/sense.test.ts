import { describe, expect, it } from "vitest";
import type { BaseState } from "../../../../worlds/bundle.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { makeKit } from "../../../../worlds/tasks/kit.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { mismatched, tornApart } from "../../../../worlds/tasks/together.ts";
import { playScript } from "../../../../worlds/tasks/trial.ts";
import { changesOnePerson, foreignCode, mixesOwners } from "../../../../worlds/tasks/words/owners.ts";
import { broken, senseless } from "../../../../worlds/tasks/words/sense.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const CITIES = ["Oslo", "Bergen", "Turku", "Malmo", "Riga", "Gdansk"];
/** Trips whose legs lead from where the trip starts to where it ends, in the order of their days. */
const trips = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => {
    const [from, over, to] = [0, 1, 2].map((n) => CITIES[(i + n) % CITIES.length] as string);
    const legs = [
      { from, to: over, day: `2031-03-0${1 + (i % 6)}` },
      { from: over, to, day: `2031-03-0${2 + (i % 6)}` },
    ];
    return [`TR-${i}`, { trip_id: `TR-${i}`, origin: from, target: to, legs }];
  }),
);
const places = Object.fromEntries(
  Array.from({ length: 18 }, (_, i) => [
    `PL-${i}`,
    { city: CITIES[i % CITIES.length], country: ["NO", "NO", "FI", "SE", "LV", "PL"][i % 6] },
  ]),
);
const base: BaseState = { ...shopRows, tables: { trips, places } as BaseState["tables"] };
const kit = makeKit({ ...shop, tables: [] }, base, "1");
const trip = trips["TR-3"]!;
const change = (legs: unknown, over: Record<string, unknown> = {}) => ({
  diff: [{ table: "trips", key: "TR-3", before: trip, after: { ...trip, legs, ...over } }],
});

describe("what belongs together", () => {
  // Finding B27.
  it("stays together: a change that leads elsewhere, or leaves a gap between two legs, is told", () => {
    const [first, second] = trip.legs;
    expect(tornApart(kit, change([first, second]))).toBeUndefined();
    expect(tornApart(kit, change([{ ...first, day: "2031-03-01" }, second]))).toBeUndefined();
    expect(tornApart(kit, change([{ ...first, from: "Kiel" }, second]))).toMatch(/^trips: origin/);
    expect(tornApart(kit, change([{ ...first, to: "Kiel" }, second]))).toMatch(/^trips: /);
    expect(tornApart(kit, change([{ ...first, day: "2031-04-09" }, second]))).toMatch(/day/);
  });
  it("is learnt from five rows or more, never from a change that adds or removes a row", () => {
    const few = makeKit(
      { ...shop, tables: [] },
      { ...base, tables: { trips: { "TR-3": trip } } as BaseState["tables"] },
      "1",
    );
    expect(tornApart(few, change([{ ...trip.legs[0], from: "Kiel" }]))).toBeUndefined();
    expect(
      tornApart(kit, { diff: [{ table: "trips", key: "n", after: { ...trip, origin: "Kiel" } }] }),
    ).toBeUndefined();
    expect(tornApart(kit, { diff: [{ table: "__proto__", key: "n", before: {}, after: {} }] })).toBeUndefined();
  });
  // Finding B30, the address.
  it("are arguments too: a city with another's country", () => {
    expect(mismatched(kit, { city: "Oslo", country: "NO" })).toBeUndefined();
    expect(mismatched(kit, { city: "Oslo", country: "FI" })).toBe("city Oslo and country FI");
    expect(mismatched(kit, { city: "Kiel", country: "FI" })).toBeUndefined();
    expect(mismatched(kit, { city: 4, country: null })).toBeUndefined();
  });
});

describe("one owner", () => {
  const tasks = generateTasks(shop, shopRows, { seed: "owners", count: 40, families: ["multi_write"] });
  const own = makeKit(shop, shopRows, "1");
  // Finding B28.
  it("stands behind every request of several changes", () => {
    expect(tasks.length).toBeGreaterThan(10);
    for (const task of tasks)
      expect(changesOnePerson(own, playScript(own.fork(), task.script, 1)), task.request).toBe(true);
  });
  it("is no person that the request itself adds", () => {
    const added = (key: string) => ({ table: "customers", key, after: { customer_id: key, name: "Kim" } });
    const [[key = "", row] = []] = Object.entries(shopRows.tables.customers ?? {});
    const [[other = "", otherRow] = []] = Object.entries(shopRows.tables.customers ?? {}).slice(1);
    const edited = (of: string, before: unknown) => ({
      table: "customers",
      key: of,
      before: before as Record<string, unknown>,
      after: { ...(before as Record<string, unknown>), name: "Kim" },
    });
    expect(changesOnePerson(own, { diff: [added("c_new1"), added("c_new2")] })).toBe(true);
    expect(changesOnePerson(own, { diff: [added("c_new1"), edited(key, row)] })).toBe(true);
    expect(changesOnePerson(own, { diff: [edited(key, row), edited(other, otherRow)] })).toBe(false);
  });
  it("gives no code that stands in other people's rows alone", () => {
    const wallet = (code: string) => ({
      ...Object.values(shopRows.tables.customers ?? {})[0],
      wallet: { [code]: { kind: "gift" } },
    });
    const tables = { ...shopRows.tables, customers: { C1: wallet("gift_10045"), C2: wallet("visa_20077") } };
    const kit = makeKit(shop, { ...shopRows, tables } as BaseState, "1");
    const paying = (code: string) => {
      const call = {
        tool: "pay",
        args: { means: [code] },
        answer: "ok",
        answer_class: "data",
        is_error: false,
        changed: true,
      };
      const before = { order_id: "O-1", customer_id: "C1" };
      return foreignCode(kit, { calls: [call], diff: [{ table: "orders", key: "O-1", before, after: before }] });
    };
    expect(paying("visa_20077")).toBe("visa_20077");
    expect(paying("gift_10045")).toBeUndefined();
    expect(paying("new_30099")).toBeUndefined();
  });
  it("may be several only where sessions were seen to change several people's rows", () => {
    const orders = Object.entries(shopRows.tables.orders ?? {}).filter(([, row]) => row.status === "pending");
    const [a] = orders;
    const b = orders.find(([, row]) => row.customer_id !== a?.[1].customer_id);
    const session = (id: string, keys: (string | undefined)[]) => ({
      id,
      calls: keys.map((order_id) => ({
        tool: "cancel_order",
        args: { order_id: order_id ?? "" },
        result: "ok",
        isError: false,
      })),
    });
    const both = [a?.[0], b?.[0]];
    expect(mixesOwners(own, [])).toBe(false);
    expect(mixesOwners(own, [session("1", both)])).toBe(false);
    expect(mixesOwners(own, [session("1", both), session("2", both)])).toBe(true);
  });
});

describe("a request", () => {
  // Finding B25.
  it.each([
    "Need the  of symbol AAPL?",
    " of symbol OMEG?",
    "What is the of order #W1?",
    "Can you check the ?",
    "What is the total of ?",
    "Check the account ().",
    "What is the delivered on on order #W1?",
    "Change where my order is delivered to to 73 Oak Street.",
    "Send it with with the others.",
  ])("that has lost a word, or says one twice, is broken: %j", (text) => expect(broken(text)).toBe(true));
  it.each([
    "What is the total of order #W1?",
    "Which of the items on my order cost more than $9?",
    "Cancel it, please.",
  ])("that has not is whole: %j", (text) => expect(broken(text)).toBe(false));
  it("asks for nothing that is so already", () => {
    const [task] = generateTasks(shop, shopRows, { seed: "1", count: 1, families: ["write"] }) as [Task];
    const own = makeKit(shop, shopRows, "1");
    const [[key, row] = ["", {}]] = Object.entries(shopRows.tables.orders ?? {});
    const before = { ...row, paid: [{ means: "visa_1" }, { means: "visa_1" }] };
    const right = (means: string, tool = "change_means") => ({
      calls: [
        { tool, args: { order_id: key, means }, answer: "ok", answer_class: "data", is_error: false, changed: true },
      ],
      answers: [],
      diff: [{ table: "orders", key, before, after: { ...before, paid: [] } }],
    });
    const evidence = { mixed: false, done: new Map() };
    const why = (trial: ReturnType<typeof right>) => senseless(own, task, trial, evidence);
    expect(why(right("visa_1"))).toBe("asks change_means for what is so already");
    expect(why(right("visa_2"))).toBeUndefined();
    // Who returns something has the money back where it came from.
    expect(why(right("visa_1", "return_item"))).toBeUndefined();
  });
  it("makes no thing twice on two days, and gives nobody's address", () => {
    const [task] = generateTasks(shop, shopRows, { seed: "1", count: 1, families: ["write"] }) as [Task];
    const own = makeKit(shop, shopRows, "1");
    const call = (args: Record<string, string>) => ({
      ...{ tool: "cancel_order", args, answer: "ok", answer_class: "data", is_error: false, changed: true },
      changes: [{ table: "notes", key: JSON.stringify(args), after: args }],
    });
    const why = (...all: Record<string, string>[]) =>
      senseless(own, task, { calls: all.map(call), answers: [], diff: [] }, { mixed: false, done: new Map() });
    const first = { title: "Forum", day: "2025-03-04" };
    expect(why(first, { ...first, day: "2025-03-05" })).toBe("makes one thing twice");
    expect(why(first, first)).toBe("makes one thing twice");
    const from = { ...first, from: "09:00" };
    expect(why(from, { ...from, day: "2025-03-05", from: "10:00" })).toBe("makes one thing twice");
    expect(why(first, { ...first, title: "Review" })).toBeUndefined();
    expect(why(first, { title: "Review", day: "2025-03-05" })).toBeUndefined();
    expect(why({ ...first, to: "person@example.com" })).toBe("gives an address that is nobody's");
    expect(why({ ...first, to: "perry@example.com" })).toBeUndefined();
  });
  // Finding B30, the recorded agent's wrong year.
  it("asks for days that the rows mean, not for a year that is no row's", () => {
    const [task] = generateTasks(shop, shopRows, { seed: "1", count: 1, families: ["lookup"] }) as [Task];
    const own = makeKit(shop, shopRows, "1");
    const right = playScript(own.fork(), task.script, 1);
    const dates = JSON.stringify(shopRows.tables).match(/\b\d{4}-\d\d-\d\d/g) ?? [];
    const on = (date: string): Task => ({
      ...task,
      script: { ...task.script, calls: [{ tool: "search", args: { date } }] },
    });
    const evidence = { mixed: false, done: new Map() };
    expect(dates.length).toBeGreaterThan(20);
    expect(senseless(own, on(dates[0] as string), right, evidence)).toBeUndefined();
    expect(senseless(own, on("2091-11-18"), right, evidence)).toMatch(/outside of the days/);
    expect(senseless(own, { ...on("2091-11-18"), family: "mined" }, right, evidence)).toBeUndefined();
  });
});

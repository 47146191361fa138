import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bundle, RecordedAnswer, Rendering } from "../../worlds/bundle.ts";
import type { JsonObject } from "../../worlds/json.ts";
import { createWorld, prepare, prepareBase } from "../../worlds/world.ts";
import type { World } from "../../worlds/world-api.ts";
import { growth, LINEAR } from "../helpers/growth.ts";
import { behaves } from "./fixtures/behaviour.ts";
import { shop, shopRows } from "./fixtures/shop.ts";
import { shopCall } from "./fixtures/shop-calls.ts";

const PREPARED = prepare(shop);
const BASE = prepareBase(shopRows);
const ORDERS = Object.keys(shopRows.tables.orders ?? {});
const CUSTOMERS = Object.keys(shopRows.tables.customers ?? {});

const record = (world: World, [tool, args]: readonly [string, JsonObject]) => {
  const { text, isError, answerClass, changes } = world.call(tool, args);
  return { text, isError, answerClass, changes };
};

describe("forks", () => {
  it("never see each other's changes, whatever the interleaving", () => {
    const step = fc.tuple(
      fc.nat({ max: 2 }),
      fc.oneof({ weight: 12, arbitrary: shopCall }, { weight: 1, arbitrary: fc.constant("reset" as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const origin = createWorld(PREPARED, BASE, { seed: "s" });
        const forks = [origin, origin.fork(), origin.fork()];
        const alone: (readonly [string, JsonObject])[][] = [[], [], []];
        const seen: unknown[][] = [[], [], []];
        for (const [at, made] of steps) {
          if (made === "reset") {
            forks[at]?.reset();
            alone[at] = [];
            seen[at] = [];
          } else {
            alone[at]?.push(made);
            seen[at]?.push(record(forks[at] as World, made));
          }
        }
        for (const [at, calls] of alone.entries()) {
          const single = createWorld(PREPARED, BASE, { seed: "s" });
          expect(calls.map((made) => record(single, made))).toEqual(seen[at]);
          expect(forks[at]?.digest()).toBe(single.digest());
          expect(forks[at]?.diff()).toEqual(single.diff());
        }
      }),
      { numRuns: 150 },
    );
  });

  it("are rebuilt from base and journal with the same digest, and go on alike", () => {
    fc.assert(
      fc.property(fc.array(shopCall, { maxLength: 25 }), fc.array(shopCall, { maxLength: 5 }), (calls, later) => {
        const world = createWorld(PREPARED, BASE, { seed: "s" });
        const journal = calls.map(([tool, args], i) => {
          world.call(tool, args);
          return world.lastEntry(1000 + i);
        });
        const stored = JSON.parse(JSON.stringify(journal));
        const rebuilt = createWorld(JSON.parse(JSON.stringify(shop)), JSON.parse(JSON.stringify(shopRows)), {
          seed: "s",
        });
        rebuilt.restore(stored);
        expect(rebuilt.digest()).toBe(world.digest());
        expect(later.map((made) => record(rebuilt, made))).toEqual(later.map((made) => record(world, made)));
        expect(rebuilt.lastEntry(0)?.seq).toBe(later.length === 0 ? undefined : calls.length + later.length);
      }),
      { numRuns: 80 },
    );
  });

  it("take the newest call back whole", () => {
    fc.assert(
      fc.property(fc.array(shopCall, { maxLength: 8 }), shopCall, (calls, last) => {
        const world = createWorld(PREPARED, BASE, { seed: "s" });
        for (const [tool, args] of calls) world.call(tool, args);
        const before = world.digest();
        const first = record(world, last);
        world.undo();
        world.undo();
        expect(world.digest()).toBe(before);
        expect(record(world, last)).toEqual(first);
        expect(world.lastEntry(0)?.seq).toBe(calls.length + 1);
      }),
      { numRuns: 80 },
    );
  });

  it("refuse a journal that does not fit", () => {
    const world = createWorld(PREPARED, BASE);
    const entry = {
      seq: 2,
      tool: "t",
      args: {},
      answer: null,
      answer_class: "data",
      is_error: false,
      changes: [],
      at: 0,
      drawn: 0,
    };
    expect(() => world.restore([entry])).toThrow("gap");
    const change = { table: "customers", key: CUSTOMERS[0] as string, before: { customer_id: "other" } };
    expect(() => world.restore([{ ...entry, seq: 1, changes: [change] }])).toThrow("does not start");
  });
});

function bundleOf(
  lines: Record<string, string>,
  more: {
    exceptions?: Partial<RecordedAnswer>[];
    rendering?: Partial<Rendering>;
    schema?: Record<string, unknown>;
  } = {},
): Bundle {
  return {
    ...shop,
    tools: [...Object.keys(lines), "unfitted"].map((name) => ({
      name,
      inputSchema: more.schema ?? { type: "object" },
    })),
    behaviours: Object.fromEntries(
      Object.entries(lines).map(([name, line]) => {
        const tool = behaves(line);
        return [name, { ...tool, rendering: { ...tool.rendering, ...more.rendering } }];
      }),
    ),
    exceptions: (more.exceptions ?? []).map((made) => ({
      tool: "t",
      args: {},
      answer: "recorded",
      is_error: false,
      answer_class: "data",
      ...made,
    })),
  };
}
const ORDER = ORDERS[0] as string;

describe("what answers a call", () => {
  it("is a typed refusal for an unknown tool and for arguments that do not fit", () => {
    const world = createWorld(PREPARED, BASE);
    expect(world.call("nope", {})).toMatchObject({
      isError: true,
      answerClass: "error:unknown_tool",
      servedBy: "schema",
    });
    expect(world.call("cancel_order", { order_id: ORDER })).toMatchObject({
      answerClass: "error:bad_arguments",
      text: "Error: arguments must have required property 'reason'",
    });
    expect(world.call("cancel_order", { order_id: ORDER, reason: "x" }).text).toContain(
      "must be equal to one of the allowed values",
    );
    expect(world.call("get_order", { order_id: 7 }).text).toBe("Error: order_id must be string");
    let deep: JsonObject = {};
    for (let i = 0; i < 100_000; i++) deep = { deep };
    expect(world.call("get_order", { order_id: ORDER, deep })).toMatchObject({ answerClass: "error:bad_arguments" });
    expect(world.call("get_order", { order_id: ORDER, f: (() => 1) as never })).toMatchObject({
      answerClass: "error:bad_arguments",
    });
    expect(world.diff()).toEqual([]);
  });

  it("is lenient where a schema says what cannot be checked, and linear where it says a pattern", async () => {
    const odd = { type: "object", $schema: "http://nowhere/none", properties: { a: { $ref: "#/nowhere" } } };
    expect(createWorld(bundleOf({ t: 'answer "ok"' }, { schema: odd }), BASE).call("t", { a: 1 }).text).toBe("ok");
    const format = {
      type: "object",
      properties: { a: { type: "string", format: "made-up" }, b: { pattern: "(?=x)y" } },
    };
    expect(
      createWorld(bundleOf({ t: 'answer "ok"' }, { schema: format }), BASE).call("t", { a: "1", b: "z" }).text,
    ).toBe("ok");
    const pattern = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    const world = createWorld(bundleOf({ t: 'answer "ok"' }, { schema: pattern }), BASE);
    const called = (size: number) =>
      expect(world.call("t", { a: `${"a".repeat(size * 1250)}!` }).answerClass).toBe("error:bad_arguments");
    expect(await growth(called)).toBeLessThan(LINEAR);
    expect(world.call("t", { a: "aaa" }).text).toBe("ok");
  });

  it("is a gap where nothing is known, never a success", () => {
    const world = createWorld(bundleOf({ t: "recorded" }), BASE);
    for (const tool of ["t", "unfitted"])
      expect(world.call(tool, {})).toMatchObject({ isError: true, answerClass: "error:not_served", servedBy: "gap" });
    const bundle = bundleOf({ t: "recorded" });
    bundle.behaviours.t = {
      ...(bundle.behaviours.t as NonNullable<typeof bundle.behaviours.t>),
      behaviour: { v: 1, steps: [{ op: "answer", expr: "nonsense" }] },
    };
    expect(createWorld(bundle, BASE).call("t", {})).toMatchObject({
      answerClass: "error:behaviour",
      servedBy: "gap",
      isError: true,
    });
  });

  it("is a recorded answer for exactly its arguments, while the rows it names are as drawn", () => {
    const exceptions = [
      { args: { id: ORDER, b: 1 }, answer: { order_id: ORDER, odd: true } },
      { tool: "unfitted", args: { q: 1 }, answer: [1], answer_class: "data" },
      { tool: "scan", args: {}, answer: ["seen"] },
    ];
    const lines = {
      t: "read orders by order_id = {id} as {order_id}",
      scan: "list orders where row.total > 1e9",
      touch: 'update orders by order_id set status = "touched"',
      restore: "update orders by order_id set status = {status}",
    };
    const world = createWorld(bundleOf(lines, { exceptions }), BASE);
    const recorded = () => world.call("t", { b: 1, id: ORDER });
    expect(recorded()).toMatchObject({ value: { odd: true }, servedBy: "recorded" });
    expect(world.call("t", { id: ORDER, b: 2 })).toMatchObject({ value: { order_id: ORDER }, servedBy: "behaviour" });
    expect(world.call("unfitted", { q: 1 })).toMatchObject({ text: "[1]", servedBy: "recorded" });
    expect(world.call("unfitted", { q: 2 })).toMatchObject({ servedBy: "gap" });
    world.call("touch", { order_id: ORDERS[1] as string });
    expect(recorded().servedBy).toBe("recorded");
    expect(world.call("scan", {})).toMatchObject({ servedBy: "behaviour", answerClass: "empty" });
    const { status } = world.row("orders", ORDER) as { status: string };
    world.call("touch", { order_id: ORDER });
    expect(recorded().servedBy).toBe("behaviour");
    world.call("restore", { order_id: ORDER, status });
    expect(recorded().servedBy).toBe("recorded");
  });

  it("no longer holds when a row changed that the behaviour reads for it, named or not", () => {
    const customer_id = shopRows.tables.orders?.[ORDER]?.customer_id as string;
    const world = createWorld(
      bundleOf(
        {
          t: "read orders by order_id; answer lookup(customers, row.customer_id).credit > 0",
          touch: "update customers by customer_id set credit += 1",
        },
        { exceptions: [{ args: { order_id: ORDER }, answer: "yes" }] },
      ),
      BASE,
    );
    world.call("touch", { customer_id: CUSTOMERS.find((id) => id !== customer_id) as string });
    expect(world.call("t", { order_id: ORDER }).servedBy).toBe("recorded");
    world.call("touch", { customer_id });
    expect(world.call("t", { order_id: ORDER })).toMatchObject({ servedBy: "behaviour", value: true });
  });

  it("no longer holds of a tool without a behaviour when a row changed that a row it names refers to", () => {
    const customer_id = shopRows.tables.orders?.[ORDER]?.customer_id as string;
    const exceptions = [{ args: { order_id: ORDER }, answer: { credit: "yes" } }];
    const lines = { t: "recorded", touch: "update customers by customer_id set credit += 1" };
    const world = createWorld(bundleOf(lines, { exceptions }), BASE);
    world.call("touch", { customer_id: CUSTOMERS.find((id) => id !== customer_id) as string });
    expect(world.call("t", { order_id: ORDER }).servedBy).toBe("recorded");
    world.call("touch", { customer_id });
    expect(world.call("t", { order_id: ORDER }).servedBy).toBe("gap");
  });

  it("keeps the effects of a write whose words are recorded, and serves no success without them", () => {
    const exceptions = [
      { args: { order_id: ORDER }, answer: "done, with thanks" },
      { args: { order_id: "#W0" }, answer: "done" },
      { args: { order_id: ORDERS[1] as string }, answer: "Error: odd", is_error: true, answer_class: "error:failed" },
    ];
    const world = createWorld(bundleOf({ t: 'update orders by order_id set status = "x"' }, { exceptions }), BASE);
    expect(world.call("t", { order_id: ORDER })).toMatchObject({ text: "done, with thanks", servedBy: "recorded" });
    expect(world.row("orders", ORDER)).toMatchObject({ status: "x" });
    expect(world.call("t", { order_id: "#W0" })).toMatchObject({ servedBy: "gap", isError: true });
    expect(world.call("t", { order_id: ORDERS[1] as string })).toMatchObject({ isError: true, changes: [] });
    expect(world.diff()).toHaveLength(1);
  });
});

describe("how an answer looks", () => {
  const text = (
    rendering: Partial<Rendering>,
    line = 'answer {"a": [1, 2.5, true, null], "é": "it\'s \\n", "e": {}}',
  ) => createWorld(bundleOf({ t: line }, { rendering }), BASE).call("t", {});

  it("is as observed: compact, spaced, indented, ASCII, Python, wrapped, plain", () => {
    expect(text({}).text).toBe('{"a":[1,2.5,true,null],"é":"it\'s \\n","e":{}}');
    expect(text({ spaced: true }).text).toBe('{"a": [1, 2.5, true, null], "é": "it\'s \\n", "e": {}}');
    expect(text({ indent: 2 }).text).toBe(
      '{\n  "a": [\n    1,\n    2.5,\n    true,\n    null\n  ],\n  "é": "it\'s \\n",\n  "e": {}\n}',
    );
    expect(text({ ascii: true, spaced: true }).text).toContain('"\\u00e9": "it\'s \\n"');
    expect(text({ form: "python" }).text).toBe(`{'a': [1, 2.5, True, None], 'é': "it's \\n", 'e': {}}`);
    expect(text({ wrap: ["result", "data"] }, "answer [1]")).toMatchObject({
      text: '{"result":{"data":[1]}}',
      value: { result: { data: [1] } },
    });
    expect(text({}, 'answer "plain, {now}"').text).toBe("plain, 1750000000");
    expect(text({}, "answer 5").text).toBe("5");
    expect(text({ form: "python" }, `answer "it's"`).text).toBe("it's");
  });

  it("carries the error flag as the system does, and its class either way", () => {
    expect(text({ error_flag: false }, 'answer error("Error: order not found")')).toMatchObject({
      isError: false,
      answerClass: "error:not_found",
    });
    expect(text({ error_flag: true }, 'answer error("{{\\"error\\": \\"quota exceeded\\"}}")')).toMatchObject({
      isError: true,
    });
    expect(text({}, "answer null").answerClass).toBe("empty");
    expect(text({}, "answer {}").answerClass).toBe("empty");
    expect(text({}, "answer []").answerClass).toBe("empty");
    expect(text({}, "answer 0").answerClass).toBe("data");
  });
});

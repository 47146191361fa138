import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitInto as fitted } from "../../src/mcp/fit.ts";
import { takeView, type View, viewed } from "../../src/mcp/view.ts";
import { chapters } from "../../tools/index.ts";
import { Registry } from "../../tools/kernel/registry.ts";

const registry = new Registry(chapters);
const op = (name: string) => {
  const registered = registry.get(name);
  if (!registered) throw new Error(name);
  return registered.op;
};
const rows = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ id: `t${i}`, family: i % 2 ? "lookup" : "refund", note: "x".repeat(90) }));
const view = (more: Partial<View>): View => ({ where: [], ...more });

describe("an answer that fits", () => {
  it("is what it was where it is small", () => {
    const value = { a: [1, 2], b: "x" };
    expect(fitted(value, 100)).toEqual({ value });
  });

  it("keeps the first rows of its longest list whole and says how many there are", () => {
    const { value, cut } = fitted({ id: "env", tasks: rows(60), names: ["a", "b"] }, 3000);
    const { tasks } = value as { tasks: unknown[] };
    expect(tasks).toEqual(rows(60).slice(0, tasks.length));
    expect(tasks.length).toBeGreaterThan(15);
    expect(cut).toEqual({ list: { path: "tasks", shown: tasks.length, of: 60 }, shortened: false });
  });

  it("shortens texts and inner lists, each with what is left out, until some rows fit", () => {
    const heavy = Array.from({ length: 20 }, (_, i) => ({ id: i, text: "y".repeat(5000), calls: rows(50) }));
    const { value, cut } = fitted({ trials: heavy }, 6000);
    const text = JSON.stringify(value);
    expect(text.length).toBeLessThanOrEqual(6000);
    expect(text).toMatch(/… \(\+\d+ characters\)/);
    expect(cut).toMatchObject({ shortened: true, list: { of: 20 } });
  });

  it("is an outline where no list is long, with its plain members whole", () => {
    const tool = { calls: 3, rates: { a: { b: "x".repeat(50), c: 1 } }, note: "y".repeat(50) };
    const tools = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`tool${i}`, tool]));
    const { value } = fitted({ all: { calls: 75, met: 3 }, tools }, 1500);
    expect(value).toMatchObject({ all: { calls: 75, met: 3 } });
  });

  it("has at most as many characters as were given, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 200, max: 3000 }), (value, most) => {
        const told = fitted({ body: value, more: Array.from({ length: 40 }, () => value) }, most);
        expect(JSON.stringify(told.value).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe("what a caller wants of an answer", () => {
  const body = { env: "e", tasks: rows(10), other: [{ id: "o" }] };

  it("is taken out of the arguments of a tool that reads, where its own input has no such field", () => {
    const taken = takeView(op("environment_tasks"), { env_id: "e", fields: "tasks.id", limit: 2, cursor: "4" });
    expect(taken).toEqual({ args: { env_id: "e" }, view: { fields: ["tasks.id"], limit: 2, from: 4, where: [] } });
    expect(takeView(op("runs_list"), { limit: 2, fields: ["runs"] }).args).toEqual({ limit: 2 });
    const posted = { title: "x", fields: ["a"] };
    expect(takeView(op("failure_modes_post"), posted)).toEqual({ args: posted, view: { where: [] } });
    expect(() => takeView(op("environment_tasks"), { limit: 0 })).toThrow("bad_request");
    expect(() => takeView(op("environment_tasks"), { cursor: "next" })).toThrow("bad_request");
  });

  it("is rows of the longest list, from a cursor, of one family", () => {
    expect(viewed(body, view({ limit: 2, from: 4 })).body).toMatchObject({ tasks: rows(10).slice(4, 6), other: [{}] });
    const { body: lookups, list } = viewed(body, view({ where: [["family", "lookup"]] }));
    expect((lookups as typeof body).tasks.map(({ id }) => id)).toEqual(["t1", "t3", "t5", "t7", "t9"]);
    expect(list).toMatchObject({ of: 5 });
    expect(() => viewed(body, view({ where: [["outcome", "met"]] }))).toThrow("bad_request");
  });

  it("is fields alone, through every row, and no field that there is not", () => {
    expect(viewed(body, view({ fields: ["tasks.id", "env"], limit: 1 })).body).toEqual({
      env: "e",
      tasks: [{ id: "t0" }],
    });
    expect(viewed({ tasks: [] }, view({ fields: ["tasks.id"] })).body).toEqual({ tasks: [] });
    try {
      viewed(body, view({ fields: ["tasks.name"] }));
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify((error as { details: object }).details)).toContain("tasks.family");
    }
  });
});

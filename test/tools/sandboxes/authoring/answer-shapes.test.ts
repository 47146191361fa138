import { describe, expect, it } from "vitest";
import { misfits, shapeOfExamples } from "../../../../chapters/sandboxes/authoring/shape-of-answers.ts";
import { shopRows } from "../../../worlds/fixtures/shop.ts";
import { ok, sharedApp, shopEachTest } from "../kit.ts";

const shared = sharedApp();

describe("a shape of answers", () => {
  const shape = shapeOfExamples([
    { id: "a", price: 1, tags: ["x"], ship: { zip: "1" } },
    { id: "b", price: null, tags: [] },
  ]);

  it("takes what its examples have, and lets be absent what some lack", () => {
    expect(misfits(shape, { id: "c", price: 2, tags: [] })).toEqual([]);
    expect(misfits(shape, { id: "c", price: null, tags: ["y"], ship: { zip: "2" } })).toEqual([]);
  });

  it("names the path of what is of another type, missing, or too much", () => {
    const wrong = misfits(shape, { id: 3, tags: [1], extra: true }).sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(wrong).toEqual([
      { path: "extra", expected: "absent", found: "boolean" },
      { path: "id", expected: "string", found: "number" },
      { path: "price", expected: "null or number", found: "absent" },
      { path: "tags[]", expected: "string", found: "number" },
    ]);
  });
});

describe("answer shapes", () => {
  const { org, on } = shopEachTest(shared, 4, "shapes");
  const orders = Object.values(shopRows.tables.orders!).slice(0, 20);

  it("environment_answer_shapes holds the world to what is expected, and environment_fidelity tells it", async () => {
    expect((await ok(on("environment_fidelity"))).body).not.toHaveProperty("answer_shapes");
    const shapes = [{ tool: "get_order", examples: orders }];
    expect((await on("environment_answer_shapes", { shapes }, org.read)).status).toBe(403);
    expect(
      (await on("environment_answer_shapes", { shapes: [{ tool: "fly", examples: [1] }] })).body.fields[0].path,
    ).toBe("shapes.0.tool");
    expect((await on("environment_answer_shapes", { shapes: [...shapes, ...shapes] })).status).toBe(409);
    const good = (await ok(on("environment_answer_shapes", { shapes, by: "ann" }, org.push))).body;
    expect(good.shapes).toMatchObject([{ tool: "get_order", examples: orders.length, by: "ann", misfits: [] }]);
    expect(good.shapes[0].answers).toBeGreaterThan(20);
    expect(good).toMatchObject({ held: true, tier: "deterministic" });
    expect(good.shapes[0].fit).toBe(good.shapes[0].answers);
    const other = orders.map(({ status: _status, ...row }) => ({ ...row, state: "open" }));
    const bad = (await ok(on("environment_answer_shapes", { shapes: [{ tool: "get_order", examples: other }] }))).body;
    expect(bad).toMatchObject({ held: false, shapes: [{ fit: 0 }] });
    expect(bad.shapes[0].misfits.map((row: { path: string }) => row.path).sort()).toEqual(["state", "status"]);
    const told = (await ok(on("environment_fidelity", {}, org.read))).body.answer_shapes;
    expect(told).toEqual({ shapes: bad.shapes, held: false, tier: "deterministic" });
  });
});

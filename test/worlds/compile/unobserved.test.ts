import { Ajv } from "ajv";
import { expect, test } from "vitest";
import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { compile } from "../../../worlds/compile/index.ts";
import { shapeOf } from "../../../worlds/compile/unobserved.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import { createWorld } from "../../../worlds/world.ts";

const INPUT = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const INVOICE: JsonObject = {
  type: "object",
  properties: {
    id: { type: "string", format: "uuid" },
    state: { type: "string", enum: ["open", "paid"] },
    total: { type: "number", minimum: 1 },
    note: { type: ["string", "null"] },
    lines: { type: "array", items: { $ref: "#/$defs/line" }, minItems: 2 },
    payer: { oneOf: [{ type: "object", properties: { name: { type: "string", minLength: 6 } } }, { type: "null" }] },
  },
  required: ["id", "state", "total", "lines"],
  $defs: {
    line: { type: "object", properties: { sku: { type: "string" }, n: { type: "integer" } }, required: ["sku"] },
  },
};

const tools: ToolDefinition[] = [
  { name: "get_invoice", inputSchema: INPUT, outputSchema: INVOICE, annotations: { readOnlyHint: true } },
  { name: "get_note", inputSchema: INPUT, annotations: { readOnlyHint: true } },
  { name: "pay_invoice", inputSchema: INPUT, outputSchema: INVOICE, annotations: { readOnlyHint: false } },
  { name: "void_invoice", inputSchema: INPUT, outputSchema: INVOICE },
];

test("a shape fits the schema it is of", () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  expect(ajv.validate(INVOICE, shapeOf(INVOICE, INVOICE, 0))).toBe(true);
});

test("a listing alone serves shapes of its reads, and no write of it succeeds", () => {
  const { bundle, base } = compile([], { name: "billing", tools });
  expect(bundle.tools).toEqual(tools);
  expect(bundle.unobserved).toBe(true);
  expect(bundle.gaps.map(({ tool, reason }) => [tool, /never observed/.test(reason)])).toEqual(
    tools.map(({ name }) => [name, true]),
  );
  const world = createWorld(bundle, base);
  expect(world.call("get_invoice", { id: "i1" })).toMatchObject({ isError: false, value: { state: "open", total: 1 } });
  for (const tool of ["get_note", "pay_invoice", "void_invoice"])
    expect(world.call(tool, { id: "i1" })).toMatchObject({ isError: true, answerClass: "error:not_served" });
  expect(world.call("get_invoice", {})).toMatchObject({ isError: true, answerClass: "error:bad_arguments" });
});

test("beside observed calls, a tool that was never called is a gap, whatever its listing promises", () => {
  const calls = [{ tool: "get_note", args: { id: "n1" }, result: '{"id":"n1","text":"hello"}', isError: false }];
  const { bundle, base } = compile([{ id: "t", calls }], { name: "billing", tools });
  expect(bundle.unobserved).toBeUndefined();
  expect(createWorld(bundle, base).call("get_invoice", { id: "i1" }).answerClass).toBe("error:not_served");
});

test("a schema that refers to itself over and over has no shape, and is refused at once", () => {
  const list = { type: "array", items: { $ref: "#/$defs/node" }, minItems: 20 };
  const node = { type: "object", properties: Object.fromEntries("abcdefgh".split("").map((name) => [name, list])) };
  const outputSchema = { type: "object", properties: { root: list }, $defs: { node } };
  const tool: ToolDefinition = { name: "get_tree", inputSchema: INPUT, outputSchema };
  const { bundle, base } = compile([], { name: "trees", tools: [tool] });
  expect(createWorld(bundle, base).call("get_tree", { id: "i1" }).answerClass).toBe("error:not_served");
});

import { describe, expect, test } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";

const SIZES = ["small", "large", "wide"];
const SHELVES = ["S1", "S2", "S3", "S4", "S5"];
const box = (i: number, n: number) => ({
  box_id: `BX${i}${n}`,
  size: SIZES[(i + n) % 3] as string,
  shelf: SHELVES[(i * 7 + n) % 4] as string,
});
const customer = (i: number) => ({ customer_id: `CU${i}`, name: `Name ${i}`, box_ids: [`BX${i}0`, `BX${i}1`] });
const asked = (tool: string, args: JsonObject, value: unknown): ObservedCall => ({
  tool,
  args,
  result: JSON.stringify(value),
  isError: false,
});

/** Sessions that list a customer's boxes, two of most customers; one's first box stands somewhere else in every task. */
const traces: ObservedTrace[] = Array.from({ length: 27 }, (_, at) => {
  const i = at < 22 ? 10 + (at % 11) : 22;
  const first = i === 22 ? { ...box(i, 0), shelf: SHELVES[at % 5] as string } : box(i, 0);
  const who = asked("get_customer", { customer_id: `CU${i}` }, customer(i));
  const list = asked("list_boxes", { customer_id: `CU${i}` }, [first, box(i, 1)]);
  return { id: `t${at}`, group: `task ${at}`, calls: [who, list] };
});
const { bundle, base } = compile(traces, { name: "boxes" });

describe("rows that an answer shows whole", () => {
  test("are answered where they are known whole", () => {
    const world = createWorld(bundle, base);
    expect(world.call("list_boxes", { customer_id: "CU12" }).value).toEqual([box(12, 0), box(12, 1)]);
  });

  test("are a gap where evidence lacks a column of one", () => {
    const world = createWorld(bundle, base);
    const { shelf: _, ...known } = box(22, 0);
    expect(base.tables.boxes?.BX220).toEqual(known);
    expect(world.call("list_boxes", { customer_id: "CU22" }).answerClass).toBe("error:not_served");
  });
});

import { describe, expect, it } from "vitest";
import { label } from "../../../worlds/tasks/leaves.ts";

describe("labels", () => {
  for (const [path, owner, said] of [
    ["address.postcode", "", "postcode"],
    ["delivery_address.city", "orders", "city of the delivery address"],
    ["name.first_name", "", "first name"],
    ["items[0].price", "", "item price"],
    ["order.total", "orders", "total"],
    ["data.total", "orders", "data total"],
    ["placed_on", "", "placed date"],
    ["address.moved_on", "", "moved date of the address"],
  ] as const)
    it(`${path} is ${said}`, () => expect(label(path, owner)).toBe(said));
});

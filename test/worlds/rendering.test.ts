import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Rendering } from "../../worlds/bundle.ts";
import { frozenCopy, type Json, type JsonObject } from "../../worlds/json.ts";
import { Renderer } from "../../worlds/rendering.ts";
import { withPath } from "../../worlds/state/paths.ts";
import { createWorld } from "../../worlds/world.ts";
import { shop, shopRows } from "./fixtures/shop.ts";

const name = fc.constantFrom("a", "b", "é\u2028", "7", "constructor", "__proto__", 'quo"te');
const { value } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  object: fc.array(fc.tuple(name, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, -0, 1e21, 0.1, "", "it's", "\ud83d\ude00 \ud800"),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
}));
const row = fc
  .array(fc.tuple(name, value), { maxLength: 6 })
  .map((entries) => frozenCopy(Object.fromEntries(entries)) as JsonObject);
const change = fc.record({ path: fc.array(name, { minLength: 1, maxLength: 3 }), value, asked: fc.boolean() });
const rendering: fc.Arbitrary<Rendering> = fc
  .record(
    {
      form: fc.constantFrom<Rendering["form"]>("json", "text", "structured", "python"),
      indent: fc.constantFrom(0, 0, 2),
      spaced: fc.boolean(),
      ascii: fc.boolean(),
      wrap: fc.constantFrom<string[]>([], ["result"], ["é", "data"]),
    },
    { requiredKeys: ["form"] },
  )
  .map((form) => ({ ...form, error_flag: true }));

describe("the text of a changed row", () => {
  it("is the text of the row, whatever was written of it before", () => {
    fc.assert(
      fc.property(rendering, row, fc.array(change, { maxLength: 8 }), (how, first, changes) => {
        const renderer = new Renderer(how);
        let before = first;
        for (const { path, value, asked } of changes) {
          const after = frozenCopy(withPath(before, path, frozenCopy(value) as Json)) as JsonObject | undefined;
          if (after === undefined) continue;
          // Parts that the change left are the same objects, as they are in a world.
          const shared: JsonObject = Object.freeze(
            Object.fromEntries(
              Object.entries(after).map(([key, member]) => [
                key,
                key === path[0] || !Object.hasOwn(before, key) ? member : (before[key] as Json),
              ]),
            ),
          );
          // What stands in the row may also have been an answer of its own.
          if (asked) for (const member of Object.values(shared)) renderer.text(member, true);
          const plain = new Renderer(how);
          const text = renderer.changedText({ before, after: shared });
          expect(text).toBe(plain.text(plain.wrap(shared), false));
          for (const member of Object.values(shared))
            expect(renderer.text(member, true)).toBe(plain.text(member, false));
          before = shared;
        }
      }),
      { numRuns: 400 },
    );
  });

  it("is JSON.stringify of it, byte for byte, in compact form", () => {
    fc.assert(
      fc.property(row, name, value, (before, key, given) => {
        const renderer = new Renderer({ form: "json", error_flag: true });
        const after = Object.freeze(Object.fromEntries([...Object.entries(before), [key, frozenCopy(given) as Json]]));
        expect(renderer.changedText({ before, after })).toBe(JSON.stringify(after));
        expect(renderer.changedText({ before: after, after })).toBe(JSON.stringify(after));
      }),
    );
  });

  it("is what a world answers to an update, in forks and after a reset", () => {
    const origin = createWorld(shop, shopRows, { seed: "s" });
    const pending = [...origin.rows("orders")].filter(([, order]) => order.status === "pending").slice(0, 3);
    expect(pending.length).toBeGreaterThan(1);
    for (const world of [origin, origin.fork(), origin]) {
      world.reset();
      for (const [order_id] of pending)
        for (const street of ["1 A St", "2 é St"]) {
          const made = world.call("change_address", { order_id, street, city: "X", zip: "1" });
          expect(made.changes).toHaveLength(1);
          expect(made.text).toBe(JSON.stringify(made.value));
          expect(world.call("get_order", { order_id }).text).toBe(JSON.stringify(world.row("orders", order_id)));
        }
    }
  });
});

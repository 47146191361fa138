import { describe, expect, it } from "vitest";
import { holes, refOf, renderAnswer, resolveArgs, ScriptError } from "../../../worlds/tasks/script.ts";
import { parsePath, readPath } from "../../../worlds/tasks/select.ts";

const answer = {
  items: [
    { name: "Mug", price: 3 },
    { name: "Tray", price: 12 },
  ],
  by: { a1: { on: 1 }, a2: { on: 2 } },
  "odd.key": 5,
  none: null,
};

describe("paths", () => {
  it("read members, elements, conditions and keys of maps", () => {
    expect(readPath(answer, "items[1].name")).toEqual(["Tray"]);
    expect(readPath(answer, "items[*].price")).toEqual([3, 12]);
    expect(readPath(answer, 'items[name="Mug"].price')).toEqual([3]);
    expect(readPath(answer, "items[price>3].name")).toEqual(["Tray"]);
    expect(readPath(answer, "items[price<=3].name")).toEqual(["Mug"]);
    expect(readPath(answer, "by[on=2].@key")).toEqual(["a2"]);
    expect(readPath(answer, '["odd.key"]')).toEqual([5]);
    expect(readPath(answer, "items[9].name")).toEqual([]);
    expect(readPath(answer, "none")).toEqual([null]);
    expect(readPath(answer, "")).toEqual([answer]);
  });
  it("reach nothing beyond the data", () => {
    expect(readPath(answer, "constructor.name")).toEqual([]);
    expect(readPath(answer, "__proto__")).toEqual([]);
  });
  it("say where they are wrong", () => expect(() => parsePath("a[b~1]")).toThrow(SyntaxError));
});

describe("scripts", () => {
  it("tell references from words", () => {
    expect(refOf("$2.items[0]")).toEqual({ n: 2, path: "items[0]" });
    expect(refOf("$1[0].id")).toEqual({ n: 1, path: "[0].id" });
    expect(refOf("$1")).toEqual({ n: 1, path: "" });
    expect(refOf("$12.50 off")).toBeDefined();
    expect(refOf("USD 5")).toBeUndefined();
  });
  it("resolve arguments at any depth, and refuse what is not there", () => {
    expect(resolveArgs({ id: "$1.by.a1.on", deep: { list: ['$1.items[name="Mug"].price', 7] } }, [answer])).toEqual({
      id: 1,
      deep: { list: [3, 7] },
    });
    expect(() => resolveArgs({ id: "$1.nope" }, [answer])).toThrow(ScriptError);
    expect(() => resolveArgs({ id: "$2.x" }, [answer])).toThrow(ScriptError);
  });
  it("fill answers, with figures", () => {
    expect(
      renderAnswer("Sum {sum $1.items[*].price}, {count $1.items[*]} of them: {$1.items[*].name}.", [answer]),
    ).toBe("Sum 15, 2 of them: Mug, Tray.");
    expect(renderAnswer('The {max $1.items[*].price} one is {$1.items[name="Tray"].name}', [answer])).toBe(
      "The 12 one is Tray",
    );
    expect(renderAnswer("plain {not a hole}", [])).toBe("plain {not a hole}");
    expect(() => renderAnswer("{$1.nope}", [answer])).toThrow(ScriptError);
    expect(holes("{sum $1.a} {$2.b}")).toEqual([
      { n: 1, path: "a", of: "sum" },
      { n: 2, path: "b" },
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { compileExpression } from "../../../worlds/behaviour/expression.ts";
import { Frame, type Limits, type Value } from "../../../worlds/behaviour/frame.ts";
import type { Scope } from "../../../worlds/behaviour/scope.ts";
import { WorldError } from "../../../worlds/errors.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import { prepareBase } from "../../../worlds/state/base.ts";
import { drawKey } from "../../../worlds/state/keys.ts";
import { WorldState } from "../../../worlds/state/state.ts";
import { growth, LINEAR } from "../../helpers/growth.ts";

const state = () =>
  new WorldState(
    prepareBase({
      tables: {
        orders: {
          O1: { id: "O1", user: "u1", total: 10.1, tags: ["new"], paid: true },
          O2: { id: "O2", user: "u2", total: 20.2 },
          O10: { id: "O10", user: "u1", total: 0.3, tags: [] },
        },
        seats: { "F1\u001f2024-05-16": { flight: "F1", date: "2024-05-16", free: 3 } },
      },
      drawn: {},
    }),
  );

function evaluate(text: string, args: JsonObject = {}, row?: JsonObject, limits?: Limits): Value {
  const scope: Scope = {
    tables: new Set(["orders", "seats"]),
    names: new Map(),
    nextSlot: 0,
    hasRow: row !== undefined,
    reads: () => {},
  };
  const run = compileExpression(text, scope);
  let drawn = 0;
  const keys = { draw: (kind: string, width: number) => drawKey("seed", drawn++, kind, width) };
  const frame = new Frame(args, 1_715_785_200, state(), keys, limits);
  frame.row = row;
  return run(frame);
}

function code(text: string, args: JsonObject = {}, limits?: Limits): string {
  try {
    evaluate(text, args, undefined, limits);
  } catch (error) {
    if (error instanceof WorldError) return error.code;
    throw error;
  }
  return "none";
}

const table = (name: string, cases: readonly (readonly [text: string, value: Json | undefined, args?: JsonObject])[]) =>
  describe(name, () => {
    for (const [text, value, args] of cases) it(text, () => expect(evaluate(text, args)).toEqual(value));
  });

table("numbers are exact", [
  ["0.1 + 0.2", 0.3],
  ["0.3 - 0.1", 0.2],
  ["1.1 * 3", 3.3],
  ["0.3 / 0.1", 3],
  ["7 / 2", 3.5],
  ["-7 % 3", -1],
  ["5.5 % 2", 1.5],
  ["1 + 2", 3],
  ["19.99 * 3 + 5.01", 64.98],
  ["[0.1, 0.2, 0.3].sum()", 0.6],
  ["100.1 - 100.1 + 4.35 * 100", 435],
  ["round(2.675, 2)", 2.68],
  ["round(1.005, 2)", 1.01],
  ["round(-2.5)", -3],
  ["fixed(5, 2)", "5.00"],
  ["calculate('2 * (3 + 0.1) - -1')", 7.2],
  ["calculate('0.1+0.2')", 0.3],
  ["int('42') + int(3.9)", 45],
  ["double('1e3')", 1000],
  ["math.greatest(1, 3, 2) - math.least([4, 2])", 1],
  ["math.floor(-1.5) + math.ceil(1.2) + math.trunc(-2.7) + math.abs(-3) + math.sign(-9) + math.round(0.5)", 1],
  ["9007199254740991 - 1", 9007199254740990],
]);

table("texts", [
  ["'a' + \"b\"", "ab"],
  ["size('día😀')", 4],
  ["'Hello'.lowerAscii() + 'ä'.upper() + ' x '.trim()", "helloÄx"],
  ["'a-b-c'.split('-').join('+')", "a+b+c"],
  ["'banana'.replace('an', 'AN')", "bANANa"],
  ["'banana'.substring(1, 3) + 'banana'.substring(4)", "anna"],
  ["'banana'.indexOf('n')", 2],
  ["'banana'.contains('nan') && 'banana'.startsWith('ba') && 'banana'.endsWith('na')", true],
  ["'AB-12'.matches('^[A-Z]+-\\\\d+$')", true],
  ["regex.extract('Order #W123 is late', '#(W\\\\d+)')", "W123"],
  ["regex.extract('none', '#(W\\\\d+)')", null],
  ["regex.replace('a1b22', '[0-9]+', '#')", "a#b#"],
  ["string(1.5) + string(true)", "1.5true"],
  ["json({'a': [1, null]})", '{"a":[1,null]}'],
]);

table("lists and maps", [
  ["[3, 1, 2].sort()", [1, 2, 3]],
  ["[{'n': 2}, {'n': 1}].sortBy(x, x.n).map(x, x.n)", [1, 2]],
  ["[1, 2, 3].filter(x, x > 1).map(x, x * 2)", [4, 6]],
  ["[1, 2, 3].map(x, x > 1, x * 2)", [4, 6]],
  ["[1, 2].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 2].exists_one(x, x == 1)", true],
  ["[1, 1, 2].distinct()", [1, 2]],
  ["[{'a': 1}, {'a': 1.0}].distinct().size()", 1],
  ["[[1], [2, [3]]].flatten()", [1, 2, [3]]],
  ["[[1], [2, [3]]].flatten(2)", [1, 2, 3]],
  ["[1, 2, 3].slice(1, 3).reverse().first()", 3],
  ["[1, 2].last() + [5, 3].min() + [5, 3].max()", 10],
  ["['a', 'b'].indexOf('b') + ['a'].indexOf('z')", 0],
  ["[1, 2, 2].count(x, x == 2)", 2],
  ["1 in [1, 2] && 'a' in {'a': 1} && !('b' in {'a': 1})", true],
  ["{'a': 1}.merge({'b': 2}).without('a')", { b: 2 }],
  ["{'b': 1, 'a': 2}.keys() + ['x']", ["a", "b", "x"]],
  ["{'b': 1, 'a': 2}.values()", [2, 1]],
  ["{'a': {'b': 3}}.a['b']", 3],
  ["{'a': 1}.get('z', 7)", 7],
  ["[10, 20][1]", 20],
  ["[1] + [2] == [1, 2] && {'a': 1, 'b': 2} == {'b': 2, 'a': 1}", true],
  ["{'a': 1}.map(k, k)", ["a"]],
  ["type([]) + type({}) + type(1) + type('') + type(true) + type(null)", "listmapnumberstringboolnull"],
]);

table("what is absent reads as null", [
  ["args.x", undefined],
  ["args.x == null && args.x.y.z == null && args['x'] == null", true],
  ["has(args.x)", false],
  ["has(args.x)", true, { x: null }],
  ["args.x < 3 || args.x > 3", false],
  ["'a' in args.x", false],
  ["args.x.exists(i, true)", false],
  ["size(args.x)", 0],
  ["args.x.contains('a')", false],
  ["[args.x]", [null]],
  ["args.list[7] == null", true, { list: [1] }],
  ["args.constructor == null && args.__proto__ == null && args.toString == null && 'abc'.size() == 3", true],
  ["has(args.hasOwnProperty)", false],
]);

table("holes and arguments", [
  ["{x} + 1", 3, { x: 2 }],
  ["{'k': {x}}", { k: 2 }, { x: 2 }],
  ['{in} + args["true"]', 5, { in: 2, true: 3 }],
  ["{}", {}],
]);

table("tables", [
  ["rows(orders).size()", 3],
  ["rows('orders').map(o, o.id)", ["O1", "O2", "O10"]],
  ["rows(orders).filter(o, o.user == {u}).map(o, o.total).sum()", 10.4, { u: "u1" }],
  ["rows(orders).filter(o, {u} == o.user && o.total > 1).map(o, o.id)", ["O1"], { u: "u1" }],
  ["rows(orders).exists(o, o.user == 'nobody')", false],
  ["rows(orders).exists_one(o, o.user == 'u2')", true],
  ["rows(orders).count(o, o.user == 'u1' || o.user == 'u2')", 3],
  ["rows(orders).map(o, o.user == 'u1', o.total)", [10.1, 0.3]],
  ["rows(orders).filter(o, o.tags == null).map(o, o.id)", ["O2"]],
  ["rows(orders).exists(o, rows(orders).exists(p, p.user == o.user && p.id != o.id))", true],
  ["lookup(orders, 'O2').user", "u2"],
  ["lookup(orders, 'none') == null && lookup(orders, args.none) == null", true],
  ["lookup(seats, 'F1', {d}).free", 3, { d: "2024-05-16" }],
  ["lookup(seats, ['F1', {d}]).free", 3, { d: "2024-05-16" }],
]);

table("times", [
  ["strftime(now, '%Y-%m-%dT%H:%M:%S')", "2024-05-15T15:00:00"],
  ["strftime(timestamp('2024-02-29'), '%A, %B %d, %Y %I:%M %p')", "Thursday, February 29, 2024 12:00 AM"],
  ["timestamp('2024-05-15T15:00:00Z') == now && timestamp('2024-05-15 17:00:00+02:00') == now", true],
  ["timestamp('2024-05-16') - timestamp('2024-05-15') == 86400", true],
]);

describe("generated keys", () => {
  it("come from the seed", () => {
    expect(evaluate("generate('pay_{n:7}')")).toMatch(/^pay_[1-9]\d{6}$/);
    expect(evaluate("generate('{x:8}') == generate('{x:8}')")).toBe(false);
    expect(evaluate("generate('{x}-{n:3}')", { x: "A" })).toMatch(/^A-\d{3}$/);
  });
});

describe("what does not fit is a typed error", () => {
  const cases: readonly [text: string, code: string, args?: JsonObject][] = [
    ["1 + 'a'", "type"],
    ["args.x + 1", "type"],
    ["args.x.y", "type", { x: "text" }],
    ["args.x.length", "type", { x: "text" }],
    ["args.x.y", "type", { x: [1] }],
    ["1 ? 2 : 3", "type"],
    ["!1", "type"],
    ["'a' < 1", "type"],
    ["1 / 0", "arithmetic"],
    ["1 % 0", "arithmetic"],
    ["9007199254740991 + 1", "arithmetic"],
    ["1e308 * 10.5", "arithmetic"],
    ["double('1e999')", "arithmetic"],
    ["calculate('1e999')", "arithmetic"],
    ["b'ab'", "unsupported"],
    ["1u", "unsupported"],
    ["foo", "unknown_name"],
    ["row.x", "unknown_name"],
    ["foo(1)", "unknown_name"],
    ["size()", "unknown_name"],
    ["rows(nope)", "unknown_name"],
    ["args.valueOf()", "unknown_name"],
    ["args.x.constructor('return 1')", "unknown_name"],
    ["'a'.matches('(a')", "type"],
    ["'aa'.matches('(a)\\\\1')", "type"],
    ["timestamp('2024-02-30')", "type"],
    ["calculate('process.exit()')", "type"],
    ["calculate('2 +')", "type"],
    ["not_served()", "unsupported"],
    ["error('no')", "unsupported"],
  ];
  for (const [text, wanted, args] of cases) it(text, () => expect(code(text, args)).toBe(wanted));
});

describe("limits", () => {
  it("stops loops within loops, by steps alike on every machine", () => {
    const list = Array.from({ length: 2000 }, (_, i) => i);
    expect(code("args.l.map(a, args.l.map(b, a * b))", { l: list })).toBe("limit");
    expect(code("args.l.filter(a, args.l.exists(b, b == -1)).size()", { l: list })).toBe("limit");
    expect(code("args.l.map(a, a + 1).size()", { l: list })).toBe("none");
  });

  it("stops values that grow by repetition", () => {
    const doubled = (n: number, text: string): string =>
      n === 0 ? text : doubled(n - 1, `[${text}].map(x, x + x)[0]`);
    expect(code(doubled(24, "'abcdefgh'"))).toBe("limit");
    const nested = (n: number, text: string): string => (n === 0 ? text : nested(n - 1, `[${text}].map(x, [x, x])`));
    expect(code(`json(${nested(30, "1")})`)).toBe("limit");
    expect(code(`${nested(30, "1")} == ${nested(30, "1")}`)).toBe("limit");
    expect(code(`[${nested(30, "1")}].distinct().size()`)).toBe("limit");
    const long = { t: "ab".repeat(400_000), l: Array.from({ length: 20_000 }, () => "x") };
    expect(code("args.l.map(x, args.t).join('')", long)).toBe("limit");
    expect(code("regex.replace(args.t, 'a', args.t)", long)).toBe("limit");
    expect(code("args.t.replace('a', args.t)", long)).toBe("limit");
    expect(code(`generate("${"{args.t}".repeat(4)}")`, long)).toBe("limit");
    const wide = { l: Array.from({ length: 9000 }, () => 1) };
    expect(code("[1, 2, 3].map(a, args.l).map(a, args.l.map(b, args.l)).distinct()", wide)).toBe("limit");
  });

  it("matches in linear time", async () => {
    const matched = (size: number) =>
      expect(evaluate("args.t.matches('^(a+)+$')", { t: `${"a".repeat(size * 12_500)}!` })).toBe(false);
    expect(await growth(matched)).toBeLessThan(LINEAR);
  });

  it("stops at the deadline too", () => {
    const list = Array.from({ length: 20_000 }, (_, i) => i);
    expect(code("args.l.map(a, a * 1.5).size()", { l: list }, { steps: 1e9, milliseconds: -1 })).toBe("limit");
  });
});

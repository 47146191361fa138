import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLine } from "../../../worlds/behaviour/line.ts";
import { oneLine, printLine, printLines } from "../../../worlds/behaviour/print.ts";
import { readBehaviour } from "../../../worlds/behaviour/read.ts";
import { Behaviour } from "../../../worlds/behaviour/schema.ts";

const word = fc.constantFrom(
  "a",
  "order",
  "by",
  "key",
  "limit",
  "where",
  "require",
  "desc",
  "set",
  "x_1",
  "append",
  "remove",
  "error",
  "flights",
  "read",
);
const quoted = fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => JSON.stringify(text));
const single = fc.constantFrom("'it'", "'a \"b\" ; c'", "r'\\d+{2}'", "'}'", '"""tri"ple"""', "'\\''");
const expression: fc.Arbitrary<string> = fc.letrec<{ e: string }>((tie) => ({
  e: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("1", "2.5", "0x1F", "true", "null", "now", "row", "args"),
    word.map((name) => `args.${name}`),
    word.map((name) => `{${name}}`),
    quoted,
    single,
    fc
      .tuple(tie("e"), fc.constantFrom("+", "-", "*", "==", "!=", "<", ">=", "&&", "||", "in"), tie("e"))
      .map(([a, op, b]) => `${a} ${op} ${b}`),
    fc.tuple(tie("e"), tie("e")).map(([a, b]) => `(${a} ? ${b} : ${a})`),
    fc.array(tie("e"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    fc
      .array(fc.tuple(quoted, tie("e")), { maxLength: 2 })
      .map((entries) => `{${entries.map(([k, v]) => `${k}: ${v}`).join(",")}}`),
    fc.tuple(word, tie("e")).map(([name, e]) => `rows(${name}).filter(o, o.${name} == ${e})`),
    tie("e").map((e) => `(${e})`),
    tie("e").map((e) => `size(${e})`),
    tie("e").map((e) => `!(${e})`),
  ),
})).e;
const template = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replace(/[{}]/g, (brace) => brace + brace)),
      expression.filter((text) => !text.startsWith("{")).map((text) => `{${text}}`),
      fc.constantFrom("{n:7}", "{x:32}", "{order}", "\n", '"', "\\", "{ {'a': 1}.a }"),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(""));
const path = fc
  .tuple(
    word,
    fc.array(
      fc.oneof(
        word.map((name) => `.${name}`),
        fc.constantFrom('["odd name"]', "[args.key]", "[now + 1]", "[row.a['b']]"),
      ),
      { maxLength: 2 },
    ),
  )
  .map(([first, rest]) => first + rest.join(""));
const optional = <T>(name: string, value: fc.Arbitrary<T>) =>
  fc.option(value, { nil: undefined }).map((made) => (made === undefined ? {} : { [name]: made }));
const keys = fc.array(
  fc.tuple(path, optional("expr", expression)).map(([column, rest]) => ({ column, ...rest })),
  { minLength: 1, maxLength: 3 },
);
const sets = fc.record({ path, op: fc.constantFrom("=", "+=", "-=", "append", "remove"), expr: expression });
const guards = fc.array(fc.record({ expr: expression, error: template }), { maxLength: 2 });
const view = optional(
  "view",
  fc.array(
    fc.tuple(path, optional("expr", expression)).map(([at, rest]) => ({ path: at, ...rest })),
    { maxLength: 3 },
  ),
);
const otherwise = optional("else", template);
const each = optional("each", fc.record({ name: word, in: expression }));
const step = fc.oneof(
  fc
    .tuple(word, keys, view, otherwise)
    .map(([table, key, ...rest]) => Object.assign({ op: "read", table, key }, ...rest)),
  fc
    .tuple(
      word,
      optional("where", expression),
      optional("order_by", fc.record({ path, desc: fc.boolean() })),
      optional("limit", expression),
      view,
    )
    .map(([table, ...rest]) => Object.assign({ op: "list", table }, ...rest)),
  fc
    .tuple(word, fc.array(sets, { maxLength: 3 }), template, guards, view, each)
    .map(([table, set, key, require, ...rest]) => Object.assign({ op: "insert", table, set, key, require }, ...rest)),
  fc
    .tuple(word, keys, fc.array(sets, { minLength: 1, maxLength: 3 }), guards, view, otherwise, each)
    .map(([table, key, set, require, ...rest]) => Object.assign({ op: "update", table, key, set, require }, ...rest)),
  fc
    .tuple(word, keys, guards, view, otherwise, each)
    .map(([table, key, require, ...rest]) => Object.assign({ op: "delete", table, key, require }, ...rest)),
  fc.record({ op: fc.constant("let"), name: word, expr: expression }),
  fc.record({ op: fc.constant("answer"), expr: expression }),
  fc.record({ op: fc.constant("say"), template }),
  fc.tuple(template, optional("when", expression)).map(([text, rest]) => ({ op: "refuse", template: text, ...rest })),
  fc.constant({ op: "recorded" }),
);
const behaviour = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => ({ v: 1, steps }) as Behaviour);

describe("the one-line form", () => {
  it("prints and parses every behaviour without loss, both ways", () => {
    fc.assert(
      fc.property(behaviour, (made) => {
        expect(Behaviour.parse(made)).toEqual(made);
        const line = printLine(made);
        expect(parseLine(line)).toEqual(made);
        expect(printLine(parseLine(line))).toBe(line);
        // A step on each line says the same.
        expect(printLine(parseLine(printLines(made)))).toBe(line);
      }),
      { numRuns: 2000 },
    );
  });

  it("reads the example of the language", () => {
    const line =
      'let price = 3; update reservations by reservation_id set cabin = {cabin}, payments append {"amount": price * 2} require row.status != "flown" else error "already flown"';
    expect(parseLine(line).steps[1]).toEqual({
      op: "update",
      table: "reservations",
      key: [{ column: "reservation_id" }],
      set: [
        { path: "cabin", op: "=", expr: "{cabin}" },
        { path: "payments", op: "append", expr: '{"amount": price * 2}' },
      ],
      require: [{ expr: 'row.status != "flown"', error: "already flown" }],
    });
    expect(printLine(parseLine(line))).toBe(line);
  });

  it("puts an expression on one line without touching its tokens", () => {
    expect(oneLine("  a.b // why\n  +\n 'x // y\\n'  ")).toBe("a.b + 'x // y\\n'");
    const spread: Behaviour = { v: 1, steps: [{ op: "answer", expr: "args.a\n + 1 " }] };
    expect(printLine(spread)).toBe("answer args.a + 1");
  });

  it("refuses to print what could not be read back", () => {
    expect(() => printLine({ v: 1, steps: [{ op: "answer", expr: "1 2" }] })).toThrow();
    expect(() =>
      printLine({ v: 1, steps: [{ op: "list", table: "t", order_by: { path: "a b", desc: false } }] }),
    ).toThrow();
  });
});

const MODEL = {
  tables: [
    { name: "reservations", key: ["id"], columns: [] },
    { name: "orders", key: ["id"], columns: [] },
  ],
};

describe("errors point at the word that is wrong", () => {
  const cases: readonly [line: string, word: string, expected: string][] = [
    ["raed orders by id", "raed", "read, list"],
    ["read order by id", "order", "a table: reservations, orders"],
    ["read orders id", "id", "by"],
    ["read orders by id els error 'x'", "els", "; or the end"],
    ['read orders by id else "gone"', '"gone"', "error"],
    ["let x = 1 + + 2", "+ 2", "an expression"],
    ["answer total + 1", "total", "a known name: args, now"],
    ["let total = 1; answer totl", "totl", "a known name: args, now, total"],
    ["list orders where row.x = 3", "= 3", "; or the end"],
    ["answer rows(ordres).size()", "ordres", "a table"],
    ["update orders by id set a == 3", "== 3", "=, +=, -=, append or remove"],
    ['answer "hello {nmae + 1}"', "nmae", "a known name"],
    ['answer "a \\" \\u0041 {zork(1)}"', "zork", "a function"],
    ['answer "a {b"', "{b", "a closing }"],
    ['refuse "no" when args.x +', "", "an expression"],
    ['refuse "{zork}" when zork', "zork", "a known name"],
    ["refuse no", "no", "a text in double quotes"],
    ["let row = 1; recorded", "row", "a name of its own"],
    ['insert orders set a = 1 key "{q}{n:99}"', "{n:99}", "a width from 1 to 64"],
    ["answer args.x.shout()", "shout", "a function of a value"],
    ["answer args.x.filter(1, true)", "1, true", "an expression"],
    ["update orders by id set seats[args.c + ].n = 1", "]", "an expression"],
    ["answer math.cube(2)", "math.cube", "a function of math"],
    ["answer 9007199254740993", "9007199254740993", "a whole number within 2^53"],
    ["answer 'open", "'open", "a closing quote"],
    ["delete orders by id;", "", "read, list"],
    ["", "", "read, list"],
  ];
  for (const [line, at, expected] of cases)
    it(line === "" ? "(nothing)" : line, () => {
      const read = readBehaviour(line, MODEL);
      if (!("issues" in read)) throw new Error("was accepted");
      const issue = read.issues[0];
      expect(issue?.path).toBe("");
      expect(line.slice(issue?.at)).toMatch(new RegExp(`^${at.replace(/[^\w ]/g, "\\$&")}`));
      expect(issue?.expected).toContain(expected);
    });

  it("names the part of a JSON form and the offset in it", () => {
    const given = {
      v: 1,
      steps: [
        {
          op: "update",
          table: "orders",
          key: [{ column: "id" }],
          set: [{ path: "n", op: "=", expr: "args.a + bogus" }],
          require: [],
        },
      ],
    };
    expect(readBehaviour(given, MODEL)).toEqual({
      issues: [{ path: "steps[0].set[0].expr", at: 9, word: "bogus", expected: "a known name: args, row, now" }],
    });
    expect(readBehaviour({ v: 1, steps: [{ op: "raed" }] }, MODEL)).toHaveProperty("issues.0.path", "steps[0].op");
    expect(readBehaviour({ v: 1, steps: [{ op: "answer", expr: "args.a" }] }, MODEL)).toHaveProperty("behaviour");
  });
});

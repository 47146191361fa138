import { expect, it } from "vitest";
import { observe } from "../../../../worlds/compile/observations.ts";
import { arg, column, type Env, evaluate } from "../../../../worlds/compile/programs/expressions/expr.ts";
import { type Example, fitExpression } from "../../../../worlds/compile/programs/expressions/fit.ts";
import { FIELDS, findValues, objectsIn } from "../../../../worlds/compile/programs/state/row-paths.ts";

/** A catalogue whose answers hold a map of prices by article, and the shop that sells them. */
const sessions = observe(
  Array.from({ length: 3 }, (_, s) => ({
    id: `s${s}`,
    calls: [
      {
        tool: "catalogue",
        args: {},
        isError: false,
        result: {
          shop: { name: "north", city: "Oslo" },
          prices: Object.fromEntries(
            Array.from({ length: FIELDS }, (_, i) => [`article-${s * 20 + i}`, { price: i, stock: 1 }]),
          ),
        },
      },
    ],
  })),
);

it("takes a map by key for a value, and an object with fields for an object", () => {
  const values = findValues(sessions);
  expect([...(values.get("catalogue") ?? [])]).toEqual(["$.prices"]);
  const [call] = sessions[0]?.calls ?? [];
  const paths = [...objectsIn(call?.value ?? null, values.get("catalogue") ?? new Set())].map(({ path }) => path);
  expect(paths).toEqual(["$", "$.shop"]);
});

it("finds a sum, a rule by cases and nothing in noise, each as evaluating them says", () => {
  const env = (args: Record<string, number | string>): Env => ({
    args,
    facts: { cells: new Map(), tables: new Map() },
  });
  const examples = (target: (n: number, kind: string) => number): Example[] =>
    Array.from({ length: 40 }, (_, i) => {
      const n = (i * 37) % 101;
      const kind = i % 2 === 0 ? "up" : "down";
      return { env: env({ n, step: 3 + (i % 5), kind }), target: target(n, kind), session: i };
    });
  const terms = [arg("n"), arg("step"), arg("kind")];
  const told = (all: Example[]) => {
    const found = fitExpression(all, terms);
    const right = all.filter(({ env: at, target }) => found && evaluate(found.expr, at) === target).length;
    expect(found?.right ?? 0).toBe(right);
    return { op: found?.expr.op, right };
  };
  const sums = examples((n) => n).map((one) => ({
    ...one,
    target: Number(one.env.args.n) + Number(one.env.args.step),
  }));
  expect(told(sums)).toEqual({ op: "add", right: 40 });
  expect(told(examples((n, kind) => (kind === "up" ? n + 1000 : n - 1000)))).toEqual({ op: "decide", right: 40 });
  expect(told(examples((n) => (n * n * 7919) % 1009)).right).toBeLessThan(10);
});

it("takes an argument where it is given, though the sessions give either it or another one", () => {
  const row = { title: "old", note: "was" };
  const env = (args: Record<string, string>): Env => ({ args, row, facts: { cells: new Map(), tables: new Map() } });
  const examples = Array.from({ length: 20 }, (_, i): Example => {
    const args: Record<string, string> = i % 2 === 0 ? { title: `new ${i}` } : { note: `is ${i}` };
    return { env: env(args), target: args.title ?? "old", session: i };
  });
  const found = fitExpression(examples, [arg("note"), arg("title")], column("row", "title"), 2, "title");
  expect(found?.right).toBe(20);
  expect(found && evaluate(found.expr, env({ title: "newest", note: "both" }))).toBe("newest");
});

it("tells a value by the few words of an argument from six calls with each, and nothing in noise", () => {
  const hours: Record<string, number> = { low: 72, normal: 48, high: 8, urgent: 2 };
  const words = [...Object.keys(hours), undefined];
  const examples = (target: (word: string, i: number) => number): Example[] =>
    Array.from({ length: words.length * 6 }, (_, i) => {
      const word = words[i % words.length];
      const args = word === undefined ? {} : { priority: word };
      return {
        env: { args, facts: { cells: new Map(), tables: new Map() } },
        target: target(word ?? "normal", i),
        session: i,
      };
    });
  expect(
    fitExpression(
      examples((word) => hours[word] as number),
      [arg("priority")],
    )?.right,
  ).toBe(30);
  const noise = fitExpression(
    examples((_, i) => (i * 7919) % 4),
    [arg("priority")],
  );
  expect(noise?.right ?? 0).toBeLessThan(10);
});

import { describe, expect, it } from "vitest";
import { findConditions } from "../../../../worlds/compile/conditions/conditions.ts";
import { linear } from "../../../../worlds/compile/conditions/linear.ts";
import { findPredicate } from "../../../../worlds/compile/conditions/predicates.ts";
import { findTemplate } from "../../../../worlds/compile/conditions/templates.ts";
import { Env } from "../../../../worlds/compile/conditions/terms.ts";
import { synthesise } from "../../../../worlds/compile/fit/synthesis.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";

function envOf(
  args: readonly JsonObject[],
  rows: readonly JsonObject[] = [],
  tables: Record<string, Record<string, JsonObject>> = {},
): Env {
  const keyed = Object.keys(tables).map((name) => ({ name, key: ["id"] }));
  const env = new Env(args.length, keyed, (_, table, key) => tables[table]?.[key]);
  env.groups = args.map((_, i) => i);
  for (const name of Object.keys(args[0] ?? {}))
    env.add(
      `args.${name}`,
      args.map((arg) => arg[name] as Json),
      1,
    );
  if (rows.length > 0) env.add("it", rows, 1);
  env.pick();
  env.join();
  return env;
}

describe("synthesise", () => {
  it("finds arithmetic over rows and arguments, money without binary noise", () => {
    const args = [{ n: 3 }, { n: 7 }, { n: 2 }, { n: 5 }];
    const rows = [{ price: 0.1 }, { price: 2.35 }, { price: 19.99 }, { price: 4 }];
    const env = envOf(args, rows);
    expect(
      synthesise(
        env,
        args.map(({ n }, i) => Number((n * (rows[i]?.price ?? 0)).toFixed(2))),
      )?.cel,
    ).toMatch(/^(args\.n \* it\.price|it\.price \* args\.n)$/);
  });

  it("keeps the noise of binary fractions where what was observed has it", () => {
    const args = [{ paid: 52.1 }, { paid: 100.3 }, { paid: 7.77 }, { paid: 88.05 }];
    const rows = [{ price: 19.99 }, { price: 0.1 }, { price: 9.4 }, { price: 70.7 }];
    const noisy = args.map(({ paid }, i) => Math.abs(paid - (rows[i]?.price ?? 0)));
    expect(noisy.some((value) => value !== Number(value.toFixed(2)))).toBe(true);
    const env = envOf(args, rows);
    expect(synthesise(env, noisy)?.cel).toMatch(
      /^math\.abs\(binary_minus\((args\.paid, it\.price|it\.price, args\.paid)\)\)$/,
    );
    const clean = noisy.map((value) => Number(value.toFixed(2)));
    expect(synthesise(envOf(args, rows), clean)?.cel).toMatch(
      /^math\.abs\((args\.paid - it\.price|it\.price - args\.paid)\)$/,
    );
  });

  it("follows ids to rows of other tables, and says when evidence lacks one", () => {
    const tables = { people: { a: { id: "a", name: "Ann" }, b: { id: "b", name: "Bo" }, c: { id: "c", name: "Cy" } } };
    const term = synthesise(envOf([{ who: "a" }, { who: "b" }, { who: "c" }, { who: "zz" }], [], tables), [
      "Ann",
      "Bo",
      "Cy",
      undefined,
    ]);
    expect(term?.cel).toBe('known(lookup("people", args.who)).name');
    expect(term?.vals[3]).toBeUndefined();
  });

  it("maps, sorts, appends and replaces lists", () => {
    const args = [{ ids: ["b", "a"] }, { ids: ["c"] }, { ids: ["z", "y", "x"] }];
    expect(synthesise(envOf(args), [["a", "b"], ["c"], ["x", "y", "z"]])?.cel).toBe("args.ids.sort()");
    const rows = [
      { log: [{ k: "p", v: 1 }] },
      { log: [] },
      {
        log: [
          { k: "p", v: 4 },
          { k: "q", v: 5 },
        ],
      },
    ];
    const more = [{ v: 9 }, { v: 8 }, { v: 7 }];
    const appended = synthesise(
      envOf(more, rows),
      rows.map((row, i) => [...row.log, { k: "paid", v: more[i]?.v as number }]),
    );
    expect(appended?.cel).toBe('it.log + [{"k": "paid", "v": args.v}]');
    const gone = [{ id: "s1" }, { id: "s4" }, { id: "s2" }];
    const lists = [
      [
        { id: "s1", n: 1 },
        { id: "s2", n: 2 },
      ],
      [
        { id: "s4", n: 9 },
        { id: "s5", n: 4 },
      ],
      [
        { id: "s1", n: 3 },
        { id: "s2", n: 3 },
      ],
    ];
    const removed = synthesise(
      envOf(
        gone,
        lists.map((items) => ({ items })),
      ),
      lists.map((items, i) => items.filter((item) => item.id !== gone[i]?.id)),
    );
    expect(removed?.cel).toBe("it.items.filter(x0, x0.id != args.id)");
  });

  it("chooses between two expressions by a condition", () => {
    const rows = [
      { plan: "gold", a: 1, b: 5 },
      { plan: "basic", a: 2, b: 6 },
      { plan: "gold", a: 3, b: 7 },
      { plan: "basic", a: 4, b: 8 },
    ];
    const term = synthesise(
      envOf(
        rows.map((_, i) => ({ i: `q${i}` })),
        rows,
      ),
      [1, 6, 3, 8],
    );
    expect(term?.cel).toMatch(/it\.plan/);
    expect(term?.vals).toEqual([1, 6, 3, 8]);
  });

  it("adds an element where its amount is one, whatever else parts the examples", () => {
    const rows = [
      { log: [{ sum: 4 }], seen: null, due: 3 },
      { log: [{ sum: 5 }], seen: "x", due: 0 },
      { log: [{ sum: 6 }, { sum: 1 }], seen: null, due: 8 },
      { log: [{ sum: 7 }], seen: "y", due: 0 },
    ];
    const added = (owed: readonly number[]) => {
      const due = rows.map((row, i) => ({ ...row, due: owed[i] as number }));
      return synthesise(
        envOf(
          due.map((_, i) => ({ i: `q${i}` })),
          due,
        ),
        due.map((row) => (row.due > 0 ? [...row.log, { sum: row.due }] : row.log)),
      )?.cel;
    };
    expect(added([3, 0, 8, 0])).toBe('it.log + (it.due != 0 ? [{"sum": it.due}] : [])');
    expect(added([3, -2, 8, 0])).toBe('it.log + (it.due > 0 ? [{"sum": it.due}] : [])');
  });

  it("takes a number of an object from the row's column of its name, however often it was the same", () => {
    const tables = { fares: { a: { id: "a", fee: 40 }, b: { id: "b", fee: 40 }, c: { id: "c", fee: 40 } } };
    const args = [{ fare: "a" }, { fare: "b" }, { fare: "c" }];
    const objects = (name: string) => args.map(({ fare }) => ({ fare, [name]: 40 }));
    expect(synthesise(envOf(args, [], tables), objects("fee"))?.cel).toBe(
      '{"fare": args.fare, "fee": known(lookup("fares", args.fare)).fee}',
    );
    expect(synthesise(envOf(args, [], tables), objects("tax"))?.cel).toBe('{"fare": args.fare, "tax": 40}');
  });

  describe("a total", () => {
    const rows = Array.from({ length: 40 }, (_, i) => ({
      base: 100 + 7 * i + ((i * i) % 5),
      bags: i % 5 < 2 ? 0 : 1 + (i % 3),
      meals: [0, 2, 5, 7, 10, 12].includes(i % 20) ? 0 : 1 + (i % 4),
    }));
    const total = rows.map(({ base, bags, meals }) => base + 30 * bags + 12 * meals);
    const ids = rows.map((_, i) => ({ i: `q${i}` }));

    it("is found though each part explains few examples by itself, if it explains all", () => {
      expect(linear(envOf(ids, rows), total)?.vals).toEqual(total);
      expect(linear(envOf(ids, rows), total, "", 0.9)).toBeUndefined();
    });

    it("is found beside columns that happen to be the total oftener than any part is", () => {
      const decoys = (i: number) =>
        Object.fromEntries(
          Array.from({ length: 8 }, (_, k) => [
            `other${k}`,
            i % 5 === k % 5 ? (total[i] as number) : 5000 + ((i * 37 + k * 101) % 997),
          ]),
        );
      const env = envOf(
        ids,
        rows.map((row, i) => ({ ...row, ...decoys(i) })),
      );
      expect(linear(env, total)?.vals).toEqual(total);
    });
  });

  it("takes no number of a single question for a rule, and no sum of two of many numbers", () => {
    const rows = [{ a: 17, b: 5, c: 61 }];
    const one = (value: number) => synthesise(envOf([{ i: "q" }], rows), [value]);
    expect(one(250)).toBeUndefined();
    expect(one(22)).toBeUndefined();
    expect(one(1)?.cel).toBe("1");
    const two = [
      { a: 17, b: 5, c: 61 },
      { a: 4, b: 90, c: 33 },
    ];
    const args = [{ i: "q" }, { i: "r" }];
    expect(synthesise(envOf(args, two), [22, 94])?.cel).toBe("it.a + it.b");
    expect(synthesise(envOf(args, two), [250, 250])?.cel).toBe("250");
  });

  it("takes no value of a single example for a rule", () => {
    expect(synthesise(envOf([{ a: 1 }, { a: 2 }]), [undefined, { code: "X-91" }])).toBeUndefined();
    expect(synthesise(envOf([{ a: "x" }, { a: "y" }]), ["k-17", "q-80"])).toBeUndefined();
  });
});

describe("findPredicate", () => {
  it("finds the rule that parts refusals from successes", () => {
    const rows = [{ left: 5 }, { left: 1 }, { left: 0 }, { left: 9 }, { left: 2 }];
    const args = [{ n: 3 }, { n: 2 }, { n: 1 }, { n: 9 }, { n: 3 }];
    expect(findPredicate(envOf(args, rows), [1, 2, 4], [0, 3])?.cel).toBe("args.n > it.left");
  });
  it("names no single code when only rules are wanted", () => {
    const rows = [{ code: "AB1" }, { code: "CD2" }, { code: "EF3" }];
    const noArgs = rows.map(() => ({}));
    expect(findPredicate(envOf(noArgs, rows), [0], [1, 2])?.cel).toBe('it.code == "AB1"');
    expect(findPredicate(envOf(noArgs, rows), [0], [1, 2], { general: true })).toBeUndefined();
  });
});

describe("findTemplate", () => {
  it("fills what varies from arguments and rows, phrases whole and money as printed", () => {
    const args = [{ id: "P-1" }, { id: "P-2" }, { id: "P-3" }];
    const rows = [
      { name: "Oak Shelf", price: 5.5 },
      { name: "Lamp", price: 12 },
      { name: "Big Red Box", price: 0.25 },
    ];
    const texts = rows.map((row, i) => `Only ${row.price.toFixed(2)} paid for ${row.name} (${args[i]?.id})`);
    expect(findTemplate(envOf(args, rows), texts, synthesise)?.text).toBe(
      "Only {fixed(it.price, 2)} paid for {it.name} ({id})",
    );
  });
});

describe("findConditions", () => {
  it("prefers equality, then looser tests that the names suggest", () => {
    const pairs = [
      { args: { city: "Rome", min_price: 5, q: "lamp" }, row: { city: "Rome", price: 9, name: "Desk Lamp" } },
      { args: { city: "Oslo", min_price: 2, q: "box" }, row: { city: "Oslo", price: 2, name: "Big Box" } },
      { args: { city: "Oslo", min_price: 1, q: "SHELF" }, row: { city: "Oslo", price: 7, name: "Shelf" } },
    ];
    const found = findConditions(["city", "min_price", "q"], pairs, "row");
    expect([...found.values()].map(({ cel }) => cel)).toEqual([
      "row.city == args.city",
      "row.price >= args.min_price",
      "row.name.lower().contains(args.q.lower())",
    ]);
  });
});

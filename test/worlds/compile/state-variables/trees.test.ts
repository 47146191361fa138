import { expect, test } from "vitest";
import type { Case } from "../../../../worlds/compile/state-variables/cases.ts";
import { crossValidatedTree } from "../../../../worlds/compile/state-variables/rules/cross-validate-tree.ts";
import { fitTree } from "../../../../worlds/compile/state-variables/rules/fit-tree.ts";
import { applied, findRules } from "../../../../worlds/compile/state-variables/rules/rules.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";

const random = new Random(7);
const one = (features: Record<string, string>, value: string, session: number): Case => ({
  features: new Map(Object.entries(features)),
  value,
  session,
});
const NAMES = ["level", "other", "power", "wired"];
const features = (i: number) => ({
  level: String(random.int(1, 40)),
  other: random.pick(["a", "b", "c"]),
  power: i % 5 === 0 ? "off" : "on",
  wired: random.pick(["yes", "no"]),
});

/** On where there is power and a wire, or charge enough; each looked at only where it decides. */
const cases = Array.from({ length: 160 }, (_, i) => {
  const given = features(i);
  const on = given.power === "on" && (given.wired === "yes" || Number(given.level) > 20);
  return one(given, on ? "running" : "still", i % 40);
});

test("a value that several features decide is found, and told of what was never seen", () => {
  const rules = findRules(cases, NAMES);
  expect(applied(rules, new Map([["power", "off"]]))).toBe("still");
  expect(applied(rules, new Map(Object.entries({ power: "on", wired: "yes", level: "3" })))).toBe("running");
  expect(applied(rules, new Map(Object.entries({ power: "on", wired: "no", level: "55" })))).toBe("running");
  expect(applied(rules, new Map(Object.entries({ power: "on", wired: "no", level: "2" })))).toBe("still");
  expect(applied(rules, new Map([["wired", "yes"]]))).toBeUndefined();
});

test("what a value took the place of is one of its ends: it stays, moves by as much as is said, or is cut off", () => {
  const moved = Array.from({ length: 120 }, (_, i) => {
    const [before, by] = [random.int(5, 30), String(random.pick([1, 2, 5]))];
    const locked = i % 3 === 0 ? "yes" : "no";
    const after = locked === "yes" ? before : before + Number(by);
    return one({ "args.by": by, level: String(before), locked }, String(after), i % 29);
  });
  const rules = findRules(moved, ["args.by", "level", "locked"], "level");
  const told = (given: Record<string, string>) => applied(rules, new Map(Object.entries(given)));
  expect(told({ "args.by": "5", level: "20", locked: "no" })).toBe("25");
  expect(told({ "args.by": "5", level: "20", locked: "yes" })).toBe("20");
});

test("an end that stood at one value only tells nothing of others", () => {
  const stood = Array.from({ length: 60 }, (_, i) => {
    const set = i % 2 === 0 ? "ask" : "set";
    return one({ "args.do": set, mode: set === "ask" ? "quiet" : i % 4 === 1 ? "quiet" : "loud" }, "quiet", i % 20);
  });
  const tree = fitTree(stood, ["args.do", "mode"], "mode");
  expect(tree?.root).toMatchObject({ kind: "leaf", model: { kind: "constant", value: "quiet" } });
  const asked = stood.filter(({ features: given }) => given.get("args.do") === "ask");
  const only = fitTree(asked, ["args.do", "mode"], "mode");
  expect(only && applied([only], new Map([["mode", "loud"]]))).toBeUndefined();
  expect(only && applied([only], new Map([["mode", "quiet"]]))).toBe("quiet");
});

test("chance is no rule: a value that nothing decides is told of nothing that was not seen often", () => {
  const noise = Array.from({ length: 120 }, (_, i) => one(features(i), random.pick(["x", "y", "z", "w"]), i % 40));
  const proven = crossValidatedTree(noise, NAMES);
  expect((proven?.right ?? 0) + (proven?.wrong ?? 0)).toBeLessThan(noise.length * 0.1);
});

test("of few groups of sessions anything tells which one it is: what they agree on must be more than chance", () => {
  const draw = new Random(5);
  const names = Array.from({ length: 10 }, (_, k) => `mark_${k}`);
  const groups = Array.from({ length: 6 }, (_, g) => ({
    marks: Object.fromEntries(names.map((name) => [name, draw.pick(["x", "y"])])),
    value: g % 2 ? "on" : "off",
  }));
  const cases = Array.from({ length: 36 }, (_, i) => {
    const { marks, value } = groups[i % 6] as (typeof groups)[number];
    return one(marks, value, i % 6);
  });
  expect(findRules(cases, names).length).toBeGreaterThan(0);
  expect(findRules(cases, names, undefined, 6).filter(({ kind }) => kind === "table")).toEqual([]);
});

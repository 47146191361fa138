import { expect, test } from "vitest";
import type { Pair } from "../../../../worlds/compile/state-variables/cases.ts";
import { refusalEffects } from "../../../../worlds/compile/state-variables/rules/refusals.ts";
import { applied } from "../../../../worlds/compile/state-variables/rules/rules.ts";

const pair = (before: string, value: string, session: number): Pair => ({
  before,
  one: { features: new Map([["r_left", before]]), value, session },
  shared: false,
});
const effects = (pairs: readonly Pair[]) =>
  refusalEffects(new Map([["enter\n!wrong", new Map([["r_left", pairs]])]]), new Map());

test("a refusal that counts down is learnt, and applied to what was never seen", () => {
  const pairs = [3, 2, 5, 3, 2, 4].map((n, i) => pair(String(n), String(n - 1), i));
  const rules = effects(pairs).get("enter\n!wrong")?.get("r_left") ?? [];
  expect(applied(rules, new Map([["r_left", "9"]]))).toBe("8");
});

test("a refusal leaves alone what mostly stays, or changes too seldom to tell", () => {
  const stays = Array.from({ length: 9 }, (_, i) => pair("3", i < 3 ? "2" : "3", i));
  expect(effects(stays).size).toBe(0);
  expect(effects([pair("3", "2", 0), pair("2", "1", 1)]).size).toBe(0);
});

test("a change that nothing foretells is no effect of the refusal", () => {
  const odd = ["7", "1", "9", "4", "2", "8"].map((value, i) => pair("3", value, i));
  expect(effects(odd).size).toBe(0);
});

import { describe, expect, it } from "vitest";
import type { BaseState } from "../../../worlds/bundle.ts";
import { judge } from "../../../worlds/tasks/grading/grade.ts";
import type { Check, FinishedTrial } from "../../../worlds/tasks/schema.ts";
import { shop } from "../fixtures/shop.ts";
import { ASKS } from "./equal-answers/asks.ts";
import * as CLINIC from "./equal-answers/clinic.ts";
import { FACTS } from "./equal-answers/facts.ts";
import * as HOME from "./equal-answers/home.ts";
import { NO_DATA } from "./equal-answers/no-data.ts";
import { ASKS as OFFICE_ASKS } from "./equal-answers/office/asks.ts";
import { FACTS as OFFICE_FACTS } from "./equal-answers/office/facts.ts";
import { NO_DATA as OFFICE_NO_DATA } from "./equal-answers/office/no-data.ts";
import { REFUSALS as OFFICE_REFUSALS } from "./equal-answers/office/refusals.ts";
import { REFUSALS } from "./equal-answers/refusals.ts";
import * as ROAD from "./equal-answers/road.ts";
import type { AnswerCase } from "./equal-answers/table.ts";
import * as TOWN from "./equal-answers/town.ts";

const PRODUCTS: BaseState = {
  ...({} as BaseState),
  tables: {
    products: {
      "P-7713": { product_id: "P-7713", name: "Copper Kettle", price: 40 },
      "P-9002": { product_id: "P-9002", name: "Steel Kettle", price: 40 },
      "P-9003": { product_id: "P-9003", name: "Tea Pot", price: 20 },
    },
  },
};

function checksOf(one: AnswerCase, family: string): Check[] {
  if (one.about) return [{ kind: "asks", about: one.about }];
  if (one.facts) return [{ kind: "answer_includes", facts: one.facts }];
  return [{ kind: "answer_class", class: family === "no data" ? "said_no_data" : "refused" }];
}

function verdictOf(one: AnswerCase, family: string, text: string): string {
  const trial: FinishedTrial = {
    calls: (one.calls ?? []).map(({ tool, args, answer, error }) => ({
      tool,
      args,
      answer,
      answer_class: error ? "refused" : "data",
      is_error: error === true,
      changed: false,
    })),
    answers: [{ text }],
    diff: [],
  };
  const env = { bundle: shop, base: PRODUCTS };
  const all = checksOf(one, family).map((check) => judge(check, trial, env, undefined, one.request).verdict);
  return all.includes("not_met") ? "not_met" : all.includes("not_decided") ? "not_decided" : "met";
}

const FAMILIES: Readonly<Record<string, readonly AnswerCase[]>> = {
  asking: [...ASKS, ...OFFICE_ASKS, ...HOME.ASKS, ...TOWN.ASKS, ...ROAD.ASKS],
  "no data": [...NO_DATA, ...OFFICE_NO_DATA, ...HOME.NO_DATA, ...TOWN.NO_DATA, ...ROAD.NO_DATA],
  refusing: [...REFUSALS, ...OFFICE_REFUSALS, ...HOME.REFUSALS, ...CLINIC.REFUSALS, ...ROAD.REFUSALS],
  facts: [...FACTS, ...OFFICE_FACTS, ...HOME.FACTS, ...CLINIC.FACTS, ...ROAD.FACTS],
};

const rows = Object.entries(FAMILIES).flatMap(([family, cases]) =>
  cases.flatMap((one) =>
    (["right", "wrong"] as const).flatMap((side) =>
      one[side].map((text) => ({ family, side, text, verdict: verdictOf(one, family, text) })),
    ),
  ),
);

// Finding B31: its sentences stand among the right answers of the table.
describe("answers in people's own words", () => {
  for (const family of Object.keys(FAMILIES)) {
    const of = (side: string) => rows.filter((row) => row.family === family && row.side === side);
    it(`${family}: right ones are met, at least 98 in 100`, () => {
      const missed = of("right").filter(({ verdict }) => verdict !== "met");
      expect(of("right").length).toBeGreaterThanOrEqual(200);
      expect(missed.length / of("right").length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(0.02);
    });
    it(`${family}: no wrong one is met, and few are left undecided`, () => {
      const passed = of("wrong").filter(({ verdict }) => verdict === "met");
      const open = of("wrong").filter(({ verdict }) => verdict === "not_decided");
      expect(of("wrong").length).toBeGreaterThanOrEqual(199);
      expect(passed, JSON.stringify(passed, null, 1)).toEqual([]);
      expect(open.length / of("wrong").length, JSON.stringify(open, null, 1)).toBeLessThanOrEqual(0.05);
    });
  }
});

import { describe, expect, it } from "vitest";
import type { BaseState } from "../../../worlds/bundle.ts";
import { judge } from "../../../worlds/tasks/grading/grade.ts";
import type { Check, FinishedTrial } from "../../../worlds/tasks/schema.ts";
import { shop } from "../fixtures/shop.ts";
import { ASKS } from "./equal-answers/asks.ts";
import * as CLINIC from "./equal-answers/clinic.ts";
import { FACTS } from "./equal-answers/facts.ts";
import * as HOME from "./equal-answers/home.ts";
import * as MODELS from "./equal-answers/models/open.ts";
import * as MODELS_TOLD from "./equal-answers/models/told.ts";
import { NO_DATA } from "./equal-answers/no-data.ts";
import { ASKS as OFFICE_ASKS } from "./equal-answers/office/asks.ts";
import { FACTS as OFFICE_FACTS } from "./equal-answers/office/facts.ts";
import { NO_DATA as OFFICE_NO_DATA } from "./equal-answers/office/no-data.ts";
import { REFUSALS as OFFICE_REFUSALS } from "./equal-answers/office/refusals.ts";
import { REFUSALS } from "./equal-answers/refusals.ts";
import * as ROAD from "./equal-answers/road.ts";
import type { AnswerCase, MadeCall } from "./equal-answers/table.ts";
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
  return [{ kind: "answer_class", class: one.class ?? (family === "no data" ? "said_no_data" : "refused") }];
}

function verdictOf(one: AnswerCase, family: string, text: string, did: readonly MadeCall[] = []): string {
  const trial: FinishedTrial = {
    calls: [...(one.calls ?? []), ...did].map(({ tool, args, answer, error, changed }) => ({
      tool,
      args,
      answer,
      answer_class: error ? "refused" : "data",
      is_error: error === true,
      changed: changed === true,
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

/** Longer answers, as models word them. */
const OF_MODELS: Readonly<Record<string, readonly AnswerCase[]>> = {
  asking: MODELS.ASKS,
  "no data": MODELS.NO_DATA,
  refusing: MODELS_TOLD.REFUSALS,
  facts: MODELS_TOLD.FACTS,
};

const rowsOf = (families: typeof FAMILIES) =>
  Object.entries(families).flatMap(([family, cases]) =>
    cases.flatMap((one) =>
      (["right", "wrong"] as const).flatMap((side) =>
        one[side].map((said) => {
          const { text, did } = typeof said === "string" ? { text: said, did: [] } : said;
          return { family, side, text, verdict: verdictOf(one, family, text, did) };
        }),
      ),
    ),
  );

// Finding B31: its sentences stand among the right answers of the table.
const rows = rowsOf(FAMILIES);

describe("answers as models word them", () => {
  const all = rowsOf(OF_MODELS);
  it.each([
    ["right", "met", 0.98],
    ["wrong", "not_met", 0.99],
  ])("of those decided, %s ones are %s, and few are left open", (side, due, share) => {
    const of = all.filter((row) => row.side === side);
    const decided = of.filter(({ verdict }) => verdict !== "not_decided");
    const other = decided.filter(({ verdict }) => verdict !== due);
    expect(of.length).toBeGreaterThan(100);
    expect(1 - other.length / decided.length, JSON.stringify(other, null, 1)).toBeGreaterThanOrEqual(share);
    expect(1 - decided.length / of.length).toBeLessThanOrEqual(0.05);
  });
});

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
  it.each(MODELS_TOLD.CHANGES[0]?.right ?? [])("that a change was made is an answer: %s", (text) =>
    expect(verdictOf(MODELS_TOLD.CHANGES[0] as AnswerCase, "changes", text)).toBe("met"),
  );
  it.each((MODELS_TOLD.CHANGES[0]?.wrong ?? []) as string[])("that none could be made is none: %s", (text) => {
    const { calls, ...one } = MODELS_TOLD.CHANGES[0] as AnswerCase;
    expect(verdictOf({ ...one, calls: calls?.slice(0, 1) ?? [] }, "changes", text)).toBe("not_met");
  });
});

import { describe, expect, it } from "vitest";
import type { BaseState } from "../../../../worlds/bundle.ts";
import { judge } from "../../../../worlds/tasks/grading/grade.ts";
import type { Check, FinishedTrial } from "../../../../worlds/tasks/schema.ts";
import { shop } from "../../fixtures/shop.ts";

interface Case {
  readonly request: string;
  readonly right: readonly string[];
  readonly wrong: readonly string[];
  /** What is told beside the right ones and sets them apart. */
  readonly met: readonly string[];
  /** What says that a wrong one qualifies. */
  readonly notMet: readonly string[];
}

const CASES: readonly Case[] = [
  {
    request: "Which items on my order cost more than $40 each?",
    right: ["Copper Kettle"],
    wrong: ["Granite Mortar", "Linen Apron"],
    met: [
      "Only the Copper Kettle, at $54.90. The Granite Mortar is $28.50, so it is below $40.",
      "The Copper Kettle ($54.90), while the Granite Mortar is cheaper at $28.50.",
      "The Copper Kettle. The other items, the Granite Mortar and the Linen Apron, don't.",
      "The Copper Kettle does; the Granite Mortar and the Linen Apron are under $40.",
      "The Copper Kettle does. Granite Mortar and Linen Apron do not.",
      "The Copper Kettle costs more than $40, while the Granite Mortar at $28.50 does not.",
      "- Copper Kettle: $54.90\n- Granite Mortar: $28.50\nOnly the Copper Kettle costs more than $40.",
      "The order has the Granite Mortar ($28.50) and the Copper Kettle ($54.90). The one above $40 is the Copper Kettle.",
      "Granite Mortar ($28.50) and Copper Kettle ($54.90). So more than $40: Copper Kettle.",
      "- Granite Mortar: $28.50\n- Copper Kettle: $54.90\n\nSo the answer is the Copper Kettle.",
      "| Item | More than $40? |\n|---|---|\n| Granite Mortar | no |\n| Copper Kettle | yes |",
    ],
    notMet: [
      "The Copper Kettle and the Granite Mortar.",
      "The Copper Kettle. The Granite Mortar costs more than $40 too.",
      "The Copper Kettle and the other one, the Granite Mortar.",
      "Copper Kettle ($54.90), Granite Mortar ($28.50).",
      "- Copper Kettle: $54.90\n- Granite Mortar: $28.50",
      "Only the Copper Kettle at $54.90 and the Granite Mortar at $28.50.",
      "The Copper Kettle. The other item that costs more than $40 is the Granite Mortar.",
      "The Copper Kettle is below the Granite Mortar.",
      "Copper Kettle ($54.90), Granite Mortar ($28.50). Both cost more than $40; the Copper Kettle is more expensive.",
      "The Copper Kettle costs more than $40. So does the Granite Mortar at $28.50.",
      "The Copper Kettle costs more than $40. And the Granite Mortar at $28.50.",
      "| Item | More than $40? |\n|---|---|\n| Granite Mortar | yes |\n| Copper Kettle | yes |",
    ],
  },
  {
    request: "Which items on my order cost less than $60?",
    right: ["Granite Mortar", "Copper Kettle"],
    wrong: ["Linen Apron"],
    met: [
      "Granite Mortar costs $28.50, Copper Kettle $54.90, Linen Apron $72. The Granite Mortar and the Copper Kettle cost less than $60.",
    ],
    notMet: [
      "Granite Mortar costs $28.50, Copper Kettle $54.90, Linen Apron $72. Only the Granite Mortar costs less than $60.",
      "Granite Mortar costs $28.50, Copper Kettle $54.90, Linen Apron $72. The Granite Mortar and the Linen Apron cost less than $60.",
    ],
  },
  {
    request: "Which flight on reservation S5IK51 has the highest price?",
    right: ["HAT208"],
    wrong: ["HAT036"],
    met: [
      "HAT208 from EWR to MSP, at $1,406. The other flight, HAT036, is $424.",
      "HAT208 ($1,406), followed by HAT036 ($424).",
      "HAT208 at $1,406, compared with $424 for HAT036.",
      "It's HAT208 ($1,406); HAT036 is $424.",
      "- HAT208: $1,406\n- HAT036: $424\nHAT208 has the highest price.",
      "There are two flights, HAT208 at $1,406 and HAT036 at $424, so HAT208 is the highest.",
    ],
    notMet: [
      "HAT208 and HAT036.",
      "HAT208 or HAT036.",
      "HAT208. HAT036 is the highest.",
      "HAT208. HAT036 is the highest at $424.",
      "HAT208; HAT036.",
      "- HAT208: $1,406\n- HAT036: $424\nHAT036 has the highest price.",
      "There are two flights, HAT208 at $1,406 and HAT036 at $424, so HAT208 and HAT036 are the highest.",
      "HAT208, and HAT036 is as high as the other.",
    ],
  },
  {
    request: "Which of my orders has the lowest total?",
    right: ["Order A"],
    wrong: ["Order B"],
    met: ["Order A. Order B is higher.", "It is Order A; the other, Order B, cost more."],
    notMet: ["Order A. Order B is lower.", "Order A and Order B."],
  },
  {
    request: "What is the reason of refund RF-1?",
    right: ["damaged"],
    wrong: ["other"],
    met: ["It was damaged."],
    notMet: ["It was damaged. Beside that: other."],
  },
];

const env = { bundle: shop, base: { tables: {}, drawn: {} } as unknown as BaseState };

function verdictOf({ request, right, wrong }: Case, text: string): string {
  const trial: FinishedTrial = { calls: [], answers: [{ text }], diff: [] };
  const facts = (values: readonly string[]) => values.map((value) => ({ value, kind: "text" as const }));
  const checks: Check[] = [
    { kind: "answer_includes", facts: facts(right) },
    { kind: "answer_excludes", facts: facts(wrong) },
  ];
  const verdicts = checks.map((check) => judge(check, trial, env, undefined, request, checks).verdict);
  return verdicts.every((verdict) => verdict === "met") ? "met" : "not_met";
}

describe("what is told beside a right answer", () => {
  for (const one of CASES)
    for (const wanted of ["met", "notMet"] as const)
      it.each(one[wanted])(`${one.request} %s: ${wanted}`, (text) =>
        expect(verdictOf(one, text)).toBe(wanted === "met" ? "met" : "not_met"),
      );
});

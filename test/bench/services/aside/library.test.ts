import { expect, test } from "vitest";
import { library } from "../../../../bench/services/aside/library.ts";
import { start } from "../kit.ts";

test("an overdue item comes back with a fine, and blocks no one else", () => {
  const { ask, refusal } = start(library);
  expect(refusal("renew", { card: "L-2041", code: "B105" })).toBe(
    '"Night Train to Varna" is overdue and must be returned.',
  );
  expect(ask("return_item", { card: "L-2041", code: "B105" })).toBe(
    'Thank you, "Night Train to Varna" is back 6 days late. A fine of $1.50 was added; Greta Holm now owes $1.50.',
  );
  expect(ask("pay_fine", { card: "L-2041", amount: 1.5 })).toBe("Received $1.50. The account is clear.");
  expect(ask("overdue_report")).not.toContain("Greta Holm");
});

test("a returned copy is kept for the reader who waits longest", () => {
  const { ask, refusal } = start(library);
  expect(ask("request_hold", { card: "L-3010", code: "B102" })).toContain("number 2 in the queue");
  expect(ask("return_item", { card: "L-2041", code: "B102" })).toContain("hold shelf for Bruno Castell");
  expect(refusal("check_out", { card: "L-3010", code: "B102" })).toContain("kept for another reader");
  expect(ask("check_out", { card: "L-2118", code: "B102" })).toBe(
    '"Rivers of Glass" is lent to Bruno Castell until Tuesday 4 November. The hold is fulfilled.',
  );
  expect(ask("card_summary", { card: "L-3010" })).toContain("number 1 in the queue");
});

test("high fines, reference works and the limit of a junior card stop a loan", () => {
  const { ask, refusal } = start(library);
  expect(refusal("check_out", { card: "L-2093", code: "B101" })).toContain("owes $11.25");
  expect(refusal("check_out", { card: "L-3010", code: "R301" })).toContain("reference work");
  ask("check_out", { card: "L-3010", code: "B101" });
  expect(refusal("check_out", { card: "L-3010", code: "B107" })).toContain("limit of 2 loans");
});

import { expect, it } from "vitest";
import { reasonFor } from "../../../../worlds/tasks/words/reasons.ts";

it.each([
  ["too slow", "since it is too slow"],
  ["no longer needed", "since it is no longer needed"],
  ["ordered by mistake", "since it was ordered by mistake"],
  ["changed my mind", "since I changed my mind"],
  ["moved", "reason: moved"],
  ["wrong item", "reason: wrong item"],
])("a reason %s is said as %s", (reason, said) => {
  expect(reasonFor("reason", reason)).toBe(said);
});

import { expect, it } from "vitest";
import { finalAnswerClass } from "../../../chapters/evidence/traces/final-answer.ts";

it.each([
  ["The product of 42 and 7 is 294. As for the weather, I can’t access current weather information.", "answered"],
  ["It was sent on May 3. Regarding the second parcel, no such parcel was found.", "answered"],
  ["I'm sorry for the trouble. As for the refund, I cannot do it.", "refused"],
  ["I cannot cancel order 17. As for the refund, that is not possible either.", "refused"],
  ["I cannot help with that.", "refused"],
  ["No reservation 12 was found.", "said_no_data"],
] as const)("%s: %s", (answer, wanted) => {
  expect(finalAnswerClass(answer)).toBe(wanted);
});

import { expect, it } from "vitest";
import { periodIn } from "../../../../chapters/findings/assistant/root-period.ts";

/** A Wednesday. */
const NOW = new Date("2026-03-04T15:30:00Z");
const seconds = (at: string) => Date.parse(at) / 1000;

it.each([
  ["Did last night's job finish?", "last night", "2026-03-03T18:00Z", "2026-03-04T12:00Z"],
  ["What happened yesterday?", "yesterday", "2026-03-03", "2026-03-04"],
  ["What ran today?", "today", "2026-03-04", "2026-03-05"],
  ["What did we spend this week?", "this week", "2026-03-02", "2026-03-05"],
  ["Are they different from last week's?", "last week", "2026-02-23", "2026-03-02"],
  ["Spend of the past seven days", "past seven days", "2026-02-26", "2026-03-05"],
  ["What did it cost this month?", "this month", "2026-03-01", "2026-03-05"],
  ["What did it cost last month?", "last month", "2026-02-01", "2026-03-01"],
])("reads a span of time: %s", (text, said, from, to) => {
  expect(periodIn(text, NOW)).toEqual({ said, from: seconds(from), to: seconds(to) });
});

it("reads none where none is named", () => {
  expect(periodIn("Which jobs failed?", NOW)).toBeUndefined();
});

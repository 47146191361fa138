import { expect, it } from "vitest";
import { isoWeek, lastCompleteWeek, weekBounds } from "../../chapters/iso-week.ts";

const at = (text: string) => Date.parse(text) / 1000;

it.each([
  ["2026-11-16T00:00:00Z", "2026-W47"],
  ["2026-11-15T23:59:59Z", "2026-W46"],
  ["2026-11-22T23:59:59Z", "2026-W47"],
  ["2027-01-01T12:00:00Z", "2026-W53"],
  ["2027-01-04T00:00:00Z", "2027-W01"],
  ["2024-12-30T00:00:00Z", "2025-W01"],
  ["2021-01-03T23:59:59Z", "2020-W53"],
  ["1970-01-01T00:00:00Z", "1970-W01"],
])("%s lies in %s", (time, week) => expect(isoWeek(at(time))).toBe(week));

it("the last whole week is the one before", () => {
  expect(lastCompleteWeek(at("2026-11-16T00:00:00Z"))).toBe("2026-W46");
  expect(lastCompleteWeek(at("2026-11-22T23:59:59Z"))).toBe("2026-W46");
});

it("a week begins on the Monday that it is named for and ends as the next begins", () => {
  for (const time of ["2026-11-18T12:00:00Z", "2020-12-31T23:00:00Z", "2021-01-03T23:59:59Z", "2024-12-30T00:00:00Z"]) {
    const { from, to } = weekBounds(isoWeek(at(time)));
    expect([from <= at(time), at(time) < to, to - from]).toEqual([true, true, 7 * 86_400]);
    expect([isoWeek(from), isoWeek(to - 1)]).toEqual([isoWeek(at(time)), isoWeek(at(time))]);
    expect(new Date(from * 1000).getUTCDay()).toBe(1);
  }
});

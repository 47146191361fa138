import { expect, test } from "vitest";
import { calendar } from "../../../../bench/services/aside/calendar.ts";
import { type Data, rowsOf } from "../../../../bench/services/service.ts";
import { start } from "../kit.ts";

test("an event that overlaps names what it conflicts with, and takes the time from the free slots", () => {
  const { row, ask } = start(calendar);
  const emails = ["mara@kite.example"];
  const free = () => rowsOf(ask("find-slots", { emails, date: "2026-02-03", minutes: 30 }));
  expect(free()[0]).toEqual({ start: "2026-02-03T09:15:00+01:00", end: "2026-02-03T14:00:00+01:00" });
  const at = { calendarId: "primary", start: "2026-02-03T09:00:00", end: "2026-02-03T10:00:00" };
  expect(row("create-event", { summary: "Tax", ...at }).conflicts).toEqual(["Dentist"]);
  expect(free()[0]?.start).toBe("2026-02-03T10:00:00+01:00");
});

test("a declined event no longer counts in the report", () => {
  const { row, ask, refusal } = start(calendar);
  const week = { timeMin: "2026-02-04T00:00:00", timeMax: "2026-02-05T00:00:00" };
  const [review] = rowsOf(ask("list-events", { calendarId: "team", ...week })) as Data[];
  const before = row("time-report", week).events as number;
  ask("respond-to-event", { eventId: review?.id, response: "declined" });
  expect(row("time-report", week).events).toBe(before - 1);
  const [fair] = rowsOf(ask("list-events", { calendarId: "holidays" }));
  expect(refusal("delete-event", { eventId: fair?.id })).toContain("writer access");
});

test("a time is shown in other zones, wherever it comes from", () => {
  const { row, refusal } = start(calendar);
  const convert = (time: string) => row("convert-time", { time, timeZone: "Asia/Tokyo" }).converted;
  expect(convert("2026-02-03T20:00:00")).toBe("2026-02-04T04:00:00+09:00");
  expect(convert("2026-02-03T20:00:00Z")).toBe("2026-02-04T05:00:00+09:00");
  expect(refusal("convert-time", { time: "noon", timeZone: "Asia/Tokyo" })).toContain("not an ISO 8601");
});

import { describe, expect, it } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import { newestDeployment } from "../../../worlds/compile/versions/deployments.ts";
import { measure } from "../../../worlds/fidelity/measure.ts";
import { asOfDay, asOfNewestDay, sessionDaysOf } from "../../../worlds/floor/session-days.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";

const DAY = 86_400;
/** 2026-03-01, noon. */
const FIRST = Date.parse("2026-03-01T12:00:00Z") / 1000;
const dayOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

const call = (tool: string, args: JsonObject, result: Json): ObservedCall => ({ tool, args, result, isError: false });

/** A session a day, each with the calls of that day. */
function sessions(n: number, calls: (today: string, i: number) => ObservedCall[], more: Partial<ObservedTrace> = {}) {
  return Array.from({ length: n }, (_, i): ObservedTrace => {
    const startedAt = FIRST + i * DAY;
    return { id: `s${String(i).padStart(3, "0")}`, startedAt, calls: calls(dayOf(startedAt), i), ...more };
  });
}

const json = (value: Json): string => JSON.stringify(value);

describe("what follows the day of a session", () => {
  const opened = (today: string): ObservedCall => call("open", { title: "a" }, json({ id: 7, opened_on: today }));

  it("is a part that shows the day on which each session is held", () => {
    const { parts, ahead } = sessionDaysOf(sessions(8, (today) => [opened(today)]));
    expect([...parts]).toEqual([["open answered /opened_on", new Set([0])]]);
    expect(ahead).toBe(0);
  });

  it("is a day at a fixed distance, too", () => {
    const due = (today: string) => dayOf(Date.parse(`${today}T12:00:00Z`) / 1000 + 14 * DAY);
    const { parts } = sessionDaysOf(sessions(8, (today) => [call("lend", {}, `Due on ${due(today)}.`)]));
    expect([...parts]).toEqual([["lend answered ~on", new Set([14])]]);
  });

  it("is nothing that a few days show, or the sessions of one task on each of them", () => {
    const three = sessions(12, () => []).map((trace, i) => {
      const startedAt = FIRST + (i % 3) * DAY;
      return { ...trace, startedAt, calls: [opened(dayOf(startedAt))] };
    });
    expect(sessionDaysOf(three).parts.size).toBe(0);
    const born = ["1980-05-06", "1991-11-12", "2026-03-01", "2001-01-02"];
    const tasks = sessions(24, (_, i) => [call("who", {}, json({ born: born[Math.floor(i / 6)] as string }))]);
    expect(sessionDaysOf(tasks).parts.size).toBe(0);
  });

  it("is no part of rows that stand on the days that they stand on", () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({ id: i, on: dayOf(FIRST + i * DAY) }));
    expect(sessionDaysOf(sessions(20, () => [call("list", {}, json(rows))])).parts.size).toBe(0);
  });

  it("is a day that stands with a time that is always the same, and no moment of a clock", () => {
    const { parts } = sessionDaysOf(
      sessions(12, (today, i) => [
        call("book", {}, json({ from: `${today}T00:00:00Z`, at: `${today}T0${i % 10}:17:0${i % 7}Z` })),
      ]),
    );
    expect([...parts.keys()]).toEqual(["book answered /from T00:00:00Z"]);
  });

  it("is a part of which some values are old", () => {
    const rows = (today: string) => [{ on: "2026-03-04" }, { on: "2025-12-24" }, { on: today }];
    const { parts } = sessionDaysOf(sessions(12, (today) => [call("list", {}, json(rows(today)))]));
    expect([...parts]).toEqual([["list answered []/on", new Set([0])]]);
  });

  it("is nothing where all sessions were held on one day, or where nobody tells when", () => {
    const all = sessions(8, (today) => [opened(today)]);
    expect(
      sessionDaysOf(all.map((trace) => ({ ...trace, calls: [opened("2026-03-01")], startedAt: FIRST }))).parts.size,
    ).toBe(0);
    expect(sessionDaysOf(all.map(({ startedAt: _, ...trace }) => trace)).parts.size).toBe(0);
  });

  it("is told by a clock that is ahead of UTC", () => {
    const evening = sessions(9, () => []).map((trace, i) => {
      const startedAt = FIRST + i * DAY + (i % 3) * 5 * 3600;
      return { ...trace, startedAt, calls: [opened(dayOf(startedAt + 9 * 3600))] };
    });
    const { parts, ahead } = sessionDaysOf(evening);
    expect([...parts.values()]).toEqual([new Set([0])]);
    expect(
      evening.every(({ startedAt, calls: [one] }) => String(one?.result).includes(dayOf(startedAt + ahead * 3600))),
    ).toBe(true);
  });
});

describe("sessions as of one day", () => {
  const texts = (traces: readonly ObservedTrace[]) => traces.map(({ calls }) => calls.map(({ result }) => result));

  it("show that day where they showed their own, written as they were", () => {
    const written = (today: string) => `{\n "old": "2025-01-01",  "notes": "made\\n${today}",\n "on": "${today}"\n}`;
    const all = sessions(8, (today) => [call("show", {}, written(today))]);
    expect(texts(asOfNewestDay(all))).toEqual(all.map(() => [written("2026-03-08")]));
  });

  it("keep a day that is another part's, also in the same answer", () => {
    const answer = (today: string) => ({ born: "2026-03-03", on: today, at: `${today} 10:00`, name: `file-${today}` });
    const all = sessions(8, (today) => [call("show", {}, answer(today))]);
    expect(asOfNewestDay(all)[2]?.calls[0]?.result).toEqual({
      born: "2026-03-03",
      on: "2026-03-08",
      at: "2026-03-08 10:00",
      name: "file-2026-03-03",
    });
  });

  it("keep an answer that is wrapped twice in one form", () => {
    const text = (today: string) => json({ on: today });
    const wrapped = (today: string): Json => ({
      content: [{ type: "text", text: text(today) }],
      structuredContent: { on: today },
    });
    const all = sessions(8, (today) => [call("show", {}, wrapped(today))]);
    expect(texts(asOfNewestDay(all))).toEqual(all.map(() => [wrapped("2026-03-08")]));
  });

  it("show that day again where another part shows what was made on the session's", () => {
    const rows = Array.from({ length: 12 }, (_, i) => ({ n: i, made: dayOf(FIRST + i * DAY) }));
    const all = sessions(12, (today, i) => [
      call("make", { n: i }, json({ made: today })),
      call("list", {}, json(rows.slice(0, i + 1))),
      call("find", {}, json([{ n: 3, made: "2026-03-04" }])),
    ]);
    expect([...sessionDaysOf(all).parts.keys()]).toEqual(["make answered /made"]);
    const [, list, find] = asOfNewestDay(all)[3]?.calls ?? [];
    expect(list?.result).toBe(json([...rows.slice(0, 3), { n: 3, made: "2026-03-12" }]));
    expect(find?.result).toBe(json([{ n: 3, made: "2026-03-12" }]));
    expect(asOfNewestDay(all)[5]?.calls[2]?.result).toBe(json([{ n: 3, made: "2026-03-04" }]));
  });

  it("are asked in arguments, and in the words that name those, as of that day", () => {
    const all = sessions(8, (today) => [call("since", { day: today }, "none")]).map((trace) => {
      const today = dayOf(trace.startedAt as number);
      return {
        ...trace,
        request: `What is new since ${today}? I came on 2026-01-01.`,
        finalAnswer: `Nothing since ${today}.`,
      };
    });
    for (const trace of asOfNewestDay(all)) {
      expect(trace.calls[0]?.args).toEqual({ day: "2026-03-08" });
      expect(trace.request).toBe("What is new since 2026-03-08? I came on 2026-01-01.");
      expect(trace.finalAnswer).toBe("Nothing since 2026-03-08.");
    }
  });

  it("are the same when they are put there again", () => {
    const all = sessions(8, (today) => [call("show", {}, `Seen on ${today}.`)]);
    const once = asOfDay(all, FIRST + 40 * DAY);
    expect(asOfDay(once, FIRST + 40 * DAY)).toEqual(once);
    expect(once[0]?.calls[0]?.result).toBe("Seen on 2026-04-10.");
  });

  it("are of the newest that says when it was, whatever another says", () => {
    const all = sessions(8, (today) => [call("show", {}, `Seen on ${today}.`)]);
    const odd = [1.8e12, 1e18, -5, 0].map((startedAt, i) => ({
      id: `odd ${i}`,
      startedAt,
      calls: [call("show", {}, "Seen on 2026-03-01.")],
    }));
    const found = asOfNewestDay([...all, ...odd]);
    expect(texts(found.slice(0, 8))).toEqual(all.map(() => ["Seen on 2026-03-08."]));
    expect(found.slice(8)).toEqual(odd);
  });

  it("stay as they are where nothing follows from their days", () => {
    const all = sessions(8, () => [call("show", {}, "Seen on 2026-03-02.")]);
    expect(asOfNewestDay(all)).toBe(all);
  });
});

describe("a service that writes the day on what changes", () => {
  const session = (today: string, i: number): ObservedCall[] => {
    const id = 1 + (i % 5);
    const row = (state: string, changed: string) => json({ id, state, changed });
    return [
      call("show", { id }, row("new", `2025-12-0${id}`)),
      call("set_state", { id, state: "done" }, row("done", today)),
      call("show", { id }, row("done", today)),
    ];
  };

  it("is learnt from sessions of many days, and answers as of its own", () => {
    const all = sessions(30, session);
    const { bundle, base } = compile(all.slice(0, 24), { name: "rows" });
    const found = measure({ bundle, base }, all.slice(24), all.slice(0, 24), { selfReplay: true });
    // Two of each three answers show the day, and are the same but for it.
    expect(found.total).toMatchObject({ calls: 18, identical: 6, identical_volatile: 18 });
    expect(found.self_replay).toMatchObject({ calls: 72, identical_volatile: 72 });
    expect(found.calls.at(-1)?.answered?.value).toEqual({ id: 5, state: "done", changed: "2026-03-24" });
  });

  it("is one version of a system, though the file of each day answers otherwise", () => {
    const perDay = sessions(30, () => []).map((trace, i): ObservedTrace => {
      const startedAt = FIRST + Math.floor(i / 6) * DAY;
      const today = dayOf(startedAt);
      const calls = [1, 2, 3, 4, 5, 6].map((n) =>
        call("get_balance", { id: `A-10${n}` }, json({ amount: n, as_of: today })),
      );
      return { ...trace, startedAt, source: today, calls };
    });
    expect(newestDeployment(perDay).setAside).toBe(0);
  });
});

import { describe, expect, test } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import type { Json } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";

interface Leg {
  readonly code: string;
  readonly from: string;
  readonly to: string;
  readonly day: string;
  readonly leaves: string;
  readonly arrives: string;
  readonly state: string;
  readonly fare?: number;
}

const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
const STOPS = ["AA", "BB", "CC", "DD"];

/** A timetable: two trains a day between any two stops, one of which arrives after midnight, and one that is cancelled. */
const LEGS: readonly Leg[] = DAYS.flatMap((day, d) =>
  STOPS.flatMap((from, f) =>
    STOPS.flatMap((to, t): Leg[] => {
      if (from === to) return [];
      const at = (hour: number) => `${String(hour % 24).padStart(2, "0")}:00${hour >= 24 ? "+1" : ""}`;
      return [7 + f + 2 * t, 17 + f + t].map((hour, k) => ({
        code: `T${f}${t}${k}`,
        from,
        to,
        day,
        leaves: at(hour),
        arrives: at(hour + 2 + t),
        state: f === 2 && t === 3 && k === 1 ? "cancelled" : "open",
        ...(f === 2 && t === 3 && k === 1 ? {} : { fare: 10 * f + t + d }),
      }));
    }),
  ),
);

const shown = (leg: Leg): Json => JSON.parse(JSON.stringify(leg)) as Json;
const next = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

function trains(from: string, to: string, day: string): Json[] {
  return LEGS.filter((leg) => leg.from === from && leg.to === to && leg.day === day && leg.state === "open").map(shown);
}

function changes(from: string, to: string, day: string): Json[] {
  return LEGS.filter((a) => a.from === from && a.day === day && a.state === "open")
    .toSorted((a, b) => (a.code < b.code ? -1 : 1))
    .flatMap((a) =>
      LEGS.filter(
        (b) =>
          b.to === to &&
          b.from === a.to &&
          b.state === "open" &&
          b.day === (a.arrives.endsWith("+1") ? next(a.day) : a.day) &&
          a.arrives <= b.leaves,
      ).map((b) => [shown(a), shown(b)]),
    );
}

const call = (tool: string, args: Record<string, string>, result: Json) => ({
  tool,
  args,
  result: JSON.stringify(result),
  isError: false,
});

const asked = (days: readonly string[]) =>
  days.flatMap((day) => STOPS.flatMap((from) => STOPS.flatMap((to) => (from === to ? [] : [{ from, to, day }]))));

/** Sessions that ask of the first two days. */
const traces: ObservedTrace[] = asked(DAYS.slice(0, 2)).map(({ from, to, day }, i) => ({
  id: `t${i}`,
  calls: [
    call("search_trains", { from, to, day }, trains(from, to, day)),
    call("search_changes", { from, to, day }, changes(from, to, day)),
  ],
}));

/** The whole timetable, as a database holds it. */
const records = { trains: LEGS.map((leg) => ({ ...leg })) };

describe("couples of rows", () => {
  const { bundle, base, report } = compile(traces, { name: "trains", records });
  const world = createWorld(bundle, base);

  test("are found by what joins them, on days that no question asked of", () => {
    expect(report.tools.search_changes?.how).toBe("pairs search_changes");
    let filled = 0;
    for (const args of asked(DAYS.slice(2))) {
      const answer = world.call("search_changes", args);
      if (answer.answerClass === "error:not_served") continue;
      expect(answer.value).toEqual(changes(args.from, args.to, args.day));
      if ((answer.value as Json[]).length > 0) filled++;
    }
    expect(filled).toBeGreaterThan(5);
  });

  test("are not made up where no export shows the whole table", () => {
    const without = compile(traces, { name: "trains" });
    const fork = createWorld(without.bundle, without.base);
    expect(fork.call("search_changes", { from: "AA", to: "DD", day: DAYS[2] as string }).answerClass).toBe(
      "error:not_served",
    );
  });
});

describe("a search over exported rows", () => {
  const { bundle, base } = compile(traces, { name: "trains", records });
  const world = createWorld(bundle, base);

  test("answers questions that no trace asked", () => {
    for (const args of asked(DAYS.slice(2)).filter(({ from, to }) => from !== "CC" || to !== "DD"))
      expect(world.call("search_trains", args).value).toEqual(trains(args.from, args.to, args.day));
  });

  test("takes no rows that share what traces show as their key", () => {
    const first = traces.slice(0, 12);
    const one = compile(first, { name: "trains", records });
    const fork = createWorld(one.bundle, one.base);
    expect(fork.call("search_trains", { from: "AA", to: "BB", day: DAYS[2] as string }).answerClass).toBe(
      "error:not_served",
    );
  });

  test("is a gap where a row that may be asked for lacks what is answered", () => {
    const day = DAYS[2] as string;
    const lacking = LEGS.map(({ fare, ...leg }) =>
      leg.code === "T010" && leg.day === day ? leg : { ...leg, fare: fare ?? 0 },
    );
    const poor = compile(traces, { name: "trains", records: { trains: lacking } });
    const fork = createWorld(poor.bundle, poor.base);
    expect(fork.call("search_trains", { from: "AA", to: "BB", day }).answerClass).toBe("error:not_served");
    expect(fork.call("search_trains", { from: "BB", to: "AA", day }).answerClass).toBe("data");
  });
});

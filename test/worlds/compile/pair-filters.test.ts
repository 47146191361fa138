import { describe, expect, test } from "vitest";
import { orderLinks } from "../../../worlds/compile/conditions/pair-links.ts";
import { compile } from "../../../worlds/compile/index.ts";
import type { Json } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";

const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
const ENDS = ["AA", "BB", "CC"];
const HUBS = ["HH", "KK"];

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

/** Buses between three ends and two hubs: some are full, some do not run, and their codes are in no order of time. */
const BUSES = DAYS.flatMap((day, d) =>
  ENDS.flatMap((end, e) =>
    HUBS.flatMap((hub, h) =>
      [0, 1, 2, 3].map((k) => {
        const n = 8 * e + 4 * h + k;
        const leaves = (k % 2 === 0 ? 420 : 500) + ((n * 53) % 127) + 30 * (k >> 1);
        return {
          code: `B${(n * 7) % 24}`,
          day,
          from: k % 2 === 0 ? end : hub,
          to: k % 2 === 0 ? hub : end,
          leaves: clock(leaves),
          arrives: clock(leaves + 20 + ((n * 29) % 90)),
          seats: (n + d) % 5 === 0 ? 0 : 3 + ((n * 5 + d) % 20),
          runs: (n + 2 * d) % 7 !== 0,
        };
      }),
    ),
  ),
);

type Bus = (typeof BUSES)[number];

const shown = ({ runs: _, ...bus }: Bus): Json => bus;
const byTime = (a: Bus, b: Bus): number => (a.leaves < b.leaves ? -1 : 1);
const going = BUSES.filter(({ seats, runs }) => seats > 0 && runs).toSorted(byTime);

function direct(from: string, to: string, day: string): Json[] {
  return going.filter((bus) => bus.from === from && bus.to === to && bus.day === day).map(shown);
}

function changes(from: string, to: string, day: string): Json[] {
  return going
    .filter((a) => a.from === from && a.day === day)
    .flatMap((a) =>
      going
        .filter((b) => b.from === a.to && b.to === to && b.day === day && a.arrives <= b.leaves)
        .map((b) => [shown(a), shown(b)]),
    );
}

const call = (tool: string, args: Record<string, string>, result: Json) => ({
  tool,
  args,
  result: JSON.stringify(result),
  isError: false,
});

const ways = (days: readonly string[], from: readonly string[], to: readonly string[]) =>
  days.flatMap((day) => from.flatMap((a) => to.flatMap((b) => (a === b ? [] : [{ from: a, to: b, day }]))));

const asked = (days: readonly string[]): ObservedTrace[] => [
  ...[...ways(days, ENDS, HUBS), ...ways(days, HUBS, ENDS)].map((args, i) => ({
    id: `d${i}`,
    calls: [call("search_direct", args, direct(args.from, args.to, args.day))],
  })),
  ...ways(days, ENDS, ENDS).map((args, i) => ({
    id: `c${i}`,
    calls: [call("search_changes", args, changes(args.from, args.to, args.day))],
  })),
];

test("couples leave out the rows that plain searches leave out, join at few places, and stand in the order of any column", () => {
  const { bundle, base, report } = compile(asked(DAYS.slice(0, 3)), { name: "buses", records: { buses: BUSES } });
  expect(report.tools.search_changes?.how).toBe("pairs search_changes");
  const world = createWorld(bundle, base);
  let filled = 0;
  for (const args of ways(DAYS.slice(3), ENDS, ENDS)) {
    const answer = world.call("search_changes", args);
    if (answer.answerClass === "error:not_served") continue;
    expect(answer.value).toEqual(changes(args.from, args.to, args.day));
    if ((answer.value as Json[]).length > 1) filled++;
  }
  expect(filled).toBeGreaterThan(1);
});

describe("comparisons of two columns", () => {
  const couple = (a: string, b: string, n: number) => ({ a: { crew: a, n }, b: { crew: b, n: n + 1 } });
  const couples = [couple("Ann", "Bo", 1), couple("Cy", "Di", 4), couple("Ed", "Flo", 2)];

  test("are those of what has an order, as names have none", () => {
    const looked = orderLinks(couples, [])?.flatMap(({ from, of }) => [from, of]);
    expect(new Set(looked)).toEqual(new Set(["n"]));
    expect(orderLinks(couples, [{ a: { crew: "Gus", n: 1 }, b: { crew: "Al", n: 5 } }])).toBeUndefined();
  });
});

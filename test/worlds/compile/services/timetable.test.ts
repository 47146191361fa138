import { describe, expect, it } from "vitest";
import { measureState } from "../../../../bench/fidelity-state.ts";
import { compile } from "../../../../worlds/compile/index.ts";
import { measureFidelity } from "../../../../worlds/fidelity/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../../worlds/observation.ts";
import { createWorld } from "../../../../worlds/world.ts";

const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"];
const STOPS = ["Aby", "Bro", "Cas", "Dun", "Elm"];

/** Ferries of a day: each pair of neighbouring stops has two, none runs back, none on any other day. */
function ferries(from: string, to: string, day: string): JsonObject[] {
  const at = STOPS.indexOf(from);
  if (!DAYS.includes(day) || at < 0 || STOPS[at + 1] !== to) return [];
  return [0, 1].map((n) => ({
    ferry: `F${at}${n}`,
    day,
    from,
    to,
    leaves: `${8 + n * 5}:00`,
    seats: 10 + at * 3 + n + DAYS.indexOf(day),
  }));
}

function search(from: string, to: string, day: string): ObservedCall {
  return {
    tool: "search_ferries",
    args: { from, to, day },
    result: JSON.stringify(ferries(from, to, day)),
    isError: false,
  };
}

function ferry(id: string, day: string): ObservedCall {
  const at = Number(id[1]);
  const row = ferries(STOPS[at] as string, STOPS[at + 1] as string, day).find((one) => one.ferry === id);
  return { tool: "get_ferry", args: { ferry: id, day }, result: JSON.stringify(row), isError: false };
}

/** Every pair of stops, both ways and from end to end, on four of five days; on the fifth the single ferries of the first pair. */
const trace = (id: number, calls: ObservedCall[]): ObservedTrace => ({ id: `f${id}`, startedAt: 1_772_000_000, calls });
const traces = [
  ...STOPS.flatMap((from, i) =>
    STOPS.filter((to) => to !== from && (to === STOPS[i + 1] || to === STOPS[i - 1] || i === 0)).map((to, k) =>
      trace(
        i * 10 + k,
        DAYS.slice(0, 4).map((day) => search(from, to, day)),
      ),
    ),
  ),
  trace(90, [ferry("F00", DAYS[4] as string), ferry("F01", DAYS[4] as string), ferry("F00", DAYS[0] as string)]),
];

describe("questions that evidence never asked", () => {
  const world = createWorld(...(Object.values(pick(compile(traces, { name: "ferries" }))) as [never, never]));
  const ask = (from: string, to: string, day: string) => world.call("search_ferries", { from, to, day });

  it("are a gap, whatever other days showed", () => {
    expect(ask("Bro", "Cas", DAYS[4] as string)).toMatchObject({ isError: true, servedBy: "gap" });
    expect(ask("Cas", "Bro", DAYS[4] as string)).toMatchObject({ isError: true, servedBy: "gap" });
    expect(ask("Bro", "Dun", DAYS[4] as string)).toMatchObject({ isError: true, servedBy: "gap" });
  });
});

function pick({ bundle, base }: ReturnType<typeof compile>) {
  return { bundle, base };
}

/** Parcels that a depot re-labels in a way no rule explains: only recorded answers can be given. */
function relabelled(n: number, seed: string): ObservedTrace {
  const row = { parcel_id: `PX-${500 + n}`, label: `L${(n * 7919) % 97}`, weight: 3 + n, bay: "north" };
  const after = { ...row, label: `Q${(n * 104729) % 89}-${(n * 31) % 7}`, bay: `${(n * 13) % 17}` };
  const call = (tool: string, value: JsonObject): ObservedCall => ({
    tool,
    args: { parcel_id: row.parcel_id },
    result: JSON.stringify(value),
    isError: false,
  });
  return {
    id: `${seed}${n}`,
    startedAt: 1_772_000_000 + n,
    calls: [call("get_parcel", row), call("relabel_parcel", after), call("get_parcel", after)],
  };
}

describe("a recorded write", () => {
  const train = Array.from({ length: 12 }, (_, n) => relabelled(n, "a"));
  const again = Array.from({ length: 12 }, (_, n) => relabelled(n, "b"));
  const compiled = compile(train, { name: "depot" });

  it("leaves the rows as it was seen to leave them", () => {
    const report = measureFidelity(compiled, again, train);
    expect(report.tools.relabel_parcel).toMatchObject({ calls: 12, identical: 12 });
    expect(report.wrong_success).toBe(0);
    expect(measureState(compiled, again, train)).toEqual({
      reproduced: 12,
      missed: 0,
      rereads: 12,
      rereads_alike: 12,
      rereads_unknown: 0,
      rereads_lost: 0,
      rereads_stale: 0,
    });
  });

  it("is no answer once its row has changed", () => {
    const world = createWorld(compiled.bundle, compiled.base);
    expect(world.call("relabel_parcel", { parcel_id: "PX-503" }).changes).toHaveLength(1);
    expect(world.call("relabel_parcel", { parcel_id: "PX-503" })).toMatchObject({ isError: true, changes: [] });
  });

  it("leaves unknown what it was not seen to leave, and nothing where no footprint tells what that may be", () => {
    const blind = {
      bundle: { ...compiled.bundle, exceptions: compiled.bundle.exceptions.map(({ rows: _, ...left }) => left) },
      base: compiled.base,
    };
    expect(measureState(blind, again, train)).toMatchObject({ rereads: 0, rereads_unknown: 12 });
    const { footprints: _, ...bundle } = blind.bundle;
    expect(measureState({ ...blind, bundle }, again, train)).toMatchObject({ rereads: 12, rereads_alike: 0 });
  });
});

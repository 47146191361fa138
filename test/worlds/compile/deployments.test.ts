import { describe, expect, it } from "vitest";
import { newestDeployment } from "../../../worlds/compile/deployments.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";

type Row = Record<string, string | number | null>;

function trace(id: string, startedAt: number, answers: Readonly<Record<string, Row>>): ObservedTrace {
  const calls = Object.entries(answers).map(([tool, row]) => ({
    tool,
    args: { id },
    result: JSON.stringify(row),
    isError: false,
  }));
  return { id, startedAt, calls };
}

const old = (i: number) =>
  trace(`old ${i}`, 100 + i, {
    get_user: { id: i, name: "A" },
    get_order: { id: i, total: 1 },
    get_item: { id: i, price: 2 },
    ping: { ok: 1, at: i },
  });
const renewed = (i: number) =>
  trace(`new ${i}`, 200 + i, {
    get_user: { user: i, name: "A" },
    get_order: { order: i, total: 1 },
    get_item: { item: i, price: 2 },
    ping: { ok: 1, at: i },
  });
const six = [1, 2, 3, 4, 5, 6];

describe("the newest deployment", () => {
  it("sets traces of an older form of the system aside, whatever their order", () => {
    const both = [...six.map(renewed), ...six.map(old)];
    for (const traces of [both, both.toReversed()]) {
      const { traces: kept, setAside } = newestDeployment(traces);
      expect(setAside).toBe(6);
      expect(kept.every(({ id }) => id.startsWith("new"))).toBe(true);
    }
  });

  it("keeps everything when one trace saw both forms", () => {
    const mixed = trace("mixed", 150, { get_user: { id: 1, name: "A" } });
    const between = { ...mixed, calls: [...mixed.calls, ...renewed(9).calls] };
    expect(newestDeployment([...six.map(old), ...six.map(renewed), between]).setAside).toBe(0);
  });

  it("takes fields that depend on the row for one system: few tools differ", () => {
    const plain = (i: number) =>
      trace(`plain ${i}`, i, {
        get_user: { id: i, name: "A" },
        find_user: { id: i, name: "A" },
        get_order: { id: i, total: 1 },
      });
    const gold = (i: number) =>
      trace(`gold ${i}`, i, {
        get_user: { id: i, name: "A", perks: "x" },
        find_user: { id: i, name: "A", perks: "x" },
        get_order: { id: i, total: 1 },
      });
    expect(newestDeployment([...six.map(plain), ...six.map(gold)]).setAside).toBe(0);
  });

  it("takes a rare form for a rare answer, and nothing from nothing", () => {
    expect(newestDeployment([...six.map(renewed), old(1), old(2)]).setAside).toBe(0);
    expect(newestDeployment([]).setAside).toBe(0);
  });
});

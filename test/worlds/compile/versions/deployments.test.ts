import { describe, expect, it } from "vitest";
import { newestDeployment } from "../../../../worlds/compile/versions/deployments.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";

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

  describe("by what sources contradict", () => {
    type Asked = readonly [tool: string, args: Row, answer: Row];
    const read = (id: string, source: string, startedAt: number, asked: readonly Asked[], group?: string) => ({
      id,
      source,
      startedAt,
      ...(group === undefined ? {} : { group }),
      calls: asked.map(([tool, args, row]) => ({ tool, args, result: JSON.stringify(row), isError: false })),
    });
    const orders = (at: number, status: (i: number) => string): Asked[] =>
      [at, at + 1].map((i) => ["get_order", { id: `O-10${i % 6}` }, { id: i % 6, status: status(i % 6) }]);
    const source = (name: string, at: number, status: (i: number) => string, group?: (i: number) => string) =>
      six.map((i) => read(`${name} ${i}`, name, at + i, orders(i, status), group?.(i)));

    it("sets the older source aside, and says which tool and field changed", () => {
      const traces = [...source("may", 100, (i) => `open ${i}`), ...source("june", 200, (i) => `closed ${i}`)];
      const { traces: kept, setAside, changed } = newestDeployment(traces);
      expect([setAside, kept.every(({ id }) => id.startsWith("june"))]).toEqual([6, true]);
      expect(changed).toEqual([{ tool: "get_order", asked: 6, differ: 6, fields: ["/status"] }]);
    });

    it("keeps sources that say the same, and one of few sessions that says otherwise", () => {
      const alike = (name: string, at: number) => source(name, at, (i) => `open ${i}`);
      const few = source("july", 300, (i) => `lost ${i}`).slice(0, 4);
      const { setAside, changed } = newestDeployment([...alike("may", 100), ...alike("june", 200), ...few]);
      expect([setAside, changed]).toEqual([0, []]);
    });

    it("compares only within a task where each task begins with a state of its own", () => {
      const own = (name: string, at: number, task: (i: number) => string) =>
        six.map((i) =>
          read(`${name} ${i}`, name, at, orders(0, () => task(i)).concat(orders(2, () => task(i))), task(i)),
        );
      const traces = [...own("may", 100, (i) => `a${i}`), ...own("june", 200, (i) => `b${i}`)];
      expect(newestDeployment(traces).setAside).toBe(0);
    });

    it("compares nothing after a call that may have changed something, and no question that names nothing", () => {
      const changedFirst = (name: string, at: number, status: string) =>
        source(name, at, () => status).map((one) => ({
          ...one,
          calls: [{ tool: "close_all", args: {}, result: '{"done":true}', isError: false }, ...one.calls],
        }));
      expect(newestDeployment([...changedFirst("may", 1, "a"), ...changedFirst("june", 2, "b")]).setAside).toBe(0);
      const mine = (name: string, at: number) =>
        six.map((i) =>
          read(
            `${name} ${i}`,
            name,
            at,
            ["get_name", "get_mail", "get_plan", "get_city", "get_age", "get_home"].map((tool) => [
              tool,
              {},
              { of: name, at: 1 },
            ]),
          ),
        );
      expect(newestDeployment([...mine("ann", 1), ...mine("bob", 2)]).setAside).toBe(0);
    });

    it("takes two customers of one system for no versions of it", () => {
      const filters = ["open", "done", "late", "held", "new", "old"];
      const own = (name: string, at: number) =>
        six.map((i) =>
          read(
            `${name} ${i}`,
            name,
            at + i,
            filters.map((status) => ["list_tasks", { status }, { of: name, at: 1 }]),
          ),
        );
      expect(newestDeployment([...own("ann", 100), ...own("bob", 200)]).setAside).toBe(0);
      const meanwhile = [...source("ann", 100, (i) => `open ${i}`), ...source("bob", 103, (i) => `shut ${i}`)];
      expect(newestDeployment(meanwhile).setAside).toBe(0);
    });

    it("keeps one of the versions, also where their answers have other fields as well", () => {
      const asked = (i: number, by: "id" | "no"): Asked[] => [
        ...orders(i, () => by),
        ...["get_user", "get_item", "get_bill", "get_note"].map(
          (tool): Asked => [tool, { of: `T-10${i}` }, { [by]: i, name: "A" }],
        ),
      ];
      const x = [...six, ...six].map((i, n) => read(`x ${n}`, "x", 0, n < 5 ? asked(i, "id") : orders(i, () => "id")));
      const y = six.map((i) => read(`y ${i}`, "y", 0, asked(i, "no")));
      const { traces, setAside } = newestDeployment([...x, ...y]);
      expect([setAside, new Set(traces.map(({ source: of }) => of))]).toEqual([6, new Set(["x"])]);
    });
  });
});

import { describe, expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { measureFidelity } from "../../../../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { startOf } from "../../../../worlds/starts.ts";
import { createWorld } from "../../../../worlds/world.ts";

/** Reads of two lines, whose status each session finds as `statusOf` says. */
function reads(n: number, statusOf: (i: number) => string, prefix = "s"): ObservedTrace[] {
  return Array.from({ length: n }, (_, i) => ({
    id: `${prefix}${String(i).padStart(3, "0")}`,
    group: `task ${i % 4}`,
    startedAt: i + 1,
    calls: ["L1", "L2"].map((line_id) => ({
      tool: "get_line",
      args: { line_id },
      result: JSON.stringify({ line_id, plan: "Basic", status: line_id === "L1" ? statusOf(i) : "Active" }),
      isError: false,
    })),
  }));
}

describe("a row that sessions find otherwise", () => {
  const byTask = (i: number) => (i % 4 === 1 ? "Suspended" : "Active");
  const compiled = compile(reads(24, byTask), { name: "lines" });

  test("keeps what all of them found, and leaves the rest to their task", () => {
    expect(compiled.base.tables.lines?.L1).toEqual({ line_id: "L1", plan: "Basic" });
    expect(compiled.base.tables.lines?.L2).toMatchObject({ status: "Active" });
    expect(Object.keys(compiled.base.starts ?? {})).toEqual(["task 0", "task 1", "task 2", "task 3"]);
    expect(startOf(compiled.base, "task 1").tables.lines?.L1).toMatchObject({ status: "Suspended" });
    expect(startOf(compiled.base, "another")).toBe(compiled.base);
  });

  test("is answered as its task starts, and is a gap for a task that nobody saw", () => {
    const report = measureFidelity(compiled, reads(8, byTask, "t"), reads(24, byTask));
    expect([report.identical, report.wrong_success]).toEqual([16, 0]);
    const world = createWorld(compiled.bundle, compiled.base);
    expect(world.call("get_line", { line_id: "L1" }).answerClass).toBe("error:not_served");
    expect(world.call("get_line", { line_id: "L2" }).value).toMatchObject({ status: "Active" });
  });

  test("that changed once and stayed is the system as it is now", () => {
    const moved = compile(
      reads(24, (i) => (i < 12 ? "Active" : "Suspended")),
      { name: "lines" },
    );
    expect(moved.base.starts).toBeUndefined();
    expect(moved.base.tables.lines?.L1).toMatchObject({ status: "Suspended" });
  });

  test("that several tasks each find their own has no later value, where nobody tells when sessions were", () => {
    const sessions = reads(24, (i) => (i < 12 ? "Active" : "Suspended")).map(
      ({ id, calls }, i): ObservedTrace => ({ id, group: `task ${Math.floor(i / 6)}`, calls }),
    );
    const { base } = compile(sessions, { name: "lines" });
    expect(base.tables.lines?.L1).toEqual({ line_id: "L1", plan: "Basic" });
    expect(startOf(base, "task 1").tables.lines?.L1).toMatchObject({ status: "Active" });
    expect(startOf(base, "task 2").tables.lines?.L1).toMatchObject({ status: "Suspended" });
  });

  test("leaves open the lists that would show it, for a task that nobody saw", () => {
    const plans = ["Basic", "Plus"];
    const line = (n: number, i: number) => ({
      line_id: `L${n}`,
      plan: plans[n % 2] as string,
      status: n === 1 ? byTask(i) : "Active",
    });
    const lists = Array.from(
      { length: 24 },
      (_, i): ObservedTrace => ({
        id: `s${i}`,
        group: `task ${i % 4}`,
        startedAt: i + 1,
        calls: plans.map((plan) => ({
          tool: "find_lines",
          args: { plan },
          result: JSON.stringify([0, 1, 2, 3].map((n) => line(n, i)).filter((one) => one.plan === plan)),
          isError: false,
        })),
      }),
    );
    const { bundle, base } = compile(lists, { name: "lines" });
    const world = createWorld(bundle, base);
    expect(world.call("find_lines", { plan: "Basic" }).value).toEqual([line(0, 0), line(2, 0)]);
    expect(world.call("find_lines", { plan: "Plus" }).answerClass).toBe("error:not_served");
    const own = createWorld(bundle, startOf(base, "task 1"));
    expect(own.call("find_lines", { plan: "Plus" }).value).toEqual([line(1, 1), line(3, 1)]);
  });
});

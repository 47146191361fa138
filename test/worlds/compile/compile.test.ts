import canonicalize from "canonicalize";
import { describe, expect, it } from "vitest";
import { compileBehaviours as compile } from "../../../worlds/compile/index.ts";
import { measureFidelity, split } from "../../../worlds/fidelity/index.ts";
import { createWorld } from "../../../worlds/world.ts";
import { Shop, shopTraces } from "./shop.ts";

const traces = shopTraces();
const compiled = compile(traces, { name: "shop" });

describe("compile", () => {
  it("finds the tables, their keys and their clean rows", () => {
    expect(compiled.report.tables).toMatchObject({
      bills: { rows: 60, key: ["bill_id"] },
      users: { rows: 30, key: ["user_id"] },
    });
    expect(compiled.report.conflicts).toBe(0);
    const fresh = new Shop();
    for (const [key, row] of Object.entries(compiled.base.tables.bills ?? {}))
      expect(row).toEqual(fresh.bills.get(key));
  });

  it("gives the same bytes whatever the order of the traces", () => {
    const again = compile([...traces].reverse(), { name: "shop" });
    expect(canonicalize({ bundle: again.bundle, base: again.base })).toBe(
      canonicalize({ bundle: compiled.bundle, base: compiled.base }),
    );
  });

  it("answers unseen writes as the system does, with their effects on later reads of both tables", () => {
    const shop = new Shop();
    const world = createWorld(compiled.bundle, compiled.base);
    for (const [tool, args] of [
      ["pay_bill", { bill_id: "B-1052", amount: 3.5 }],
      ["get_bill", { bill_id: "B-1052" }],
      ["get_user", { user_id: "U-126" }],
      ["pay_bill", { bill_id: "B-1052", amount: 1 }],
      ["find_user", { email: "p7@example.com" }],
    ] as const) {
      const theirs = shop.call(tool, args);
      const ours = world.call(tool, args);
      expect([tool, ours.isError, ours.value]).toEqual([tool, theirs.isError, theirs.value]);
    }
  });

  it("refuses in the system's own words, by the rule and not by the example", () => {
    const shop = new Shop();
    for (const [tool, args] of [
      ["pay_bill", { bill_id: "B-1058", amount: 9000 }],
      ["pay_bill", { bill_id: "B-1048", amount: 2 }],
      ["get_user", { user_id: "U-777" }],
      ["get_bill", { bill_id: "B-5" }],
    ] as const) {
      const ours = createWorld(compiled.bundle, compiled.base).call(tool, args);
      expect([tool, ours.value, ours.changes]).toEqual([tool, shop.call(tool, args).value, []]);
      expect(ours.isError).toBe(true);
    }
  });

  it("never makes up a success for what evidence does not show", () => {
    const few = compile(traces.slice(0, 24), { name: "few" });
    const world = createWorld(few.bundle, few.base);
    for (const [tool, args] of [
      ["get_user", { user_id: "U-128" }],
      ["find_user", { email: "p28@example.com" }],
      ["pay_bill", { bill_id: "B-1056", amount: 1 }],
    ] as const)
      expect(world.call(tool, args)).toMatchObject({ isError: true, changes: [] });
  });

  it("marks drawn keys as volatile and keeps their form", () => {
    expect(compiled.bundle.behaviours.refund_bill?.volatile).toEqual(["refund_id"]);
    const answer = createWorld(compiled.bundle, compiled.base, { seed: "a" }).call("refund_bill", {
      bill_id: "B-1050",
      reason: "late",
    });
    expect(answer.value).toMatchObject({ bill_id: "B-1050", user_id: "U-125", reason: "late" });
    expect((answer.value as { refund_id: string }).refund_id).toMatch(/^R-\d+$/);
  });

  it("completes the initial state from a database export", () => {
    const few = compile(traces.slice(0, 24), {
      name: "few",
      records: { users: Object.fromEntries(new Shop().people) },
    });
    const answer = createWorld(few.bundle, few.base).call("get_user", { user_id: "U-129" });
    expect(answer.value).toEqual(new Shop().people.get("U-129"));
  });

  it("serves shapes of a listing without traces as gaps, never as successes", () => {
    const { bundle, base } = compile([], {
      name: "empty",
      tools: [{ name: "drop_all", inputSchema: { type: "object" } }],
    });
    expect(bundle.gaps).toEqual([{ tool: "drop_all", reason: "never observed", n: 0 }]);
    expect(createWorld(bundle, base).call("drop_all", {})).toMatchObject({
      isError: true,
      answerClass: "error:not_served",
    });
  });
});

describe("measureFidelity", () => {
  it("counts held-out calls against the observed answers, beside a plain recording", () => {
    const { train, heldOut } = split(traces, { share: 0.3, seed: "s" });
    const report = measureFidelity(compile(train, { name: "shop" }), heldOut, train);
    expect(report.calls).toBe(heldOut.flatMap((trace) => trace.calls).length);
    expect(report.wrong_success).toBe(0);
    expect(report.knowable_identical_volatile / report.knowable).toBeGreaterThan(0.9);
    expect(report.identical_volatile).toBeGreaterThan(report.recording.identical_volatile);
    expect(Object.values(report.tools).reduce((sum, counts) => sum + counts.calls, 0)).toBe(report.calls);
  });

  it("follows generated ids through a replay", () => {
    const report = measureFidelity(compiled, traces, traces);
    const refunds = report.rows.filter((row) => row.tool === "refund_bill");
    expect(refunds.length).toBeGreaterThan(5);
    expect(refunds.every((row) => row.verdict === "identical_volatile" || row.verdict === "identical")).toBe(true);
  });
});

describe("split", () => {
  it("cuts between groups by seed alone", () => {
    const cut = split(traces, { share: 0.5, seed: "x" });
    const groups = new Set(cut.heldOut.map((trace) => trace.group));
    expect(cut.train.some((trace) => groups.has(trace.group))).toBe(false);
    expect(
      split([...traces].reverse(), { share: 0.5, seed: "x" })
        .heldOut.map((trace) => trace.id)
        .sort(),
    ).toEqual(cut.heldOut.map((trace) => trace.id).sort());
    expect(cut.train.length + cut.heldOut.length).toBe(traces.length);
    expect(split(traces.slice(0, 1), { share: 0.5, seed: "x" }).heldOut).toEqual([]);
  });
});

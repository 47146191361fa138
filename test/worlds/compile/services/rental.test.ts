import { describe, expect, it } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { measureFidelity } from "../../../../worlds/fidelity/index.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { Rental, rentalTraces } from "./rental.ts";

const train = rentalTraces(90, 7);
const compiled = compile(train, { name: "rental" });

describe("writes that reach nested rows and rows of other tables", () => {
  it("answers sessions never seen as the system does, wherever their rows are known", () => {
    const report = measureFidelity(compiled, rentalTraces(90, 99), train);
    expect(report.identical_volatile / report.calls).toBeGreaterThanOrEqual(0.88);
    expect(report.wrong_success / report.calls).toBeLessThanOrEqual(0.005);
  });

  it("charges a balance on another table's nested row, and leaves what has no balance alone", () => {
    const system = new Rental();
    const world = createWorld(compiled.bundle, compiled.base);
    const swap = (wallet_id: string, from: string, to: string) =>
      ["swap_parts", { rental_id: "R-47", part_ids: [from], new_part_ids: [to], wallet_id }] as const;
    const before = world.row("members", "m_307") as { wallets: Record<string, { balance?: number }> };
    expect(before.wallets.prepaid_72?.balance).toBe(14.5);
    for (const [tool, args] of [
      ["get_member", { member_id: "m_307" }],
      swap("prepaid_72", "P737", "P736"),
      ["get_member", { member_id: "m_307" }],
      swap("card_71", "P736", "P738"),
      ["get_member", { member_id: "m_307" }],
      ["get_rental", { rental_id: "R-47" }],
    ] as const) {
      const theirs = system.call(tool, args as never);
      const ours = world.call(tool, args as never);
      expect([tool, ours.isError, theirs.isError]).toEqual([tool, false, false]);
    }
    const after = world.row("members", "m_307") as typeof before;
    expect(after.wallets.prepaid_72?.balance).toBeCloseTo(21.85, 9);
    expect(after.wallets.card_71).toEqual({ kind: "card", id: "card_71" });
  });

  it("refuses amounts that do not add up, with the total that rows, rates and surcharges make", () => {
    const world = createWorld(compiled.bundle, compiled.base);
    const args = {
      member_id: "m_301",
      deck: "cabin",
      legs: [{ leg: "L3", day: "2026-07-04" }],
      guests: ["Ann", "Bo", "Cy", "Di"],
      coolers: 5,
      insured: true,
      payments: [{ wallet_id: "w1", amount: 500 }],
    };
    const total = 117 * 4 + 15 * 4 + 8 * 5;
    expect(world.call("book_cruise", args).value).toBe(`Error: the cruise costs ${total}, but 500 was paid`);
    expect(world.call("book_cruise", { ...args, payments: [{ wallet_id: "w1", amount: total }] })).toMatchObject({
      isError: false,
      value: { coolers: 5, legs: [{ leg: "L3", fare: 117 }] },
    });
  });

  it("gives no success to calls unlike every success: unpaired lists, entries that are not there", () => {
    const ok = train.filter(({ calls }) => calls.every(({ isError }) => !isError));
    const few = compile(ok, { name: "unrefused" });
    const world = createWorld(few.bundle, few.base);
    const args = { rental_id: "R-47", part_ids: ["P737"], new_part_ids: [] as string[], wallet_id: "card_71" };
    expect(world.call("swap_parts", args)).toMatchObject({ isError: true, changes: [] });
    expect(world.call("swap_parts", { ...args, new_part_ids: ["P736"], wallet_id: "card_9" })).toMatchObject({
      isError: true,
      changes: [],
    });
  });
});

import { describe, expect, it } from "vitest";
import { type Change, stateUnchanged, stateWithin } from "../../../../worlds/tasks/checks/state.ts";
import type { AllowedChange } from "../../../../worlds/tasks/schema.ts";

const cancel: AllowedChange = {
  table: "orders",
  key: "A",
  op: "update",
  fields: { status: "cancelled" },
  any: [],
  required: true,
};
const cancelled: Change = {
  table: "orders",
  key: "A",
  before: { id: "A", status: "open", total: 5 },
  after: { id: "A", status: "cancelled", total: 5 },
};
const refund: AllowedChange = {
  table: "refunds",
  op: "insert",
  fields: { order: "A", amount: 12.5 },
  any: ["id", "at"],
  required: true,
};
const refunded: Change = { table: "refunds", key: "R9", after: { id: "R9", order: "A", amount: 12.5, at: 99 } };

describe("state within", () => {
  it("accepts exactly what is required", () => {
    expect(stateWithin([cancel, refund], [cancelled, refunded]).verdict).toBe("met");
    expect(stateWithin([], []).verdict).toBe("met");
  });
  it("names table, row and field of a foreign change", () => {
    const other: Change = { table: "orders", key: "B", before: { id: "B", note: "" }, after: { id: "B", note: "x" } };
    const { verdict, reason } = stateWithin([cancel], [cancelled, other]);
    expect(verdict).toBe("not_met");
    expect(reason).toMatch(/"orders".*"B".*note/);
  });
  it("rejects another field of the right row", () => {
    const wide: Change = { ...cancelled, after: { id: "A", status: "cancelled", total: 6 } };
    const { verdict, reason } = stateWithin([cancel], [wide]);
    expect(verdict).toBe("not_met");
    expect(reason).toContain('"total"');
  });
  it("rejects another value, a missing change, and one done twice", () => {
    expect(stateWithin([cancel], [{ ...cancelled, after: { id: "A", status: "held", total: 5 } }]).verdict).toBe(
      "not_met",
    );
    expect(stateWithin([cancel, refund], [cancelled])).toMatchObject({
      reason: expect.stringContaining("refunds"),
      missing: { table: "refunds", op: "insert" },
    });
    expect(stateWithin([cancel], [], [[refund, cancel]]).missing).toEqual({ table: "orders", key: "A", op: "update" });
    expect(stateWithin([cancel], [refunded]).missing).toBeUndefined();
    expect(stateWithin([refund], [refunded, { ...refunded, key: "R10" }]).verdict).toBe("not_met");
  });
  it("rejects a delete where an update is due, and an insert more", () => {
    expect(stateWithin([cancel], [{ table: "orders", key: "A", before: { id: "A" } }]).verdict).toBe("not_met");
    expect(stateWithin([cancel], [cancelled, refunded]).verdict).toBe("not_met");
  });
  it("leaves an open field free and no other", () => {
    expect(stateWithin([refund], [{ ...refunded, after: { ...refunded.after, id: "Z", at: 1 } }]).verdict).toBe("met");
    expect(stateWithin([refund], [{ ...refunded, after: { ...refunded.after, amount: 13 } }]).verdict).toBe("not_met");
    expect(stateWithin([refund], [{ ...refunded, after: { ...refunded.after, extra: true } }]).verdict).toBe("not_met");
  });
  it("holds a field that is taken away, as JSON keeps the task", () => {
    const moved: AllowedChange = JSON.parse(
      JSON.stringify({ ...cancel, fields: { "address.city": "Ashford" }, gone: ["address.state"] }),
    );
    const before = { id: "A", address: { city: "Clifton", state: "NY" } };
    const change = (address: Record<string, unknown>): Change => ({
      table: "orders",
      key: "A",
      before,
      after: { id: "A", address },
    });
    expect(stateWithin([moved], [change({ city: "Ashford" })]).verdict).toBe("met");
    expect(stateWithin([moved], [change({ city: "Ashford", state: "NY" })]).reason).toMatch(/address.state/);
    expect(stateWithin([cancel], [{ ...cancelled, after: { id: "A", status: "cancelled" } }]).verdict).toBe("not_met");
  });
  it("allows what need not be", () => {
    expect(stateWithin([{ ...cancel, required: false }], []).verdict).toBe("met");
    expect(stateWithin([{ ...cancel, required: false }], [cancelled]).verdict).toBe("met");
  });
  it("takes a single list in any order, two paired lists in theirs", () => {
    const lists = (items: string[], others?: string[]): Change => ({
      table: "t",
      key: "1",
      before: { items: [], others: [] },
      after: { items, others: others ?? [] },
    });
    const one: AllowedChange = {
      table: "t",
      key: "1",
      op: "update",
      fields: { items: ["a", "b"], others: [] },
      any: [],
      required: true,
    };
    const two: AllowedChange = { ...one, fields: { items: ["a", "b"], others: ["c", "d"] } };
    expect(stateWithin([one], [lists(["b", "a"])]).verdict).toBe("met");
    expect(stateWithin([one], [lists(["b", "b"])]).verdict).toBe("not_met");
    expect(stateWithin([two], [lists(["a", "b"], ["c", "d"])]).verdict).toBe("met");
    expect(stateWithin([two], [lists(["a", "b"], ["d", "c"])]).verdict).toBe("not_met");
  });
});

describe("state unchanged", () => {
  it("accepts no difference and names the first one", () => {
    expect(stateUnchanged([]).verdict).toBe("met");
    expect(stateUnchanged([cancelled]).reason).toMatch(/"orders".*"A".*"status"/);
  });
});

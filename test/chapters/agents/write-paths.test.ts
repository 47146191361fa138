import { describe, expect, it } from "vitest";
import { keysByName, keysOfBehaviour, type RowKeys } from "../../../chapters/agents/writes/row-keys.ts";
import { type ToolEffect, writesOf } from "../../../chapters/agents/writes/write-paths.ts";
import type { CanonicalTrace, TraceCall } from "../../../chapters/records/evidence/evidence.ts";
import { parseLine } from "../../../worlds/behaviour/line.ts";
import { household } from "../../../worlds/samples/household/index.ts";

type Step = Partial<TraceCall> & Pick<TraceCall, "tool">;

function trace(...calls: Step[]): CanonicalTrace {
  const whole = calls.map(
    (call): TraceCall => ({ args: {}, result: "ok", answer_class: "data", is_error: false, ...call }),
  );
  return {
    v: 1,
    session: "s",
    request: "r",
    turns: [],
    calls: whole,
    final_answer: null,
    final_answer_class: "none",
    labels: {},
  };
}

const effectOf = (tool: string): ToolEffect => ({
  effect: /^(get|list)/.test(tool) ? "read" : "write",
  keys: tool === "book" ? "creates" : keysByName(tool),
});
const rows = (...calls: Step[]) => writesOf(trace(...calls), effectOf).map(({ row }) => row);
const row = (order_id: string) => ({ order_id, total: 3 });
const write: Step = { tool: "cancel", args: { order_id: "O-7" } };

describe("the writes of a trace", () => {
  it("are read when their row was asked for, shown in a list, or named in a text", () => {
    expect(rows({ tool: "get", args: { order_id: "O-7" } }, write)).toEqual(["read"]);
    expect(rows({ tool: "list", result: [row("O-6"), row("O-7")] }, write)).toEqual(["read"]);
    expect(rows({ tool: "list", result: [{ total: 3, id: "O-7" }] }, write)).toEqual(["read"]);
    expect(rows({ tool: "list", result: '{"orders": {"O-7": {"total": 3}}}' }, write)).toEqual(["read"]);
    expect(rows({ tool: "list", result: "You have two orders: O-6, O-7." }, write)).toEqual(["read"]);
  });

  it("are unread when nothing before showed the row", () => {
    expect(rows(write)).toEqual(["unread"]);
    expect(rows(write, { tool: "get", args: { order_id: "O-7" } })).toEqual(["unread"]);
    expect(rows({ tool: "list", result: "You have one order: O-77." }, write)).toEqual(["unread"]);
    // Its key alone, or in another row, says nothing of the row.
    expect(rows({ tool: "get_user", result: { user_id: "u", orders: ["O-6", "O-7"] } }, write)).toEqual(["unread"]);
    expect(rows({ tool: "list", result: [{ refund_id: "R-1", order_id: "O-7" }] }, write)).toEqual(["unread"]);
    expect(rows({ tool: "list_refunds", args: { order_id: "O-7" }, result: [{ refund_id: "R" }] }, write)).toEqual([
      "unread",
    ]);
    const missed = { tool: "get", args: { order_id: "O-7" }, answer_class: "error:not_found", is_error: true };
    expect(rows(missed, write)).toEqual(["unread"]);
    expect(rows({ tool: "get", args: { order_id: "O-7" }, answer_class: "empty", result: {} }, write)).toEqual([
      "unread",
    ]);
    const users = { tool: "get", args: { order_id: "O-7" }, requestor: "user" as const };
    expect(rows(users, write)).toEqual(["unread"]);
  });

  it("are unread after another write of the same row, and known after the call that made it", () => {
    expect(rows({ ...write, result: { order_id: "O-7", status: "x" } }, write)).toEqual(["unread", "unread"]);
    const made = { tool: "book", args: { user_id: "u" }, result: { order_id: "O-7" } };
    expect(rows(made, write)).toEqual(["no_row", "read"]);
  });

  it("leave failed writes and reads out, and say when no row is named", () => {
    expect(rows({ ...write, is_error: true, answer_class: "error:conflict" })).toEqual([]);
    expect(rows({ tool: "send_note", args: { text: "hello" } })).toEqual(["no_row"]);
    expect(rows({ tool: "move", args: { order_ids: ["O-1", "O-2"] } })).toEqual(["unread"]);
    const half = { tool: "list", result: [row("O-1")] };
    const both = { tool: "list", result: [row("O-1"), row("O-2")] };
    expect(rows(both, { tool: "move", args: { order_ids: ["O-1", "O-2"] } })).toEqual(["read"]);
    expect(rows(half, { tool: "move", args: { order_ids: ["O-1", "O-2"] } })).toEqual(["unread"]);
  });
});

describe("the rows that a behaviour's calls name", () => {
  const keys = (line: string) => keysOfBehaviour(parseLine(line));
  const named = (found: RowKeys | undefined, args: Record<string, unknown>) =>
    typeof found === "function" ? found(args).map((row) => row.map(({ value }) => value)) : found;

  it("follow from its key, whatever the argument is called, whole or not at all", () => {
    const { behaviours } = household().bundle;
    const of = (tool: string, args: Record<string, unknown>) => {
      const behaviour = behaviours[tool]?.behaviour;
      return behaviour && named(keysOfBehaviour(behaviour), args);
    };
    expect(of("reassign_chore", { chore_id: "C-201", member_id: "M-12" })).toEqual([["C-201"]]);
    expect(named(keys("update users by id = {who} set n = 1"), { who: 7, id: "x" })).toEqual([["7"]]);
    const flight = keys("update flights by number, date set seats -= 1");
    expect(named(flight, { number: "F1", date: "2026-01-02" })).toEqual([["F1", "2026-01-02"]]);
    expect(named(flight, { number: "F1" })).toEqual([]);
    const each = keys("for f in args.flights update flights by number = f.number set seats -= 1");
    expect(named(each, { flights: [{ number: "F1" }, { number: "F2" }] })).toEqual([["F1"], ["F2"]]);
  });

  it("are none for what is made new, and untold where they do not follow from the arguments", () => {
    expect(keys('insert orders set user = {u} key "O{n:6}"')).toBe("creates");
    expect(keys("read orders by id; update users by id = row.user set n = 1")).toBeUndefined();
  });

  it("are told by names where nothing is compiled", () => {
    expect(
      named(keysByName("update"), { order_id: "O-1", reason: "late", items: [{ productId: 4 }], paid: "yes" }),
    ).toEqual([["O-1"], ["4"]]);
    const args = { user_id: "u-1", order_ids: ["O-1", "O-2"] };
    expect(named(keysByName("cancelOrders"), args)).toEqual([["O-1"], ["O-2"]]);
    expect(named(keysByName("send"), args)).toHaveLength(3);
  });
});

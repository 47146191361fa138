import { describe, expect, it } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";

const TODAY = Date.UTC(2026, 4, 12) / 1000;

function ticket(n: number): JsonObject {
  const day = String(1 + ((n * 7) % 28)).padStart(2, "0");
  return { ticket_id: `T-${100 + n}`, seats: 1, open_until: `2026-05-${day}`, venue: `Hall ${n % 3}` };
}

/** A box office: at most 4 seats, none after the last day. */
function setSeats(row: JsonObject, seats: number): ObservedCall {
  const [tool, args] = ["set_seats", { ticket_id: row.ticket_id as string, seats }];
  if (seats > 4) return { tool, args, isError: true, result: "At most 4 seats can be held at once" };
  if ((row.open_until as string) < "2026-05-12")
    return { tool, args, isError: true, result: `Ticket ${row.ticket_id} closed on ${row.open_until}` };
  return { tool, args, isError: false, result: JSON.stringify({ ...row, seats }) };
}

function trace(n: number, seats: number): ObservedTrace {
  const row = ticket(n);
  const read = { tool: "get_ticket", args: { ticket_id: row.ticket_id as string }, isError: false };
  return {
    id: `s${n}`,
    startedAt: TODAY,
    calls: [{ ...read, result: JSON.stringify(row) }, setSeats(row, seats)],
  };
}

it("learns a limit that a refusal names and a date that has passed, for calls never seen", () => {
  const traces = Array.from({ length: 24 }, (_, n) => trace(n, [2, 3, 4, 6, 9, 2][n % 6] as number));
  const { bundle, base } = compile(traces, { name: "box office" });
  const root = createWorld(bundle, base);
  for (let n = 0; n < 24; n++)
    for (const seats of [3, 4, 5, 7]) {
      const row = ticket(n);
      const real = setSeats(row, seats);
      const answer = root.fork().call("set_seats", real.args);
      expect(answer.isError).toBe(real.isError);
      if (real.isError) expect(answer.value).toBe(real.result);
      else expect(answer.value).toEqual({ ...row, seats });
    }
});

it("takes values that a refusal lists for those it would take, and no limits between them", () => {
  const text = "Error: points must be one of 1, 2, 3, 5 or 8.";
  const traces = Array.from({ length: 16 }, (_, n): ObservedTrace => {
    const [row_id, points] = [`C-${100 + n}`, [2, 8, 4, 1][n % 4] as number];
    const set = { tool: "set_points", args: { row_id, points }, isError: false };
    return {
      id: `s${n}`,
      calls: [
        { tool: "get_card", args: { row_id }, result: JSON.stringify({ row_id, points: 1 }), isError: false },
        { ...set, result: points === 4 ? text : JSON.stringify({ row_id, points }) },
      ],
    };
  });
  const { bundle, base } = compile(traces, { name: "cards" });
  const root = createWorld(bundle, base);
  const said = (points: number) => root.fork().call("set_points", { row_id: "C-101", points }).text;
  for (const points of [4, 6, 7, 13]) expect(said(points)).toBe(text);
  for (const points of [1, 2, 3, 5, 8]) expect(said(points)).not.toBe(text);
});

describe("a number that a refusal says and that decides nothing", () => {
  /** Sessions that set the seats of tickets, of which those numbered `blocked` are blocked and the ones in `told` are said to be. */
  const worldOf = (blocked: readonly number[], told: readonly number[]) => {
    const tickets = Array.from({ length: 16 }, (_, n) => ({
      ticket_id: `T-${100 + n}`,
      seats: 1,
      blocked: blocked.includes(n),
    }));
    const traces = tickets.map((row, n): ObservedTrace => {
      const { ticket_id } = row;
      const set = { tool: "set_seats", args: { ticket_id, seats: 2 + (n % 3) } };
      const refused = { ...set, isError: true, result: "The ticket is blocked for 52 days" };
      const done = { ...set, isError: false, result: JSON.stringify({ ...row, seats: 2 + (n % 3) }) };
      return {
        id: `s${n}`,
        calls: [
          { tool: "get_ticket", args: { ticket_id }, result: JSON.stringify(row), isError: false },
          ...(told.includes(n) ? [refused] : row.blocked ? [] : [done]),
        ],
      };
    });
    const { bundle, base } = compile(traces, { name: "box office" });
    return createWorld(bundle, base);
  };

  it("is not said to others where one call alone was told it", () => {
    const answer = worldOf([3, 7], [3]).call("set_seats", { ticket_id: "T-107", seats: 3 });
    expect(answer.text).not.toContain("52");
    expect(answer.answerClass).toBe("error:not_served");
  });

  it("is said where several were", () => {
    const answer = worldOf([3, 7, 11], [3, 7]).call("set_seats", { ticket_id: "T-111", seats: 3 });
    expect(answer.text).toBe("The ticket is blocked for 52 days");
  });
});

import { expect, it } from "vitest";
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

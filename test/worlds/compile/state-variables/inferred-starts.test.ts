import { describe, expect, test } from "vitest";
import type { Event } from "../../../../worlds/compile/state-variables/events.ts";
import { inferredStarts } from "../../../../worlds/compile/state-variables/inferred-starts.ts";

const REGISTER = "r_lamp";
type Start = "lit" | "dark" | undefined;
type Tried = "done" | "refused" | "never";

/** Houses, each with what is known of its lamp and whether a session of it changed the bulb. */
function told(houses: readonly (readonly [Start, Tried])[], more: { composite?: boolean; guard?: boolean } = {}) {
  const call = (ok: boolean) =>
    ({ tool: "change_bulb", args: "", reads: false, call: { ok, args: {} } }) as unknown as Event;
  const starts = inferredStarts(
    {
      sessions: houses.map(([, tried]) => (tried === "never" ? [] : [call(tried === "done")])),
      composites: new Map(more.composite ? [[REGISTER, []]] : []),
      guards: new Map(more.guard ? [["change_bulb", [{ form: "!no", register: REGISTER }]]] : []),
    },
    houses.map((_, i) => i),
    {
      starts: new Map(houses.map(([start], i) => [i, new Map(start ? [[REGISTER, start]] : [])])),
      lasting: new Set([REGISTER]),
    },
  );
  return houses.map((_, i) => starts.get(i)?.get(REGISTER));
}

const many = (n: number, start: Start, tried: Tried) => Array.from({ length: n }, () => [start, tried] as const);
const KNOWN = [...many(14, "lit", "never"), ...many(5, "dark", "done")];

describe("a start that no session of a group looked at", () => {
  test("is told by what they tried, where other groups bear it out", () => {
    const starts = told([...KNOWN, [undefined, "never"], [undefined, "done"], [undefined, "refused"]]);
    expect(starts.slice(-3)).toEqual(["lit", "dark", undefined]);
    expect(starts.slice(0, KNOWN.length)).toEqual(KNOWN.map(([start]) => start));
  });

  test("is not told where chance parts groups as well, or an exception stands against it", () => {
    const few = [...many(6, "lit", "never"), ...many(1, "dark", "done")];
    expect(told([...few, [undefined, "never"]]).at(-1)).toBeUndefined();
    expect(told([...KNOWN, ["dark", "never"], [undefined, "never"]]).at(-1)).toBeUndefined();
  });

  test("is not told of a whole, nor of a refusal by the very call that met it", () => {
    expect(told([...KNOWN, [undefined, "never"]], { composite: true }).at(-1)).toBeUndefined();
    expect(told([...KNOWN, [undefined, "never"]], { guard: true }).at(-1)).toBeUndefined();
  });
});

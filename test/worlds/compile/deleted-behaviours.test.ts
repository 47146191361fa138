import { describe, expect, test } from "vitest";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { compile } from "../../../worlds/compile/index.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";
import type { WorldAnswer } from "../../../worlds/world-api.ts";
import { generatedSessions } from "./generated-system.ts";

const SYSTEMS = 12;
/** The training sessions of each system; of the last one also fewer, of which it keeps answers for want of a behaviour. */
const TRAINED = [...Array.from({ length: SYSTEMS }, (_, seed) => ({ seed, n: 80 })), { seed: 11, n: 40 }];

const right = ({ isError, value }: WorldAnswer, call: ObservedCall): boolean =>
  !isError &&
  !call.isError &&
  JSON.stringify(sorted(value)) === JSON.stringify(sorted(JSON.parse(String(call.result))));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

/** The bundle without a tool's behaviour and recorded answers: what its calls may change is all that is left of it. */
function without({ behaviours, exceptions, ...bundle }: Bundle, tool: string): Bundle {
  const { [tool]: _, ...others } = behaviours;
  return { ...bundle, behaviours: others, exceptions: exceptions.filter((recorded) => recorded.tool !== tool) };
}

/** Successes of a world that are wrong where the whole world's was right. */
function madeUp(whole: Bundle, cut: Bundle, base: BaseState, { id, calls }: ObservedTrace): string[] {
  const [one, two] = [createWorld(whole, base), createWorld(cut, base)];
  return calls.flatMap((call) => {
    const [a, b] = [one.call(call.tool, call.args), two.call(call.tool, call.args)];
    return right(a, call) && !b.isError && !right(b, call) ? [`${id}: ${call.tool} ${JSON.stringify(call.args)}`] : [];
  });
}

describe.each(TRAINED)("generated system $seed of $n sessions", ({ seed, n }) => {
  const { bundle, base } = compile(generatedSessions(`${seed}`, n, "training"), { name: "system" });
  const heldOut = generatedSessions(`${seed}`, 30, "testing");
  const writers = Object.keys(bundle.footprints ?? {});

  test("answers nothing wrongly for want of one tool's behaviour that it answers rightly with it", () => {
    expect(writers.length).toBeGreaterThan(1);
    for (const tool of writers) {
      const cut = without(bundle, tool);
      expect([tool, heldOut.flatMap((trace) => madeUp(bundle, cut, base, trace))]).toEqual([tool, []]);
    }
  });

  test("changes nothing of the system by a call that it does not answer", () => {
    for (const { calls } of heldOut) {
      const world = createWorld(bundle, base);
      for (const { tool, args } of calls) {
        const [diff, digest] = [world.diff(), world.digest()];
        const answer = world.call(tool, args);
        if (answer.servedBy !== "gap") continue;
        expect(answer.changes).toEqual([]);
        expect([world.diff(), world.digest()]).toEqual([diff, digest]);
      }
    }
  });

  test("is the same world when it is rebuilt from its journal", () => {
    const [first] = heldOut as [ObservedTrace];
    const world = createWorld(bundle, base);
    const entries = first.calls.map(({ tool, args }) => {
      world.call(tool, args);
      return world.lastEntry(0);
    });
    const rebuilt = createWorld(bundle, base);
    rebuilt.restore(JSON.parse(JSON.stringify(entries)));
    for (const { tool, args } of heldOut.flatMap(({ calls }) => calls).slice(0, 40))
      expect(rebuilt.call(tool, args)).toEqual(world.call(tool, args));
  });
});

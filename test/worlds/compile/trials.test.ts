import { expect, test, vi } from "vitest";
import { readsOf } from "../../../worlds/compile/fit-confidence.ts";
import { holdOut } from "../../../worlds/compile/held-out.ts";
import { trusting } from "../../../worlds/compile/layers.ts";
import { manifest } from "../../../worlds/compile/listing.ts";
import { callsByTool, observe, type Session } from "../../../worlds/compile/observations.ts";
import { compileRows } from "../../../worlds/compile/rows.ts";
import { Trials } from "../../../worlds/compile/trials.ts";
import { Judge } from "../../../worlds/compile/utility.ts";
import type { ConfidenceModel } from "../../../worlds/confidence.ts";
import type { ObservedCall } from "../../../worlds/observation.ts";

const ROOMS = ["attic", "cellar", "hall", "porch"];

const answered = (tool: string, room: string, value: object): ObservedCall => ({
  tool,
  args: { room },
  result: JSON.stringify(value),
  isError: false,
});

/** A house: rooms never change. Every session asks for all rooms, every third for their paint too. */
const sessions = observe(
  Array.from({ length: 24 }, (_, i) => ({
    id: `s${String(i).padStart(2, "0")}`,
    calls: [
      ...ROOMS.map((room, n) => answered("get_room", room, { room, floor: n })),
      ...(i % 3 === 0 ? ROOMS.map((room, n) => answered("get_paint", room, { room, paint: `tone ${n}` })) : []),
    ],
  })),
);
const tools = manifest(undefined, callsByTool(sessions));
const turn = holdOut(sessions)[0] as ReturnType<typeof holdOut>[number];
const world = compileRows(turn.train, { name: "house" });
const trust = (silent: readonly string[], more: Partial<ConfidenceModel> = {}): ConfidenceModel => {
  const cases = Object.fromEntries(silent.map((name) => [name, 0]));
  return { known: cases, unknown: cases, least: 0.001, reads: readsOf(tools), tasks: [], ...more };
};

test("trials give what replays of their own give, under any trust and in any order", () => {
  const judge = new Judge(sessions);
  const trials = new Trials(judge, { ...turn, world });
  const lenient = { lenient: ["get_room"] };
  const models = [trust([]), trust(["get_paint"]), trust(["get_room"]), trust([]), trust(["get_paint"], lenient)];
  const served = models.map((model) => {
    const score = trials.scoreOf(model);
    expect(score).toEqual(judge.scoreOf(trusting(world, model), turn.held, turn.train));
    return score.answers.filter((answer) => answer.served).length;
  });
  expect(new Set(served).size).toBe(3);
});

test("a session is replayed again where what it asked is decided otherwise, and nowhere else", () => {
  const judge = new Judge(sessions);
  const replays = vi.spyOn(judge, "answersOf");
  const trials = new Trials(judge, { ...turn, world });
  const replayed = (model: ConfidenceModel): Session[] => {
    replays.mockClear();
    trials.scoreOf(model);
    return replays.mock.calls.map(([, session]) => session);
  };
  expect(replayed(trust([]))).toEqual(turn.held);
  const painted = turn.held.filter(({ calls }) => calls.some(({ tool }) => tool === "get_paint"));
  expect([painted.length > 0, painted.length < turn.held.length]).toEqual([true, true]);
  expect(replayed(trust(["get_paint"]))).toEqual(painted);
  expect(replayed(trust([]))).toEqual([]);
  expect(replayed(trust([], { lenient: ["get_room"] }))).toEqual(turn.held);
});

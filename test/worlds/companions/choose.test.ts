import { describe, expect, test } from "vitest";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { accompanied, chooseCompanions, type JudgedWay } from "../../../worlds/companions/choose.ts";
import { observe, type Session } from "../../../worlds/compile/observations.ts";
import { Judge } from "../../../worlds/compile/utility.ts";
import type { ConfidenceModel } from "../../../worlds/confidence.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";
import { behaves } from "../fixtures/behaviour.ts";

/** Each session asks for the time, the weather and the tide; the tide differs by session. */
const traces = Array.from(
  { length: 12 },
  (_, n): ObservedTrace => ({
    id: `t${n}`,
    group: `g${n}`,
    startedAt: 1_700_000_000 + n,
    calls: [
      { tool: "time", args: {}, result: '{"at":"noon"}', isError: false },
      { tool: "weather", args: {}, result: '{"sky":"grey"}', isError: false },
      { tool: "tide", args: {}, result: `{"level":${n % 4 === 0 ? 1 : 2}}`, isError: false },
    ],
  }),
);
const sessions = observe(traces);
const judge = new Judge(sessions);
const sure: ConfidenceModel = { known: {}, unknown: {}, least: 0, reads: ["time", "weather", "tide"], tasks: [] };
const base: BaseState = { tables: {}, drawn: {}, recorded: {} };

function worldOf(behaviours: Bundle["behaviours"]): { bundle: Bundle; base: BaseState } {
  const tools = ["time", "weather", "tide"].map((name) => ({ name, inputSchema: { type: "object" } }));
  return {
    bundle: { v: 1, name: "coast", tools, tables: [], now: 0, behaviours, exceptions: [], gaps: [], trust: sure },
    base,
  };
}

/** A way whose worlds answer alike whatever they are made of, judged on all sessions. */
function wayOf(behaviours: Bundle["behaviours"]): JudgedWay {
  const world = worldOf(behaviours);
  const turn = { train: [] as readonly Session[], held: sessions, world };
  return {
    make: () => world,
    worlds: [turn],
    trusted: { confidence: sure, score: judge.scoreOf(world, sessions, []) },
  };
}

const TIME = { time: behaves('answer {"at": "noon"}') };
const main = wayOf(TIME);

describe("ways beside the chosen one", () => {
  test("are taken for the tools whose calls they answer rightly", () => {
    const other = wayOf({ weather: behaves('answer {"sky": "grey"}'), tide: behaves('answer {"level": 2}') });
    const { score, chosen } = chooseCompanions(judge, main, [other]);
    expect(chosen.map(({ tools }) => tools)).toEqual([["weather"]]);
    expect([score.right, score.wrong, score.calls]).toEqual([24, 0, 36]);
    const { bundle } = accompanied(worldOf(TIME), chosen, sessions);
    const world = createWorld(bundle, base);
    expect(world.call("weather", {}).value).toEqual({ sky: "grey" });
    expect(world.call("tide", {}).servedBy).toBe("gap");
  });

  test("are not taken where they answer nothing more, or too few calls to be sure", () => {
    const same = wayOf({ time: behaves('answer {"at": "noon"}') });
    expect(chooseCompanions(judge, main, [same])).toEqual({ score: main.trusted.score, chosen: [] });
    const few = sessions.slice(0, 2);
    const once = (way: JudgedWay): JudgedWay => ({
      ...way,
      worlds: way.worlds.map((turn) => ({ ...turn, held: few })),
      trusted: { ...way.trusted, score: judge.scoreOf(way.make([]) as { bundle: Bundle; base: BaseState }, few, []) },
    });
    const other = wayOf({ weather: behaves('answer {"sky": "grey"}') });
    expect(chooseCompanions(judge, once(main), [once(other)]).chosen).toEqual([]);
  });
});

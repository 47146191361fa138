import { describe, expect, test } from "vitest";
import { Bundle } from "../../../worlds/bundle.ts";
import { fitConfidence } from "../../../worlds/compile/fit-confidence.ts";
import { compile } from "../../../worlds/compile/index.ts";
import { observe } from "../../../worlds/compile/observations.ts";
import type { Judged } from "../../../worlds/compile/utility.ts";
import { ConfidenceEstimates } from "../../../worlds/confidence.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { Random } from "../../../worlds/samples/desk/random.ts";
import { createWorld } from "../../../worlds/world.ts";

const SHELVES = ["north", "east", "south", "west"];

/** A greenhouse: shelves have a plant each that never changes; how moist one is stays alike for a session, and nothing foretells it. */
function session(i: number, sensor: boolean): ObservedTrace {
  const random = new Random(i);
  const moist = SHELVES.map(() => random.int(40, 45));
  const calls = [...SHELVES.entries(), ...SHELVES.entries()].flatMap(([n, shelf]): ObservedCall[] => [
    answered("get_shelf", shelf, { shelf, plant: `plant ${n}`, pots: 3 + n }),
    ...(sensor ? [answered("read_moisture", shelf, { shelf, moisture: moist[n] ?? 0 })] : []),
  ]);
  return { id: `s${String(i).padStart(3, "0")}`, calls };
}

const answered = (tool: string, shelf: string, value: JsonObject): ObservedCall => ({
  tool,
  args: { shelf },
  result: JSON.stringify(value),
  isError: false,
});

const weather = compile(
  Array.from({ length: 40 }, (_, i) => session(i, true)),
  { name: "greenhouse" },
);

describe("an answer that was mostly wrong on sessions kept aside", () => {
  test("is not given: nothing foretells the sensor", () => {
    const world = createWorld(weather.bundle, weather.base);
    for (const shelf of SHELVES) expect(world.call("read_moisture", { shelf }).servedBy).toBe("gap");
  });

  test("takes no other tool's answers along", () => {
    const world = createWorld(weather.bundle, weather.base);
    for (const [n, shelf] of SHELVES.entries()) {
      const { value, servedBy } = world.call("get_shelf", { shelf });
      expect([servedBy === "gap", value]).toEqual([false, { shelf, plant: `plant ${n}`, pots: 3 + n }]);
    }
  });

  test("is told by its confidence, and kept with the bundle", () => {
    expect(Bundle.parse(weather.bundle)).toEqual(weather.bundle);
    const { confidence, layer } = createWorld(weather.bundle, weather.base).call("get_shelf", { shelf: "east" });
    expect(confidence).toBeGreaterThan(0.97);
    expect(layer).toBeTypeOf("string");
  });
});

test("without anything wrong nothing is silent but what no session met", () => {
  const { bundle } = compile(
    Array.from({ length: 40 }, (_, i) => session(i, false)),
    { name: "greenhouse" },
  );
  const cases = Object.entries({ ...bundle.trust?.known, ...bundle.trust?.unknown });
  const silent = cases.flatMap(([name, sure]) => (sure < (bundle.trust?.least ?? 0) ? [name] : []));
  expect(silent.sort()).toEqual(["", "\nlisting", "\nschema"]);
});

test("how a service words its refusals is not made up", () => {
  const shelf = { type: "string" };
  const { bundle, base } = compile(
    Array.from({ length: 40 }, (_, i) => session(i, false)),
    { name: "greenhouse", tools: [{ name: "get_shelf", inputSchema: { type: "object", properties: { shelf } } }] },
  );
  const world = createWorld(bundle, base);
  expect(world.call("get_shelf", { shelf: 7 }).servedBy).toBe("gap");
  expect(world.call("get_rack", { shelf: "east" }).servedBy).toBe("gap");
});

test("a call that the schema rules out changes nothing, unless sessions saw such arguments taken", () => {
  const plant = { type: "string" };
  const shelf = { type: "string", enum: SHELVES };
  const tools = [
    { name: "get_shelf", inputSchema: { type: "object", properties: { shelf } } },
    { name: "plant", inputSchema: { type: "object", properties: { shelf, plant }, required: ["shelf", "plant"] } },
  ];
  const planted = (i: number, bare: boolean): ObservedTrace => {
    const { id, calls } = session(i, false);
    const name = SHELVES[i % 4] as string;
    const args = bare ? { shelf: name } : { shelf: name, plant: `fern ${i}` };
    const now = { shelf: name, plant: bare ? "moss" : `fern ${i}`, pots: 3 + (i % 4) };
    const write = { tool: "plant", args, result: JSON.stringify({ done: true }), isError: false };
    return { id, calls: [...calls, write, answered("get_shelf", name, now)] };
  };
  const after = (bare: boolean) => {
    const traces = Array.from({ length: 40 }, (_, i) => planted(i, bare && i % 2 === 0));
    const { bundle, base } = compile(traces, { name: "greenhouse", tools });
    const world = createWorld(bundle, base);
    const first = world.call("get_shelf", { shelf: "west" });
    const wrong = world.call("plant", { shelf: "west", plant: 7 });
    return {
      first: first.servedBy,
      wrong: wrong.servedBy,
      next: world.call("get_shelf", { shelf: "west" }),
      lenient: bundle.trust?.lenient,
    };
  };
  const strict = after(false);
  expect([strict.first, strict.wrong, strict.lenient]).toEqual(["behaviour", "gap", undefined]);
  expect(strict.next.value).toMatchObject({ plant: "plant 3" });
  const lenient = after(true);
  expect(lenient.lenient).toEqual(["plant"]);
  expect(lenient.next.servedBy).toBe("gap");
});

test("fewer than eight sessions are not kept from each other", () => {
  const { bundle, base } = compile(
    Array.from({ length: 7 }, (_, i) => session(i, false)),
    { name: "greenhouse" },
  );
  expect(bundle.trust).toBeUndefined();
  expect(createWorld(bundle, base).call("get_shelf", { shelf: "west" }).value).toMatchObject({ plant: "plant 3" });
});

describe("a tool is silent", () => {
  /** Which of two tools are, where all answers of `get_shelf` are right and those of `read_moisture` wrong in the named sessions. */
  const silentIn = (sessions: number, wrong: readonly number[]) => {
    const tools = ["get_shelf", "read_moisture"];
    const answers = Array.from({ length: sessions }, (_, s) =>
      tools.map((tool): Judged => {
        const right = tool === "get_shelf" || !wrong.includes(s);
        return {
          ...{ call: {} as Judged["call"], session: `s${s}`, tool, args: {}, by: "program", lost: false, known: false },
          ...{ ok: true, served: true, right, situation: `${s} ${tool}` },
        };
      }),
    ).flat();
    const estimates = new ConfidenceEstimates(fitConfidence({ answers }, [], []));
    const sureOf = (tool: string) => estimates.confidence({ tool, ok: true, args: {}, lost: false }, false);
    return tools.filter((tool) => !estimates.reaches(sureOf(tool)));
  };

  test("where several sessions bear out that its answers are wrong", () => {
    expect(silentIn(12, [0, 1, 3, 4, 5, 8, 9, 11])).toEqual(["read_moisture"]);
  });

  test("not for one session that went astray", () => {
    expect(silentIn(4, [2])).toEqual([]);
  });

  test("not where its right answers are worth more", () => {
    expect(silentIn(40, [2, 7])).toEqual([]);
  });
});

describe("confidence counts sessions", () => {
  /** The estimates of a tool whose sessions asked for shelves, each answered rightly or not. */
  const estimatesOf = (
    sessions: readonly (readonly { readonly shelf: string; readonly right: boolean; readonly bay?: string }[])[],
    isLearnt = false,
  ) => {
    const answers = sessions.flatMap((asked, s) =>
      asked.map(({ right, ...args }, at): Judged => {
        const told = { call: {} as Judged["call"], session: `s${s}`, known: false, situation: `${s} ${at}` };
        return {
          ...told,
          tool: "get_shelf",
          by: "program",
          ok: true,
          args,
          lost: false,
          served: true,
          right,
        };
      }),
    );
    const learnt = new Set(isLearnt ? answers.map(({ call }) => call) : []);
    const estimates = new ConfidenceEstimates(fitConfidence({ answers }, [], [], learnt));
    return (shelf: string, more: JsonObject = {}) => {
      const sure = estimates.confidence({ tool: "get_shelf", ok: true, args: { shelf, ...more }, lost: false }, false);
      return { sure, given: estimates.reaches(sure) };
    };
  };
  const times = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));

  test("and one that went astray with many answers is one of them", () => {
    const astray = times(20, (i) => ({ shelf: `astray ${i}`, right: false }));
    const of = estimatesOf([...times(14, (i) => [{ shelf: `shelf ${i}`, right: true }]), astray]);
    expect(of("another")).toMatchObject({ given: true });
  });

  test("and what is wrong in one of three sessions is not given", () => {
    const of = estimatesOf(times(9, (i) => [{ shelf: `shelf ${i}`, right: i % 3 > 0 }]));
    expect(of("another")).toMatchObject({ given: false });
  });

  test("once each, however many cases hold one answer", () => {
    const rare = [{ shelf: "east", bay: "B", right: false }];
    const of = estimatesOf([...times(20, (i) => [{ shelf: `shelf ${i}`, right: true }]), rare]);
    const { sure } = of("north", { bay: "B" });
    // One wrong answer, beginning with nearly three right ones of three.
    expect(sure).toBeGreaterThan(0.7);
    expect(sure).toBeLessThan(0.75);
  });

  test("and less where the world of all sessions has right what a fold had wrong", () => {
    const wrong = [{ shelf: "east", bay: "B", right: false }];
    const sessions = [...times(20, (i) => [{ shelf: `shelf ${i}`, right: true }]), wrong];
    const [without, learnt] = [false, true].map((is) => estimatesOf(sessions, is)("north", { bay: "B" }));
    expect([without?.given, learnt?.given]).toEqual([false, true]);
    const often = times(9, (i) => [{ shelf: `shelf ${i}`, right: i % 9 > 4 }]);
    expect(estimatesOf(often, true)("another")).toMatchObject({ given: false });
  });

  test("by one weight, also where known and other tasks are in one situation", () => {
    const answer = (at: number, known: boolean, right: boolean): Judged => ({
      ...{
        call: {} as Judged["call"],
        session: `s${at}`,
        tool: "get_shelf",
        by: "program",
        ok: true,
        args: { shelf: `${at}` },
      },
      ...{ lost: false, served: true, known, right, situation: known ? "one" : `${at}` },
    });
    const known = [answer(0, true, true), answer(1, true, false)];
    const others = times(6, (i) => ({ ...answer(i + 2, false, false), situation: "one" }));
    const sureOf = (answers: Judged[]) => fitConfidence({ answers }, [], []).known["get_shelf\ndone"] as number;
    // Eight of one situation weigh as one: an eighth each, in the case of known tasks too.
    const wider = (0 + 3 * 0.9) / (6 / 8 + 3);
    expect(sureOf([...known, ...others])).toBeCloseTo((1 / 8 + 3 * wider) / (2 / 8 + 3), 3);
  });

  test("of a single question, where several asked it", () => {
    const of = estimatesOf(
      times(8, (i) => ["east", "west"].map((shelf) => ({ shelf, right: shelf === "east" || i > 4 }))),
    );
    expect([of("east").given, of("west").given, of("north").given]).toEqual([true, false, false]);
  });
});

describe("an answer that no session kept aside met the like of", () => {
  const answer = (tool: string, s: number, right: boolean): Judged => ({
    ...{ call: {} as Judged["call"], session: `s${s}`, tool, by: "program", ok: true, args: {}, lost: false },
    ...{ known: false, served: true, right, situation: `${s} ${tool}` },
  });
  const sureOf = (answers: readonly Judged[]) => {
    const estimates = new ConfidenceEstimates(fitConfidence({ answers }, [], []));
    return estimates.confidence({ tool: "get_rack", ok: true, args: {}, lost: false }, false);
  };
  const tools = ["get_shelf", "get_pot", "get_plant", "get_lamp", "get_valve", "get_fan"];

  test("is as right as the tools are that some met, each of which counts once", () => {
    const often = Array.from({ length: 40 }, (_, s) => answer("get_shelf", s, true));
    expect(sureOf(tools.map((tool, s) => answer(tool, s, true)))).toBeGreaterThan(5 / 6);
    expect(sureOf([...often, answer("get_pot", 0, false), answer("get_plant", 1, true)])).toBeLessThan(0.7);
  });

  test("is given where sessions met no answer at all: they have nothing in common that could tell", () => {
    expect(sureOf([])).toBe(1);
  });
});

describe("an argument that is written as in no call that succeeded", () => {
  const given = (ids: readonly string[], name = "water") => {
    const calls = ids.map((pot): ObservedCall => ({ tool: name, args: { pot }, result: "done", isError: false }));
    const sessions = observe(calls.map((call, i) => ({ id: `s${i}`, calls: [call] })));
    const answers = sessions.flatMap(({ id, calls }) =>
      calls.map((call): Judged => {
        const { tool, args } = call;
        const told = { call, session: id, tool, args, situation: id };
        return { ...told, by: "program", ok: true, lost: false, known: false, served: true, right: true };
      }),
    );
    const listing = [{ name, inputSchema: { type: "object" } }];
    const estimates = new ConfidenceEstimates(fitConfidence({ answers }, sessions, listing));
    return (pot: Json, ok = true) =>
      estimates.reaches(estimates.confidence({ tool: name, ok, args: { pot }, lost: false }, false));
  };
  const numbered = given(["P-011", "P-204", "P-017", "P-300"]);

  test("is no success", () => {
    expect([numbered("P-99"), numbered("the pot"), numbered(null)]).toEqual([true, false, false]);
  });

  test("may be one where arguments were written in several ways, in words, or too seldom", () => {
    expect(given(["P-011", "P-204", "P-017", "all"])("the pot")).toBe(true);
    expect(given(["fern", "moss", "ivy", "aloe"])("the pot")).toBe(true);
    const streets = ["12 Main Street", "4 Elm Road", "77 Oak Lane", "9 Hill Way"];
    expect(given(streets)("8-10 Old Mill Road")).toBe(true);
    expect(given(["P-011", "P-204", "P-011"])("the pot")).toBe(true);
  });

  const few = ["low", "high", "low", "mid", "high"];

  test("is no success where calls that succeeded had few texts, each in several sessions", () => {
    const level = given([...few, "mid"]);
    expect([level("low"), level("boiling"), level("LOW"), level(3)]).toEqual([true, false, false, false]);
  });

  test("may be one where another is to be expected: one was seen once, ids are numbered, or it is what a reading asks for", () => {
    expect(given(few)("boiling")).toBe(true);
    expect(given(["P-1", "P-2", "P-1", "P-2", "P-1", "P-2"])("P-3")).toBe(true);
    expect(given([...few, "mid"], "get_pot")("boiling")).toBe(true);
  });
});

test("what memory answered is estimated apart: done or refused, and after a call that was not answered", () => {
  const answers = Array.from({ length: 36 }, (_, s): Judged => {
    const lost = s % 3 === 0;
    return {
      ...{ call: {} as Judged["call"], session: `s${s}`, tool: "get_shelf", args: {}, by: "memory", ok: true, lost },
      ...{ known: true, served: true, right: !lost, situation: `${s}` },
    };
  });
  const estimates = new ConfidenceEstimates(fitConfidence({ answers }, [], []));
  const given = (lost: boolean, ok = true) =>
    estimates.reaches(estimates.confidence({ by: "memory", tool: "get_rack", ok, args: {}, lost }, true));
  expect([given(false), given(true), given(true, false)]).toEqual([true, false, true]);
});

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { compile } from "../../../worlds/compile/index.ts";
import { observe } from "../../../worlds/compile/observations.ts";
import { remember } from "../../../worlds/compile/remembering.ts";
import { draw } from "../../../worlds/draw/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { startOf } from "../../../worlds/starts.ts";
import { createWorld } from "../../../worlds/world.ts";
import type { World } from "../../../worlds/world-api.ts";
import { behaves } from "../fixtures/behaviour.ts";
import { sessions, stepsOf, walk } from "./gauges.ts";

const GAP = "error:not_served";
const longId = (n: number): string => `case_${createHash("sha256").update(`${n}`).digest("hex").slice(0, 12)}`;
/** Ids of which there are few: 144 of 900 were given. */
const shortId = (n: number): string => `K-${100 + ((n * 607) % 900)}`;

const traces = sessions(longId);
const { bundle, base } = compile(traces, { name: "gauges" });

const worldOf = (task: string, { seed = "", of = bundle, from = base as BaseState } = {}): World =>
  createWorld(of, startOf(from, task), { task, seed });

const replay = (world: World, task: number) =>
  walk(
    stepsOf(task),
    (tool, args) => world.call(tool, args),
    ({ value }) => value,
  );

/** What a session of a task was answered, in order. */
const observed = (task: number): JsonObject[] =>
  (traces[task]?.calls ?? []).map(({ result }) => JSON.parse(String(result)) as JsonObject);

const idsOf = (answers: readonly { readonly value: unknown }[]): string[] =>
  answers.flatMap(({ value }) => {
    const { case_id } = value as { case_id?: string };
    return case_id === undefined ? [] : [case_id];
  });

describe("a session that does what others of its task did", () => {
  test("is answered what they were", () => {
    for (const task of [0, 3, 7, 11]) {
      const answers = replay(worldOf(`task ${task}`), task).map(({ answer }) => answer);
      const seen = observed(task);
      answers.forEach(({ value }, i) => {
        expect({ ...(value as JsonObject), case_id: "" }).toEqual({ ...seen[i], case_id: "" });
      });
    }
  });

  test("has ids of its own, the same all session long", () => {
    const recorded = new Set(
      traces.flatMap(({ calls }) => idsOf(calls.map(({ result }) => ({ value: JSON.parse(String(result)) })))),
    );
    for (const task of [3, 7]) {
      const ids = idsOf(replay(worldOf(`task ${task}`), task).map(({ answer }) => answer));
      expect(ids).toHaveLength(5);
      const [leak, leakRead, noise, smell, smellRead] = ids;
      expect(leakRead).toBe(leak);
      expect(smellRead).toBe(smell);
      expect(new Set([leak, noise, smell]).size).toBe(3);
      for (const id of ids) {
        expect(id).toMatch(/^case_[0-9a-f]{12}$/);
        expect(recorded.has(id)).toBe(false);
      }
    }
  });

  test("never has an id twice, nor one of another session, where ids are few", () => {
    const few = compile(sessions(shortId), { name: "few ids" });
    const recorded = new Set(Array.from({ length: 144 }, (_, n) => shortId(n)));
    expect(recorded.size).toBe(144);
    for (let seed = 0; seed < 300; seed++) {
      const world = worldOf("task 7", { seed: `${seed}`, of: few.bundle, from: few.base });
      const [leak, , noise, smell] = idsOf(replay(world, 7).map(({ answer }) => answer));
      expect(new Set([leak, noise, smell, undefined]).size).toBe(4);
      for (const id of [leak, noise, smell]) expect(recorded.has(String(id))).toBe(false);
    }
  });

  test("is told in answer and journal what it rests on and how sure that is", () => {
    const world = worldOf("task 7");
    const rested = replay(world, 7).filter(({ answer }) => answer.servedBy === "recorded");
    expect(rested.length).toBeGreaterThanOrEqual(4);
    expect(rested.filter(({ answer }) => answer.layer === "history").length).toBeGreaterThanOrEqual(4);
    for (const { answer } of rested) {
      expect(answer.confidence).toBeGreaterThanOrEqual(0.98);
      expect(answer.confidence).toBeLessThanOrEqual(1);
    }
    const { answer } = replay(worldOf("task 7"), 7).at(-1) ?? {};
    expect(world.lastEntry(1)).toMatchObject({ layer: answer?.layer, confidence: answer?.confidence });
  });

  test("goes on where it stopped, from its journal or after a call was taken back", () => {
    const steps = stepsOf(7);
    const whole = replay(worldOf("task 7"), 7).map(({ answer }) => answer.value);
    for (let cut = 1; cut < steps.length; cut++) {
      const first = worldOf("task 7");
      const entries = walk(
        steps.slice(0, cut),
        (tool, args) => {
          const { value } = first.call(tool, args);
          return { value, entry: first.lastEntry(1) };
        },
        ({ value }) => value,
      ).flatMap(({ answer }) => (answer.entry ? [answer.entry] : []));
      const again = worldOf("task 7");
      again.restore(structuredClone(entries));
      again.call("turn_dial", { to: "elsewhere" });
      again.undo();
      again.call("get_case", null as unknown as JsonObject);
      again.undo();
      const rest = walk(
        [["get_reading", () => ({ gauge: "north" })], ...steps.slice(cut)] as typeof steps,
        (tool, args) => {
          if (tool === "get_reading" && args.gauge === "north") return { value: entries.at(-1)?.answer ?? null };
          return again.call(tool, args);
        },
        ({ value }) => value,
      ).slice(1);
      const asked = steps.slice(cut);
      rest.forEach(({ answer }, i) => {
        if (asked[i]?.[0] !== "get_reading") expect(answer.value).toEqual(whole[cut + i]);
      });
    }
  });
});

describe("what others were answered is not exact history", () => {
  const restsOnHistory = (world: World, task: number) =>
    replay(world, task).filter(({ answer }) => answer.layer === "history");

  test("of a fork that did something else", () => {
    const world = worldOf("task 3");
    expect(restsOnHistory(world.fork(), 3).length).toBeGreaterThan(0);
    const other = world.fork();
    other.call("turn_dial", { to: "low" });
    for (const { tool, answer } of replay(other, 3)) {
      expect(answer.layer).not.toBe("history");
      if (tool === "get_reading" || tool === "turn_dial") expect(answer.answerClass).toBe(GAP);
    }
    expect(restsOnHistory(world.fork(), 3).length).toBeGreaterThan(0);
  });

  test("of another task", () => {
    const answers = replay(worldOf("task 40"), 3);
    for (const { tool, answer } of answers) {
      expect(answer.layer).not.toBe("history");
      if (tool === "turn_dial") expect(answer.answerClass).toBe(GAP);
    }
  });

  test("of a world with drawn rows, or with one that was edited", () => {
    const start = startOf(base, "task 3");
    const [table = ""] = Object.keys(start.tables);
    const key = "case_added";
    const edited = createWorld(bundle, start, { task: "task 3" });
    expect(restsOnHistory(edited.fork(), 3).length).toBeGreaterThan(0);
    const change = { table, key, after: { case_id: key, edited: true } };
    const entry = { seq: 1, tool: "add_row", args: { table, key }, answer: null, answer_class: "data" };
    edited.restore([{ ...entry, is_error: false, changes: [change], at: 1, drawn: 0 }]);
    expect(restsOnHistory(edited, 3)).toEqual([]);
    const drawn = draw(bundle, start, { seed: "a", augment: true });
    expect(restsOnHistory(createWorld(bundle, drawn, { task: "task 3" }), 3)).toEqual([]);
  });
});

const fill = (tank: string, receipt: string) => {
  return { tool: "fill_tank", args: { tank_id: tank }, result: JSON.stringify({ receipt }), isError: false };
};

/** Tanks of which the rows are known, and of filling one only what sessions were answered. */
function tanks(calls: (i: number) => ObservedTrace["calls"], trust: { known: Record<string, number>; least: number }) {
  const tool = (name: string) => {
    const properties = { tank_id: { type: "string" } };
    return { name, inputSchema: { type: "object", properties, required: ["tank_id"] } };
  };
  const tools = [tool("get_tank"), tool("fill_tank")];
  const filled = Array.from({ length: 12 }, (_, i) => ({ id: `s${i}`, group: `task ${i % 4}`, calls: calls(i) }));
  const observedCalls = observe(filled);
  const memory = remember(observedCalls, new Set(observedCalls.flatMap(({ calls }) => calls)), tools);
  if (memory === undefined) throw new Error("nothing is remembered");
  const made: Bundle = {
    ...{ v: 1, name: "tanks", now: 0, tools, exceptions: [], gaps: [], memory },
    tables: [{ name: "tanks", key: ["tank_id"], columns: [] }],
    behaviours: { get_tank: behaves('read tanks by tank_id else error "Error: no tank"', "read") },
    footprints: { fill_tank: { tables: { tanks: { named: ["level"] } } } },
    trust: { ...trust, unknown: trust.known, reads: ["get_tank"], tasks: [] },
  };
  const rows = { T1: { tank_id: "T1", level: 3 }, T2: { tank_id: "T2", level: 5 } };
  const world = createWorld(made, { tables: { tanks: rows }, drawn: {}, recorded: {} }, { task: "task 2" });
  return { rows, world };
}

test("a moment that the clock showed is shown again as the session saw it, and by no other session's", () => {
  const at = (i: number, n: number) => new Date(1_770_000_000_000 + i * 86_400_000 + n * 1733).toISOString();
  const call = (tool: string, result: JsonObject) => ({
    tool,
    args: {},
    result: JSON.stringify(result),
    isError: false,
  });
  const seed = { text: "seed", at: at(999, 0) };
  const filed = Array.from({ length: 24 }, (_, i) => {
    // What a task's forms hold is drawn, so that no behaviour tells it.
    const form = (n: number) => ({ text: `${longId(100 * (i % 8) + n)}`, at: at(i, n) });
    const forms = { forms: [seed, form(1), form(2)] };
    return {
      id: `s${i}`,
      group: `task ${i % 8}`,
      calls: [call("file_form", form(1)), call("file_form", form(2)), call("list_forms", forms)],
    };
  });
  const made = compile(filed, { name: "forms" });
  const start = startOf(made.base, "task 3");
  const world = createWorld(made.bundle, start, { task: "task 3" });
  const [first, second] = [world.call("file_form", {}), world.call("file_form", {})].map(
    ({ value }) => value as JsonObject,
  );
  expect(first).toMatchObject({ text: longId(301), at: expect.any(String) });
  expect(world.call("list_forms", {})).toMatchObject({ layer: "history", value: { forms: [seed, first, second] } });
  const entry = {
    seq: 1,
    tool: "file_form",
    args: {},
    answer_class: "data",
    is_error: false,
    changes: [],
    at: 1,
    drawn: 0,
  };
  const restored = createWorld(made.bundle, start, { task: "task 3" });
  const [a, b] = [
    { ...first, at: at(500, 1) },
    { ...second, at: at(500, 2) },
  ] as JsonObject[];
  restored.restore([
    { ...entry, answer: a ?? null },
    { ...entry, seq: 2, answer: b ?? null },
  ]);
  expect(restored.call("list_forms", {}).value).toEqual({ forms: [seed, a, b] });
});

test("what a write did that was answered from memory is not known afterwards", () => {
  const { rows, world } = tanks((i) => [fill("T1", `R${i % 4}`)], { known: {}, least: 0 });
  expect(world.call("get_tank", { tank_id: "T1" }).value).toEqual(rows.T1);
  const done = world.call("fill_tank", { tank_id: "T1" });
  expect(done).toMatchObject({ value: { receipt: "R2" }, servedBy: "recorded", layer: "history", changes: [] });
  expect(world.lastEntry(1)).toMatchObject({ lost: true, layer: "history" });
  expect(world.lost).toBe(true);
  expect(world.call("get_tank", { tank_id: "T1" }).answerClass).toBe(GAP);
  expect(world.call("get_tank", { tank_id: "T2" }).value).toEqual(rows.T2);
  expect(world.diff()).toEqual([]);
});

test("a bundle without memory and trust is served by its behaviours alone, as one that trusts them all", () => {
  const maker = { tool: "get_maker", args: {}, result: '{"maker":"Acme"}', isError: false };
  const told = compile(
    traces.map((trace) => ({ ...trace, calls: [maker, ...trace.calls] })),
    { name: "gauges" },
  );
  const { memory: _memory, trust: _trust, ...older } = told.bundle;
  const all = { known: {}, unknown: {}, least: 0, reads: [], tasks: [] };
  const [world, trusting] = [older, { ...older, trust: all }].map((of: Bundle) =>
    worldOf("task 7", { of, from: told.base }),
  );
  const played = (of: World | undefined) => [
    (of as World).call("get_maker", {}),
    ...replay(of as World, 7).map(({ answer }) => answer),
  ];
  const answers = played(world);
  expect(answers.filter(({ isError }) => !isError).length).toBeGreaterThan(0);
  expect(answers.filter(({ answerClass }) => answerClass === GAP).length).toBeGreaterThan(0);
  for (const answer of answers) for (const name of ["layer", "confidence"]) expect(answer).not.toHaveProperty(name);
  const same = played(trusting).map(({ layer: _layer, confidence: _confidence, ...rest }) => rest);
  expect(answers).toEqual(same);
  const entry = world?.lastEntry(1);
  for (const name of ["layer", "confidence", "lost"]) expect(entry).not.toHaveProperty(name);
  expect(world?.lost).toBe(false);
});

test("a drawn state is remembered where it is one that sessions began with, and not with rows that they never met", () => {
  const observed = draw(bundle, base, { seed: "a" });
  expect(observed.recorded).toEqual({ task: expect.stringMatching(/^task \d+$/) });
  const [, task] = /^task (\d+)$/.exec(observed.recorded?.task ?? "") ?? [];
  const world = createWorld(bundle, observed);
  expect(replay(world, Number(task)).some(({ answer }) => answer.layer === "history")).toBe(true);
  expect(draw(bundle, base, { seed: "a", augment: true }).recorded).toBeUndefined();
});

describe("what a session was answered to a tool that the listing lacks", () => {
  const get = { name: "get_gate", inputSchema: { type: "object", properties: { gate: { type: "string" } } } };
  const absent = "open_gate is not a tool here, try get_gate";
  const gates = Array.from({ length: 12 }, (_, i) => {
    const own = { by: "user" as const, tool: "look_up", args: {}, result: `clouds ${i % 4}`, isError: false };
    const read = { tool: "get_gate", args: { gate: `g${i % 4}` }, result: JSON.stringify({ gate: `g${i % 4}` }) };
    const call = { tool: "open_gate", args: {}, result: absent, isError: true };
    return { id: `s${i}`, group: `task ${i % 4}`, calls: [{ ...read, isError: false }, call, own] };
  });
  const { bundle, base } = compile(gates, { name: "gates", tools: [get] });
  const begun = (task: string): World => {
    const world = createWorld(bundle, startOf(base, task), { task });
    world.call("get_gate", { gate: `g${task.at(-1)}` });
    return world;
  };

  test("is answered where others of its task did exactly the same", () => {
    expect(bundle.unlisted).toBeUndefined();
    const answer = begun("task 2").call("open_gate", {});
    expect(answer).toMatchObject({ text: absent, isError: true, layer: "history", changes: [] });
  });

  test("is not answered to other questions, in other tasks, or of other names", () => {
    for (const [task, tool, args] of [
      ["task 2", "open_gate", { gate: "g2" }],
      ["task 9", "open_gate", {}],
      ["task 2", "shut_gate", {}],
    ] as const)
      expect(begun(task).call(tool, args).text).not.toBe(absent);
  });

  test("is no answer to the agent where it was the user's", () => {
    expect(bundle.user_tools?.map(({ name }) => name)).toEqual(["look_up"]);
    const world = begun("task 2");
    world.call("open_gate", {});
    expect(world.call("look_up", {}).value).not.toBe("clouds 2");
    expect(world.call("look_up", {}, "user").value).toBe("clouds 2");
  });
});

test("memory is trusted as far as it was right on sessions kept aside, apart after a call that was not answered", () => {
  const calls = (i: number) => [fill(`X${i}`, `R${i}`), fill("T1", "R")];
  const known = { "\nmemory\ndone\nfollowed": 0.9, "\nmemory\ndone\nlost": 0.5 };
  const { world } = tanks(calls, { known, least: 5 / 6 });
  const told = world.fork().call("fill_tank", { tank_id: "T1" });
  expect(told).toMatchObject({ value: { receipt: "R" }, layer: "floor", confidence: 0.9 });
  const afterGap = (of: World) => [of.call("fill_tank", { tank_id: "T9" }), of.call("fill_tank", { tank_id: "T1" })];
  expect(afterGap(world).map(({ answerClass }) => answerClass)).toEqual([GAP, GAP]);
  const trusting = tanks(calls, { known: {}, least: 0 }).world;
  expect(afterGap(trusting).map(({ value }) => value)).toEqual([expect.anything(), { receipt: "R" }]);
});

import { describe, expect, test } from "vitest";
import { parseLine } from "../../../worlds/behaviour/line.ts";
import { printLine } from "../../../worlds/behaviour/print.ts";
import { compileBehaviour } from "../../../worlds/behaviour/program.ts";
import { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { compile } from "../../../worlds/compile/index.ts";
import { observe } from "../../../worlds/compile/observations.ts";
import { measureFidelity } from "../../../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";
import { phoneSessions } from "./services/phone.ts";

const TASKS = 40;
const train = phoneSessions(1, 240, TASKS);
const unseen = phoneSessions(2, 80, TASKS);
const compiled = compile(train, { name: "phone" });

describe("things without a key", () => {
  const report = measureFidelity(compiled, unseen, train);

  // Finding B26.
  test("answer unseen sessions of known tasks, with few successes that are wrong", () => {
    expect(report.identical_volatile / report.calls).toBeGreaterThan(0.8);
    expect(report.wrong_success / report.calls).toBeLessThan(0.01);
    expect(report.recording.identical_volatile / report.calls).toBeLessThan(0.7);
  });

  test("are not guessed at in sessions of tasks that no evidence shows", () => {
    const others = unseen.map((trace, i): ObservedTrace => ({ ...trace, group: `other ${i}` }));
    const unknown = measureFidelity(compiled, others, train);
    expect(unknown.wrong_success / unknown.calls).toBeLessThan(0.02);
    expect(unknown.not_served).toBeGreaterThan(report.not_served);
  });

  test("learn nothing from the answers they are measured against", () => {
    const blind = unseen.map((trace) => ({ ...trace, calls: trace.calls.map((call) => ({ ...call, result: "?" })) }));
    const answers = (rows: typeof report.rows) => rows.map(({ answered }) => answered);
    expect(answers(measureFidelity(compiled, blind, train).rows)).toEqual(answers(report.rows));
  });

  test("are observed alike in any order of the traces", () => {
    expect(observe([...train].reverse())).toEqual(observe(train));
  });

  test("are read back as they are stored, in behaviours that print and run", () => {
    const { bundle, base } = compiled;
    expect(Bundle.parse(bundle)).toEqual(bundle);
    expect(BaseState.parse(base)).toEqual(base);
    for (const { behaviour } of Object.values(bundle.behaviours)) {
      expect(parseLine(printLine(behaviour)).steps).toHaveLength(behaviour.steps.length);
      compileBehaviour(behaviour, bundle);
    }
  });
});

test("a call that nobody knows the answer of changes nothing, and is restored so", () => {
  const world = createWorld(compiled.bundle, compiled.base);
  const drawn = world.digest();
  const said = world.call("set_network_mode", { mode: "4g" });
  expect(said.answerClass).toBe("error:not_served");
  expect(said.changes).toEqual([]);
  expect(world.diff()).toEqual([]);
  expect(world.digest()).toBe(drawn);
  const rebuilt = createWorld(compiled.bundle, compiled.base);
  rebuilt.restore([JSON.parse(JSON.stringify(world.lastEntry(0)))]);
  expect(rebuilt.digest()).toBe(drawn);
});

import { describe, expect, test } from "vitest";
import { parseLine } from "../../../../worlds/behaviour/line.ts";
import { printLine } from "../../../../worlds/behaviour/print.ts";
import { compile } from "../../../../worlds/compile/index.ts";
import { observe } from "../../../../worlds/compile/observations.ts";
import { measureFidelity } from "../../../../worlds/fidelity/index.ts";
import { Starts } from "../../../../worlds/starts.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { hubSessions } from "./hub.ts";

const TASKS = 30;
const train = hubSessions(1, 240, TASKS);
const unseen = hubSessions(2, 40, TASKS);
const compiled = compile(train, { name: "hub" });
const report = measureFidelity(compiled, unseen, train);
const rightly = (tool: string) => {
  const counts = report.tools[tool];
  return counts === undefined ? 0 : counts.identical_volatile / counts.calls;
};
const world = () => createWorld(compiled.bundle, compiled.base);

describe("a home's hub", () => {
  test("is answered far more often than by a recording, and seldom wrongly", () => {
    expect(report.identical_volatile / report.calls).toBeGreaterThan(0.7);
    expect(report.recording.identical_volatile / report.calls).toBeLessThan(0.45);
    expect(report.wrong_success / report.calls).toBeLessThan(0.02);
  });

  test("shows readings that stand in nested fields", () => {
    expect(rightly("read_lock")).toBeGreaterThan(0.9);
    expect(rightly("read_heating")).toBeGreaterThan(0.85);
  });

  test("does not let a call change what it left alone", () => {
    const starts = new Starts(compiled);
    const denied = Array.from({ length: TASKS }, (_, i) => starts.fresh(`task ${i}`)).flatMap((fork) => {
      const before = fork.call("check_app", { app: "speaker" });
      if (fork.call("deny_app", { app: "camera", permission: "storage" }).answerClass !== "data") return [];
      const after = fork.call("check_app", { app: "speaker" });
      return after.answerClass === "data" && before.answerClass === "data" ? [[before.value, after.value]] : [];
    });
    for (const [before, after] of denied) expect(after).toEqual(before);
    expect(denied.length).toBeGreaterThan(0);
  });

  test("does not answer what no session of the task showed", () => {
    expect(world().call("read_lock", {}).answerClass).toBe("error:not_served");
  });

  test("is made of behaviours that print and parse without loss", () => {
    for (const { behaviour } of Object.values(compiled.bundle.behaviours))
      expect(parseLine(printLine(behaviour)).steps).toEqual(behaviour.steps);
  });

  test("is observed alike in any order of the traces", () => {
    expect(observe([...train].reverse())).toEqual(observe(train));
  });
});

import { describe, expect, test } from "vitest";
import { parseLine } from "../../../../worlds/behaviour/line.ts";
import { printLine } from "../../../../worlds/behaviour/print.ts";
import { compile } from "../../../../worlds/compile/index.ts";
import { measureFidelity } from "../../../../worlds/fidelity/index.ts";
import { Starts } from "../../../../worlds/starts.ts";
import { printerSessions } from "./printer.ts";

const TASKS = 30;
const train = printerSessions(1, 200, TASKS);
const unseen = printerSessions(2, 40, TASKS);
const compiled = compile(train, { name: "printer" });
const report = measureFidelity(compiled, unseen, train);

describe("an office printer", () => {
  test("is answered far more often than by a recording, and seldom wrongly", () => {
    expect(report.identical_volatile / report.calls).toBeGreaterThan(0.65);
    expect(report.recording.identical_volatile / report.calls).toBeLessThan(0.45);
    expect(report.wrong_success / report.calls).toBeLessThan(0.02);
  });

  test("does not answer a row of which it knows one column of every session alone", () => {
    const world = new Starts(compiled).fresh("a task that nobody saw");
    for (const staff_id of ["S200", "S201", "S202"]) {
      expect(world.call("get_staff", { staff_id }).answerClass).toBe("error:not_served");
      expect(world.call("raise_quota", { staff_id, by: 10 }).answerClass).toBe("error:not_served");
    }
  });

  test("is made of behaviours that print and parse without loss", () => {
    for (const { behaviour } of Object.values(compiled.bundle.behaviours))
      expect(parseLine(printLine(behaviour)).steps).toEqual(behaviour.steps);
  });
});

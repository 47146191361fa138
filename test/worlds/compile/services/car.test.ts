import { describe, expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { measureFidelity } from "../../../../worlds/fidelity/index.ts";
import { recorded, twoParts } from "../service.ts";
import { carService, carSessions } from "./car.ts";

describe("a car's screen", () => {
  const TASKS = 40;
  const train = carSessions(1, 200, TASKS);
  const compiled = compile(train, { name: "car" });
  const report = measureFidelity(compiled, carSessions(2, 60, TASKS), train);

  test("is answered far more often than by a recording, and seldom wrongly", () => {
    expect(report.identical_volatile / report.calls).toBeGreaterThan(0.7);
    expect(report.recording.identical_volatile / report.calls).toBeLessThan(0.45);
    expect(report.wrong_success / report.calls).toBeLessThan(0.02);
  });

  test("keeps in mind what only a refusal tells: what was shut to sessions of a task is shut to the next", () => {
    const shut = report.rows.filter(
      ({ observed, verdict }) => String(observed).includes("Valet mode is on.") && verdict === "identical",
    );
    expect(shut.length).toBeGreaterThan(0);
  });

  test("is not guessed at where no session of the task was seen", () => {
    const others = carSessions(2, 60, TASKS).map((trace, i) => ({ ...trace, group: `other ${i}` }));
    const unknown = measureFidelity(compiled, others, train);
    expect(unknown.wrong_success / unknown.calls).toBeLessThan(0.01);
  });
});

test("sessions that all begin alike are followed through calls whose answers nobody observed", () => {
  const service = carService("object");
  const train = recorded(service, { seed: 1, n: 200, tasks: 0, starts: 0, length: 5 });
  const { traces, setup } = twoParts(service, 2, 80, 5);
  const report = measureFidelity(compile(train, { name: "car" }), traces, train, setup);
  expect(report.identical_volatile / report.calls).toBeGreaterThan(0.84);
  expect(report.wrong_success / report.calls).toBeLessThan(0.015);
});

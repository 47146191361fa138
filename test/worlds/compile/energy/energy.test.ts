import { describe, expect, test } from "vitest";
import { parseLine } from "../../../../worlds/behaviour/line.ts";
import { printLine } from "../../../../worlds/behaviour/print.ts";
import { BaseState, Bundle } from "../../../../worlds/bundle.ts";
import { compile } from "../../../../worlds/compile/index.ts";
import { manifest } from "../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../worlds/compile/programs/compile.ts";
import { measureFidelity } from "../../../../worlds/fidelity/index.ts";
import { Starts } from "../../../../worlds/starts.ts";
import { energySessions } from "./energy-sessions.ts";
import { HOMES } from "./energy-supplier.ts";

const TASKS = 48;
const train = [...energySessions("careful", 11, 2 * TASKS, TASKS), ...energySessions("hasty", 12, 2 * TASKS, TASKS)];
const compiled = compile(train, { name: "energy" });
const homeOf = (task: number) => `K${2000 + (task % HOMES) * 10 + 1}`;

describe("a supplier's records and a gateway in the home", () => {
  test("answer another agent on the same tasks far more often than a recording, and seldom wrongly", () => {
    const report = measureFidelity(compiled, energySessions("testing", 99, TASKS, TASKS), train);
    expect(report.identical_volatile / report.calls).toBeGreaterThan(0.67);
    expect(report.recording.identical_volatile / report.calls).toBeLessThan(0.56);
    expect(report.wrong_success / report.calls).toBeLessThan(0.025);
    for (const tool of ["get_details_by_id", "enable_option"]) {
      const counts = report.tools[tool];
      expect([tool, (counts?.identical_volatile ?? 0) / (counts?.calls ?? 1)]).toEqual([tool, expect.any(Number)]);
      expect((counts?.identical_volatile ?? 0) / (counts?.calls ?? 1)).toBeGreaterThan(0.85);
    }
  });

  test("what staff do to the contract the gateway shows", () => {
    const starts = new Starts(compiled);
    const seen = Array.from({ length: TASKS }, (_, task) => {
      const world = starts.fresh(`task ${task}`);
      const test = () => world.call("run_boost_test", {}).value;
      const [customer_id, contract_id] = [`C${1001 + (task % HOMES)}`, homeOf(task)];
      if (test() !== "Boost test failed: boost is not part of the contract.") return undefined;
      if (world.call("enable_option", { customer_id, contract_id, option: "boost" }).isError) return undefined;
      return test();
    }).filter((value) => value !== undefined);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).not.toContain("Boost test failed: boost is not part of the contract.");
  });

  test("are read back as they are stored", () => {
    expect(Bundle.parse(compiled.bundle)).toEqual(compiled.bundle);
    expect(BaseState.parse(compiled.base)).toEqual(compiled.base);
    for (const { behaviour } of Object.values(compiled.bundle.behaviours))
      expect(parseLine(printLine(behaviour)).steps).toEqual(behaviour.steps);
  });

  test("are observed alike in any order of the traces", () => {
    expect(observe([...train].reverse())).toEqual(observe(train));
  });
});

test("programs alone say nothing of a value that rests on a column which is not stored", () => {
  const observed = observe(train);
  const byTool = callsByTool(observed);
  const programs = compilePrograms(observed, byTool, manifest(undefined, byTool), "energy");
  const report = measureFidelity(programs, energySessions("testing", 99, TASKS, TASKS), train);
  const details = report.tools.get_details_by_id;
  expect(details?.wrong_success).toBe(0);
  expect((details?.identical_volatile ?? 0) / (details?.calls ?? 1)).toBeGreaterThan(0.8);
});

import { expect, it } from "vitest";
import { toolGate } from "../../../chapters/sandboxes/tasks/suite.ts";

type Given = Parameters<typeof toolGate>;

const bundle = { gaps: [{ tool: "find", reason: "r", n: 1 }] } as unknown as Given[1];
const task = (index: number, tool: string, passed: boolean, status = "certified") => ({
  index,
  status,
  task: { script: { calls: [{ tool, args: {} }] } },
  verdicts: [{ name: "grounded", passed }],
});
const gate = (...tasks: ReturnType<typeof task>[]) => toolGate(tasks as unknown as Given[0], bundle);

// Finding B18: a task whose calls a review found served is in nobody's way, whatever else its tool lacks.
it("tasks stand at the gate for a tool that the world lacks, unless their own calls were found served", () => {
  expect(gate(task(0, "find", true), task(1, "get", false))).toEqual([]);
  expect(gate(task(0, "find", true), task(1, "find", false), task(2, "find", false, "retired"))).toEqual([
    { tool: "find", tasks: [1] },
  ]);
});

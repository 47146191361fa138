import { expect, it } from "vitest";
import { toolGate, untestedTools } from "../../../chapters/sandboxes/tasks/suite.ts";
import { unusedTools } from "../../../worlds/tasks/losses.ts";

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

it("a tool that no task needs is told with what became of the tasks or drafts with it", () => {
  const seen = (...tools: string[]) =>
    ({
      behaviours: Object.fromEntries(tools.map((tool, i) => [tool, { support: { seen: 9 - i } }])),
    }) as unknown as Given[1];
  const rows = [
    { ...task(0, "get", true), status: "refused", reason: "determined: two rows fit" },
    { ...task(1, "get", true), status: "held" },
  ] as unknown as Given[0];
  const unused = [{ tool: "find", reason: "find meets a gap", n: 4 }];
  expect(untestedTools(rows, seen("find", "get", "list"), unused)).toEqual([
    { tool: "find", calls: 9, why: "4 drafts lost: find meets a gap" },
    { tool: "get", calls: 8, why: "2 tasks with it do not count: determined: two rows fit" },
    { tool: "list", calls: 7, why: "no draft was made of it" },
  ]);
  expect(untestedTools(rows, seen("find"), undefined)).toEqual([{ tool: "find", calls: 9 }]);
});

it("what was lost of a tool is told by its most frequent reason, where no written task calls it", () => {
  const losses = new Map([
    ["calls", new Map([["find meets a gap", 2]])],
    [
      "write drafts",
      new Map([
        ["call 2 (find), argument of: follows from neither the request nor an earlier result", 5],
        ["call 1 (set), argument to: follows from neither the request nor an earlier result", 6],
      ]),
    ],
  ]);
  const written = [{ script: { calls: [{ tool: "set", args: {} }], answer: "Done.", class: "answered" as const } }];
  expect(unusedTools(losses, ["find", "set", "list"], written)).toEqual([
    {
      tool: "find",
      reason: "call 2 (find), argument of: follows from neither the request nor an earlier result",
      n: 5,
    },
  ]);
});

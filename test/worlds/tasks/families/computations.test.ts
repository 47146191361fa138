import { expect, it } from "vitest";
import type { BaseState, Bundle, ToolBehaviour } from "../../../../worlds/bundle.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { questionOf } from "../../../../worlds/tasks/families/computations.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import { toolViews } from "../../../../worlds/tasks/surface.ts";
import { playScript } from "../../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../../worlds/world.ts";

const NUMBER = { type: "number" };
const LIST = { type: "array", items: NUMBER };

function tool(name: string, description: string, properties: JsonObject) {
  return { name, description, inputSchema: { type: "object", properties, required: Object.keys(properties) } };
}

const answers = (expr: string): ToolBehaviour => ({
  effect: "read",
  behaviour: { v: 1, steps: [{ op: "answer", expr }] },
  rendering: { form: "json", error_flag: true },
  volatile: [],
  support: { seen: 0, reproduced: 0 },
});

const tools = [
  tool("area", "Returns the area of a field of width by length, in acres.", { width: NUMBER, length: NUMBER }),
  tool("median", "The median.", { numbers: LIST }),
  tool("scaled", "The scaled value of a figure.", { figure: NUMBER }),
  tool("trend", "The trend between two values.", { first: NUMBER, last: NUMBER }),
  tool("price", "The price of an item.", { item_id: NUMBER }),
  tool("convert_unit", "Converts lengths.", { value: NUMBER, from_unit: { type: "string" }, to: { type: "string" } }),
];
const bundle: Bundle = {
  v: 1,
  name: "sums",
  tools,
  tables: [{ name: "scales", key: ["id"], columns: [{ name: "by", types: ["number"], present: 1 }] }],
  behaviours: {
    area: answers('{"result": args.width * args.length}'),
    median: answers('{"result": math.median(args.numbers)}'),
    scaled: answers('{"result": lookup("scales", "own").by * args.figure}'),
    trend: answers('(args.first > args.last ? "Down by " : "Up by ") + string(100.0 * args.last / args.first)'),
    price: answers('{"result": 12.5 * args.item_id}'),
    convert_unit: answers('{"result": 2.5 * args.value}'),
  },
  now: 1_767_225_600,
  exceptions: [],
  gaps: [],
};
const base: BaseState = { tables: { scales: { own: { by: 11.5 } } }, drawn: {} };
const viewOf = (name: string) => toolViews(bundle).find((view) => view.name === name)!;

it.each([
  ["area", { width: 4, length: 12.5 }, "what is the area of a field of 4 by 12.5"],
  ["median", { numbers: [3, 5, 10] }, "what is the median of 3, 5 and 10"],
  ["trend", { first: 3, last: 5 }, "what is the trend between 3 and 5"],
  ["convert_unit", { value: 3, from_unit: "mi", to: "km" }, "how much is 3 mi in km"],
  ["median", { numbers: [3] }, undefined],
  ["median", { numbers: [3, "x"] }, undefined],
  ["median", { numbers: Array.from({ length: 40 }, (_, i) => i) }, undefined],
  ["area", { width: 4 }, undefined],
  ["area", { width: 4e30, length: 2 }, undefined],
  ["price", { item_id: 17 }, undefined],
  ["convert_unit", { value: 3, from_unit: "km", to: "km" }, undefined],
])("%s of %j is asked for as %s", (name, args, question) =>
  expect(questionOf(viewOf(name), args as JsonObject)).toBe(question),
);

const session = (i: number, request: string, calls: readonly [string, JsonObject, unknown][]): ObservedTrace => ({
  id: `s${i}`,
  request,
  calls: calls.map(([name, args, result]) => ({ tool: name, args, result: JSON.stringify(result), isError: false })),
});
const traces = Array.from({ length: 12 }, (_, i) => {
  const [a, b] = [20 + i, 3.5 + i];
  return session(
    i,
    `Work this out: the area of ${a} by ${b}; the median of ${a}, ${b}, 90, 61; scaled and trend of ${b}, ${a}.`,
    [
      ["area", { width: a, length: b }, { result: a * b }],
      ["median", { numbers: [a, b, 90, 61] }, { result: (a + 61) / 2 }],
      ["scaled", { figure: a }, { result: 11.5 * a }],
      ["trend", i % 2 ? { first: a, last: b } : { first: b, last: a }, "Up"],
      // An agent's own sum: nobody named these figures.
      ["area", { width: 1000 + i, length: 2000 }, { result: 1 }],
    ],
  );
});

it("what users had computed is asked for, is certified, and fails with another figure", () => {
  const tasks = generateTasks(bundle, base, { seed: "1", count: 30, mined: traces });
  const env = { bundle, base };
  expect(new Set(tasks.map(({ cell }) => cell.operation))).toEqual(new Set(["area", "median"]));
  expect(tasks.length).toBeGreaterThanOrEqual(10);
  for (const task of tasks) {
    expect(task.request).not.toMatch(/\b1[0-9]{3}\b/);
    expect(reviewTask(task, env, tasks).certificate).toMatchObject({ passed: true });
    const trial = playScript(createWorld(bundle, base, { seed: "1" }), task.script);
    const answered = (text: string) => grade(task, { ...trial, answers: [{ text }] }, env).end;
    const right = task.checks.flatMap((check) => (check.kind === "answer_includes" ? check.facts : []))[0]?.value;
    expect(answered(`That comes to ${right}.`)).toBe("met");
    expect(answered(`That comes to ${Number(right) + 1.5}.`)).toBe("failed");
    // Who works it out without a tool is right all the same.
    expect(grade(task, { ...trial, calls: [], answers: [{ text: `It is ${right}.` }] }, env).end).toBe("met");
  }
});

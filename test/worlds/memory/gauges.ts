import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";

/** What a step of a session asks, given what the step before it was answered. */
type Step = readonly [tool: string, args: JsonObject | ((last: JsonObject) => JsonObject)];

const number = (...parts: readonly string[]): number =>
  Number.parseInt(createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 8), 16) % 100_000;

/** Gauges of one machine: what they show is drawn for the task and for every setting of its dial, by no rule. */
class Gauges {
  private readonly task: string;
  private readonly ids: () => string;
  private turned = "";
  private readonly cases = new Map<string, JsonObject>();

  constructor(task: string, ids: () => string) {
    this.task = task;
    this.ids = ids;
  }

  call(tool: string, args: JsonObject): Json {
    if (tool === "get_reading") return { shows: number(this.task, this.turned, String(args.gauge)) };
    if (tool === "turn_dial") {
      this.turned += ` ${args.to}`;
      return { pressure: number(this.task, "dial", this.turned) };
    }
    if (tool === "open_case") {
      const id = this.ids();
      const found = { case_id: id, title: args.title as Json, verdict: number(this.task, "case", String(args.title)) };
      this.cases.set(id, found);
      return found;
    }
    return this.cases.get(String(args.case_id)) ?? "Error: no such case";
  }
}

const GAUGES = ["north", "south"] as const;
const readings: readonly Step[] = GAUGES.map((gauge) => ["get_reading", { gauge }]);

/**
 * What every session of a task does, each under other titles. Those of the first six look at the gauges again after
 * they turned the dial.
 */
export const stepsOf = (task: number): readonly Step[] => [
  ...readings,
  ["turn_dial", { to: "high" }],
  ...(task < 6 ? readings : []),
  ["open_case", { title: `Leak ${task}` }],
  ["get_case", ({ case_id }) => ({ case_id: case_id as Json })],
  ["open_case", { title: `Noise ${task}` }],
  ["open_case", { title: `Smell ${task}` }],
  ["get_case", ({ case_id }) => ({ case_id: case_id as Json })],
];

/** Asks the steps of a session one after another; what was asked and answered. */
export function walk<Answer>(
  steps: readonly Step[],
  ask: (tool: string, args: JsonObject) => Answer,
  said: (answer: Answer) => Json,
): { readonly tool: string; readonly args: JsonObject; readonly answer: Answer }[] {
  let last: Json = {};
  return steps.map(([tool, given]) => {
    const args = typeof given === "function" ? given(last as JsonObject) : given;
    const answer = ask(tool, args);
    last = said(answer);
    return { tool, args, answer };
  });
}

/** Sessions of twelve tasks, four of each, with the same calls; `idOf` makes the n-th id that the system gives. */
export function sessions(idOf: (n: number) => string): ObservedTrace[] {
  let given = 0;
  return Array.from({ length: 48 }, (_, i) => {
    const task = i % 12;
    const gauges = new Gauges(`task ${task}`, () => idOf(given++));
    const calls = walk(
      stepsOf(task),
      (tool, args) => gauges.call(tool, args),
      (value) => value,
    ).map(({ tool, args, answer }): ObservedCall => ({ tool, args, result: JSON.stringify(answer), isError: false }));
    return { id: `session ${i}`, group: `task ${task}`, calls };
  });
}

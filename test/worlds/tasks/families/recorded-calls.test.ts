import { describe, expect, it } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { draw } from "../../../../worlds/draw/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Beginnings, withStart } from "../../../../worlds/starts.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { playCall } from "../../../../worlds/tasks/trial.ts";

const call = (tool: string, args: JsonObject, result: string) => ({ tool, args, result, isError: false });
const GATES = ["north", "south", "harbour", "mill", "river", "market", "school", "bridge"];

/** A guard closes gates and hangs notices: no reading shows which gate is closed, and what is slipped is refused in words. */
const sessions = GATES.flatMap((gate, n) =>
  [0, 1, 2].map((turn): ObservedTrace => {
    const close = call("close_gate", { gate }, `Closed: ${gate}`);
    const refused = call("close_gate", { gate: "moon" }, "There is no gate moon.");
    const slip = call("close_gate", { gate: `${gate}x` }, `Closed: ${gate}x`);
    return {
      id: `${gate}-${turn}`,
      group: gate,
      request: `Close the ${gate} gate, ${n} people are waiting.`,
      calls: [
        call("list_guards", {}, '[{"name":"Ana"},{"name":"Bo"}]'),
        turn === 0 ? refused : close,
        turn === 1 ? slip : close,
      ],
    };
  }),
);
const tools = ["list_guards", "close_gate"].map((name) => ({
  name,
  description: name === "close_gate" ? "Closes a gate." : "Lists the guards.",
  inputSchema: {
    type: "object",
    ...(name === "close_gate" ? { properties: { gate: { type: "string" } }, required: ["gate"] } : {}),
  },
}));
const { bundle, base, outOfFold } = compile(sessions, { name: "gates", tools });
const env = { bundle, base: draw(bundle, base, { seed: "1" }) };
const tasks = generateTasks(bundle, env.base, { seed: "1", count: 30, mined: sessions, families: ["write"] });
const isDone = (check: Task["checks"][number]) => check.kind === "calls_required" && check.done === true;

function end(task: Task, calls: readonly { tool: string; args: JsonObject }[], says = "Done.") {
  const world = new Beginnings({ ...env, seed: "1" }).fresh(task);
  const made = calls.map(({ tool, args }) => playCall(world, tool, args));
  return grade(task, { calls: made, answers: [{ text: says }], diff: world.diff() }, withStart(env, task)).end;
}

describe("a change of which nothing shows what it did", () => {
  it("is a task, certified by the call that makes it", () => {
    expect(tasks.length).toBeGreaterThan(3);
    for (const task of tasks) {
      expect(task.checks.filter(isDone)).toHaveLength(1);
      expect(reviewTask(task, env, tasks, outOfFold).certificate.passed).toBe(true);
    }
  });
  it("names no value that one session alone gave and nobody asked for, nor one that was refused", () => {
    for (const { script } of tasks) expect(GATES).toContain(script.calls[0]?.args.gate);
  });
  it("passes by the call alone: not by another one beside it, a refused one, or words", () => {
    const [task] = tasks as [Task];
    const right = { tool: "close_gate", args: task.script.calls[0]?.args as JsonObject };
    const other = { tool: "close_gate", args: { gate: GATES.find((gate) => gate !== right.args.gate) as string } };
    expect(end(task, [right])).toBe("met");
    expect(end(task, [{ tool: "list_guards", args: {} }, right])).toBe("met");
    expect(end(task, [])).toBe("failed");
    expect(end(task, [other])).toBe("failed");
    expect(end(task, [right], "I'm sorry, but I can't help with that.")).toBe("failed");
    expect(end(task, [right, other])).not.toBe("met");
  });
});

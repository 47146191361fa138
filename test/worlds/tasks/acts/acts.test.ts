import { describe, expect, it } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { draw } from "../../../../worlds/draw/index.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import type { GradeEnv } from "../../../../worlds/tasks/grading/grade.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import type { Family, Task } from "../../../../worlds/tasks/schema.ts";
import { sequenceOf } from "../../../../worlds/tasks/spread.ts";
import { sessions } from "../../compile/programs/services.ts";
import { MADE } from "./folders.ts";
import { equalTrials, judgedWrongly, trial, wrongTrials } from "./hostile.ts";

interface Made {
  readonly env: GradeEnv;
  readonly traces: readonly ObservedTrace[];
  readonly tasks: readonly Task[];
}
const known = new Map<string, Made>();

/** A service learnt from 40 sessions, and the tasks that those are made into. */
function made(name: string): Made {
  let found = known.get(name);
  if (!found) {
    const maker = MADE[name];
    if (!maker) throw new Error(`no service ${name}`);
    const traces = sessions(
      maker,
      Array.from({ length: 40 }, (_, i) => i),
    );
    const { bundle, base } = compile(traces, { name: "service" });
    const env = { bundle, base: draw(bundle, base, { seed: "1" }) };
    found = { env, traces, tasks: generateTasks(bundle, env.base, { seed: "1", count: 24, mined: traces }) };
    known.set(name, found);
  }
  return found;
}
/** All that the user says: the request and the turns after it. */
const saidIn = ({ request, turns = [] }: Task): string => [request, ...turns].join(" ");
const ofRule = ({ tasks }: Made, ...families: Family[]) =>
  tasks.filter(
    ({ cell, family }) => cell.words === "templated" && (families.length === 0 || families.includes(family)),
  );

/** Cells, a list, files, keys that are drawn and that are counted, rows in rows. */
const SERVICES = ["meter", "basket", "folders", "shelf with drawn keys", "shelf with counted keys", "recipes"];

describe.each(SERVICES)("tasks from what sessions did: %s", (name) => {
  it("at least 12, each certified, no two of one script, at most a quarter or five of one sequence", () => {
    const all = made(name);
    const tasks = ofRule(all);
    expect(tasks.length).toBeGreaterThanOrEqual(12);
    const failed = tasks.flatMap((task) => {
      const { certificate, verdicts } = reviewTask(task, all.env);
      return certificate.passed ? [] : [`${task.request}: ${verdicts.find(({ passed }) => !passed)?.reason}`];
    });
    expect(failed).toEqual([]);
    expect(new Set(tasks.map(({ script }) => JSON.stringify([script.calls, script.answer]))).size).toBe(tasks.length);
    const counts = new Map<string, number>();
    for (const task of all.tasks) counts.set(sequenceOf(task), (counts.get(sequenceOf(task)) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(Math.max(5, Math.ceil(all.tasks.length / 4)));
  });
  it("no agent passes that does nothing, something else, half of it or it with another value", () => {
    const all = made(name);
    const tasks = ofRule(all);
    const wrong = tasks.flatMap((task) =>
      judgedWrongly(all.env, task, wrongTrials(all.env, task, tasks, all.traces), false),
    );
    expect(wrong).toEqual([]);
  });
  it("agents pass that do the same by other calls or in other words", () => {
    const all = made(name);
    const wrong = ofRule(all).flatMap((task) =>
      judgedWrongly(all.env, task, equalTrials(all.env, task, all.traces), true),
    );
    expect(wrong).toEqual([]);
  });
});

describe("what a task says and checks", () => {
  it("every literal of a script is in what the user says, word for word", () => {
    for (const name of SERVICES)
      for (const task of ofRule(made(name)))
        for (const { args } of task.script.calls)
          for (const value of Object.values(args))
            if (typeof value === "string" && !value.startsWith("$")) expect(saidIn(task)).toContain(value);
  });
  it("a row that refers to one made before it is linked to it, and not to another", () => {
    const { env, ...all } = made("shelf with drawn keys");
    const linked = ofRule({ env, ...all }).filter(({ script }) =>
      script.calls.some(({ args }) => String(args.sequel_to ?? "").startsWith("$")),
    );
    expect(linked.length).toBeGreaterThan(0);
    for (const task of linked) {
      const calls = task.script.calls.map(({ tool, args: { sequel_to: _left, ...args } }) => ({ tool, args }));
      expect(judgedWrongly(env, task, oneTrial(env, task, calls), false)).toEqual([]);
    }
  });
  it("keys that are counted are as free as drawn ones: the order of two new rows does not matter", () => {
    const { env, traces } = made("shelf with counted keys");
    const several = generateTasks(env.bundle, env.base, {
      seed: "2",
      count: 40,
      families: ["multi_write"],
      mined: traces,
    });
    const twice = several.filter(
      ({ script: { calls } }) =>
        calls.length === 2 && calls.every(({ tool, args }) => tool === "add_book" && args.sequel_to === undefined),
    );
    expect(twice.length).toBeGreaterThan(0);
    for (const task of twice) {
      const calls = [...task.script.calls].reverse();
      expect(judgedWrongly(env, task, oneTrial(env, task, calls), true)).toEqual([]);
    }
  });
  it("several pages that one request asks for are of one folder, or of one name", () => {
    const { env, traces } = made("folders");
    const several = generateTasks(env.bundle, env.base, {
      seed: "1",
      count: 10,
      families: ["multi_write"],
      mined: traces,
    });
    const values = (task: Task, name: string) => new Set(task.script.calls.map(({ args }) => args[name])).size;
    expect(several.length).toBeGreaterThan(4);
    const apart = several.filter((task) => values(task, "folder") > 1 && values(task, "page") > 1);
    expect(apart.map(({ request }) => request)).toEqual([]);
  });
  it("a line end after a text of several lines is nobody's wish", () => {
    const { env, ...all } = made("folders");
    const [task] = ofRule({ env, ...all }, "write");
    const [call] = task?.script.calls ?? [];
    expect(String(call?.args.text)).not.toMatch(/\n$/);
    const calls = [{ tool: "write_page", args: { ...call?.args, text: `${call?.args.text}\n` } }];
    expect(judgedWrongly(env, task as Task, oneTrial(env, task as Task, calls), true)).toEqual([]);
    const other = [{ tool: "write_page", args: { ...call?.args, text: `${call?.args.text}!` } }];
    expect(judgedWrongly(env, task as Task, oneTrial(env, task as Task, other), false)).toEqual([]);
  });
  it("a question for a field of a text is answered by it, and by no other's", () => {
    const { env, ...all } = made("folders");
    const asked = ofRule({ env, ...all }, "lookup").find(
      ({ request }) => /keeper/i.test(request) && request.includes("cellar"),
    );
    expect(asked?.checks[0]).toEqual({ kind: "answer_includes", facts: [{ value: "Runa", kind: "text" }] });
    expect(asked?.checks.find(({ kind }) => kind === "answer_excludes")).toMatchObject({ facts: [{ value: "Osman" }] });
  });
});

describe("refusals", () => {
  it("each has its twin that must be done; neither tells which it is", () => {
    for (const name of ["shelf with drawn keys", "recipes", "badge desk"]) {
      const tasks = ofRule(made(name), "guarded_write");
      const refused = tasks.filter(({ script }) => script.class === "refused");
      expect(refused.length).toBeGreaterThan(0);
      for (const task of refused) {
        const { cell } = task;
        expect(saidIn(task)).toMatch(/not possible/);
        expect(
          made(name).tasks.some((task) => task.cell.operation === cell.operation && task.script.class === "answered"),
        ).toBe(true);
      }
      for (const task of tasks) expect(saidIn(task)).toMatch(/not possible/);
    }
  });
  it("who declines without having looked does not pass; who looked or tried does", () => {
    const { env, ...all } = made("badge desk");
    const [task] = ofRule({ env, ...all }, "guarded_write").filter(
      ({ script }) => script.class === "refused" && script.calls.length === 1,
    );
    expect(task).toBeDefined();
    const says = "I'm sorry, I can't do that.";
    const tried = (calls: Task["script"]["calls"]) => oneTrial(env, task as Task, calls, says);
    expect(judgedWrongly(env, task as Task, tried([]), false)).toEqual([]);
    expect(judgedWrongly(env, task as Task, tried([{ tool: "who", args: {} }]), true)).toEqual([]);
    expect(judgedWrongly(env, task as Task, tried(task?.script.calls ?? []), true)).toEqual([]);
  });
});

function oneTrial(env: GradeEnv, task: Task, calls: Task["script"]["calls"], text = task.script.answer) {
  return [["as given", trial(env, calls, text)]] as const;
}

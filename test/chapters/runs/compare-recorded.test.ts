import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { compareRecorded, type RecordedArm } from "../../../chapters/runs/compare/recorded/compare-recorded.ts";
import { recordedArms, recordedRates } from "../../../src/evaluate/recorded.ts";
import { svcHere } from "../../cli/svc-here.ts";

const folder = mkdtempSync(join(tmpdir(), "recorded-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, value: unknown): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

interface Tau2 {
  readonly model?: string;
  readonly policy?: string;
  readonly domain?: string;
  readonly ask?: (task: number) => string;
  readonly tasks?: boolean;
}
const said = [{ role: "user", content: "hello" }];

/** A tau2 results file: the reward of each task's trials. */
function tau2(rewards: readonly (readonly (number | null)[])[], shape: Tau2 = {}) {
  const { model = "m1", policy = "be kind", domain = "shop", ask = (n) => `ask ${n}`, tasks = true } = shape;
  return {
    timestamp: "2026-01-02T03:04:05",
    info: {
      agent_info: { implementation: "llm_agent", llm: model },
      environment_info: { domain_name: domain, policy },
    },
    ...(tasks
      ? { tasks: rewards.map((_, n) => ({ id: `${n}`, user_scenario: ask(n), evaluation_criteria: { actions: [n] } })) }
      : {}),
    simulations: rewards.flatMap((trials, task) =>
      trials.flatMap((reward, trial) =>
        reward === null
          ? []
          : [{ id: `${task}-${trial}`, task_id: `${task}`, trial, reward_info: { reward }, messages: said }],
      ),
    ),
  };
}

async function arm(path: string): Promise<RecordedArm> {
  const [found, ...more] = (await recordedArms([{ path, name: path.split("/").at(-1) ?? "" }])).arms;
  if (!found || more.length > 0) throw new Error("not one arm");
  return found;
}
const compared = async (a: string, b: string) => compareRecorded(await arm(a), await arm(b));
const ten = (reward: number) => Array.from({ length: 10 }, () => [reward]);

describe("recorded rewards pair by task id and trial", () => {
  // Finding E57.
  it("and give the verdict that run groups get, whatever policy they ran under, which is told", async () => {
    const a = file("a.json", tau2(ten(1)));
    const b = file("b.json", tau2(ten(0), { model: "m2", policy: "be quick" }));
    const found = await compared(a, b);
    expect(found).toMatchObject({ words: "shown", worse: "b", difference: -1, refused: [], tier: "deterministic" });
    expect(found.a).toMatchObject({ name: "llm_agent m1", met: 10, valid: 10 });
    expect(found.b).toMatchObject({ name: "llm_agent m2", met: 0, valid: 10 });
    expect(found.notes).toEqual(["On tau2:shop the files tell other policy or data."]);
    expect(found.verdict).toMatch(
      /^llm_agent m2 is worse: it met 0 of 10 trials, llm_agent m1 10 of 10, over 10 tasks \(100\.0 points/,
    );
    expect(found.verdict).not.toContain("root cause");
    // The other way round the same is said of the other arm.
    expect(await compared(b, a)).toMatchObject({ worse: "a", difference: 1, p: found.p });
  });

  it("a task that is defined otherwise, and one that only one of them ran, is refused with why", async () => {
    const a = file("c.json", tau2([[1], [1], [1]]));
    const b = file("d.json", tau2([[1], [0]], { model: "m2", ask: (n) => (n === 1 ? "something else" : `ask ${n}`) }));
    const { refused, tasks } = await compared(a, b);
    expect(tasks.map(({ task }) => task)).toEqual(["tau2:shop:0"]);
    expect(refused.map(({ task, reason }) => [task, reason])).toEqual([
      ["tau2:shop:1", "The task itself was another."],
      ["tau2:shop:2", "Only a ran it."],
    ]);
  });

  it("tasks of two domains are not one another's, though their ids are the same", async () => {
    const found = await compared(file("e.json", tau2(ten(1))), file("f.json", tau2(ten(0), { domain: "bank" })));
    expect(found.tasks).toEqual([]);
    expect(found.cannot_tell?.reason).toContain("no task was run by both");
  });

  it("a trial without a partner of its number is left out and told", async () => {
    const a = file("g.json", tau2([[1, 0, 1, 1], [1]]));
    const b = file("h.json", tau2([[null, 1, null, 0, 1], [0]], { model: "m2" }));
    const { tasks, notes } = await compared(a, b);
    // Trials 1 and 3 of task 0 are in both.
    expect(tasks.map((task) => [task.a, task.b])).toMatchObject([
      [
        { met: 1, valid: 2 },
        { met: 1, valid: 2 },
      ],
      [
        { met: 1, valid: 1 },
        { met: 0, valid: 1 },
      ],
    ]);
    expect(notes).toEqual([
      "2 trials of a left out: b has no trial of the same number on the same task.",
      "1 trial of b left out: a has no trial of the same number on the same task.",
    ]);
  });

  it("without definitions it pairs by id alone, and says so", async () => {
    const { tasks, notes } = await compared(
      file("i.json", tau2(ten(1))),
      file("j.json", tau2(ten(1), { model: "m2", tasks: false })),
    );
    expect(tasks).toHaveLength(10);
    expect(notes).toEqual(["Not both tell what their tasks ask: tasks are paired by their id alone."]);
  });

  it("part of a reward is not met, and a trial without a reward has no verdict", async () => {
    const half = file("k.json", tau2([[0.5], [1]]));
    const file2 = tau2([[1], [1]]);
    Object.assign(file2.simulations[1] ?? {}, { reward_info: null });
    const { tasks, refused } = await compared(half, file("l.json", file2));
    expect(tasks).toMatchObject([{ a: { met: 0, valid: 1 }, b: { met: 1, valid: 1 } }]);
    expect(refused).toMatchObject([{ reason: "No valid trial in b." }]);
  });
});

describe("what cannot be paired is told with why", () => {
  it("results of another benchmark or domain, though their ids are the same", async () => {
    const traj = [{ role: "user", content: "hi" }];
    const other = Array.from({ length: 10 }, (_, i) => ({ task_id: i, trial: 0, reward: 1, traj, info: {} }));
    const { notes } = await compared(file("kinds/a.json", tau2(ten(1))), file("kinds/b.json", other));
    expect(notes).toContain(
      "Tasks pair within one benchmark and domain: only a holds tau2 (shop), only b holds tau-bench.",
    );
  });

  it("trials whose numbers stand twice or are not shared are paired in their order", async () => {
    const a = file("order/a.json", tau2([[1], [1]]));
    const twice = tau2([[1], [null, 1]], { model: "m2" });
    twice.simulations.push(...tau2([[0]]).simulations);
    const { tasks, notes } = await compared(a, file("order/b.json", twice));
    expect(tasks.map(({ b }) => [b.met, b.valid])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(notes).toEqual([
      "On 2 tasks the trials share no number, or a number stands twice: these are paired in their order.",
      "1 trial of b left out: a has fewer on the same task.",
    ]);
  });
});

describe("other results", () => {
  const traj = [{ role: "user", content: "hi" }];
  it("tau-bench: a trial that broke off is one that its arm lost, not another task", async () => {
    const trial = (i: number) => ({ task_id: i, trial: 0, reward: 1, traj, info: { task: { actions: [i] } } });
    const fine = Array.from({ length: 10 }, (_, i) => trial(i));
    const broken = fine.map((one, i) => (i < 2 ? { ...one, reward: 0, traj: [], info: { error: "boom" } } : one));
    const found = await compared(file("fine.json", fine), file("broken.json", broken));
    expect(found.refused.map(({ reason }) => reason)).toEqual(["No valid trial in b.", "No valid trial in b."]);
    expect(found.cannot_tell?.reason).toContain("b lost 2 of 10 trials (2 infra)");
  });

  it("tau-bench: files are told apart by their names, trials by their numbers", async () => {
    const trials = (reward: number) =>
      Array.from({ length: 6 }, (_, i) => ({ task_id: i, trial: 0, reward, traj, info: { task: { actions: [i] } } }));
    const found = await compared(file("gpt.json", trials(1)), file("other.json", trials(0)));
    expect([found.a.name, found.b.name, found.tasks.length, found.worse]).toEqual(["gpt.json", "other.json", 6, "b"]);
  });

  it("AgentDojo: a folder of runs is one agent for each pipeline, tasks are told apart by their attack", async () => {
    const run = (pipeline: string, task: number, utility: boolean, attack: string | null = null) => ({
      suite_name: "bank",
      pipeline_name: pipeline,
      user_task_id: `user_task_${task}`,
      injection_task_id: attack && "injection_task_0",
      attack_type: attack,
      messages: said,
      utility,
      security: false,
    });
    for (let i = 0; i < 6; i++) {
      file(`dojo/p1/${i}.json`, run("p1", i, true));
      file(`dojo/p2/${i}.json`, run("p2", i, i === 0));
    }
    file("dojo/p1/attacked.json", run("p1", 0, false, "important"));
    const of = (name: string) => [0, 1, 2, 3, 4, 5].map((i) => join(folder, `dojo/${name}/${i}.json`));
    const paths = [...of("p1"), join(folder, "dojo/p1/attacked.json"), ...of("p2")];
    const { arms } = await recordedArms(paths.map((path) => ({ path, name: path })));
    expect(arms.map(({ name, files }) => [name, files])).toEqual([
      ["p1", 7],
      ["p2", 6],
    ]);
    const rates = recordedRates(arms);
    expect(rates).toMatchObject([
      { name: "p1", met: 6, valid: 7 },
      {
        name: "p2",
        met: 1,
        valid: 6,
        verdict: expect.stringMatching(/^p2 is worse: it met 1 of 6 trials, p1 6 of 6, over 6 tasks/),
      },
    ]);
    expect(rates[0]).not.toHaveProperty("verdict");
  });

  it("Inspect: samples pair by id and epoch, and all scorers must be met", async () => {
    const found = await compared(file("in1.json", log("m1", "C")), file("in2.json", log("m2", "I")));
    expect([found.a.met, found.b.met, found.tasks.length]).toEqual([5, 0, 5]);
  });

  it("Inspect: a sample that broke off is one that its arm lost, and a log that broke off decides nothing", async () => {
    const whole = log("m2", "C");
    const samples = whole.samples.map((one, i) => (i === 0 ? { ...one, error: { message: "boom" }, scores: {} } : one));
    const a = file("in3.json", log("m1", "C"));
    const found = await compared(a, file("in4.json", { ...whole, samples }));
    expect(found.refused).toMatchObject([{ reason: "No valid trial in b." }]);
    expect(found.cannot_tell?.reason).toContain("b lost 1 of 5 trials");
    const cancelled = file("in5.json", { status: "cancelled", ...whole, samples: [...whole.samples] });
    const { code, stdout } = await svcHere(["compare", a, cancelled, "--gate"], { SVC_DATA_DIR: join(folder, "data") });
    expect({ code, last: stdout.trim().split("\n").at(-1) }).toEqual({
      code: 2,
      last: "Cannot tell: a log of b says that its evaluation did not come to its end: compare one that did.",
    });
  });

  function log(model: string, grade: string) {
    return {
      eval: { task: "quiz", model, created: "2026-01-01T00:00:00Z" },
      plan: { steps: [{ solver: "generate" }] },
      samples: Array.from({ length: 5 }, (_, i) => ({
        id: i,
        epoch: 1,
        input: `q${i}`,
        target: "t",
        messages: said,
        scores: { match: { value: "C" }, second: { value: grade } },
      })),
    };
  }

  it("agents that ran nothing in common are not put beside each other", async () => {
    const arms = await Promise.all([
      arm(file("m.json", tau2(ten(1)))),
      arm(file("n.json", tau2(ten(0), { domain: "bank", model: "m2" }))),
    ]);
    expect(recordedRates(arms)).toEqual([]);
  });
});

describe("svc compare of two files", () => {
  const svc = (...args: string[]) => svcHere(["compare", ...args], { SVC_DATA_DIR: join(folder, "data") });

  it("prints what was not compared, the verdict, and ends as the gate says", async () => {
    const a = file("cli/a.json", tau2([...ten(1), [1]]));
    const b = file("cli/b.json", tau2(ten(0), { model: "m2" }));
    const worse = await svc(a, b, "--gate");
    expect({ code: worse.code, stderr: worse.stderr }).toEqual({ code: 1, stderr: "" });
    expect(worse.stdout.split("\n").slice(0, 3)).toEqual([
      `a is ${a} (llm_agent m1), b is ${b} (llm_agent m2).`,
      "Not compared, 1 task: Only a ran it. (10)",
      expect.stringMatching(/^llm_agent m2 is worse: .*100\.0 points/),
    ]);
    expect((await svc(b, a, "--gate")).code).toBe(0);
    const json = JSON.parse((await svc(a, b, "--gate", "--json")).stdout);
    expect(json).toMatchObject({ gate: { code: 1 }, worse: "b", tasks: { length: 10 } });
  });

  it("says 2 of a file without verdicts, of one that is not there, and of a side with several agents", async () => {
    const a = file("cli/c.json", tau2(ten(1)));
    const chat = file("cli/chat.json", { messages: said });
    file("cli/two/a.json", tau2(ten(1)));
    file("cli/two/b.json", tau2(ten(1), { model: "m2" }));
    for (const [other, told] of [
      [chat, /holds no verdicts that can be compared/],
      [join(folder, "cli", "gone.json"), /no such file or folder/],
      [join(folder, "cli", "two"), /holds results of several/],
    ] as const) {
      const { code, stderr } = await svc(a, other, "--gate");
      expect(code).toBe(2);
      expect(stderr).toMatch(told);
      // As of every command: a file that cannot be used is no failure of a service.
      expect(await svc(a, other)).toMatchObject({ code: 2, stdout: "", stderr });
    }
  });

  it("leaves out files of a folder that hold no verdicts, names them, and refuses what is cut off", async () => {
    const a = file("cli/left/a.json", tau2(ten(1)));
    file("cli/left/none.json", { ...tau2([]), simulations: [] });
    file("cli/left/policy.md", "Be kind.");
    const b = file("cli/right.json", tau2(ten(1), { model: "m2" }));
    const { code, stdout, stderr } = await svc(join(a, ".."), b, "--gate");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")[0]).toBe("Left out, for they hold no verdicts: none.json, policy.md.");
    const alone = await svc(join(a, "..", "none.json"), b, "--gate");
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining("holds no verdicts") });
    file("cli/left/cut.json", JSON.stringify(tau2(ten(0))).slice(0, 300));
    const cut = await svc(join(a, ".."), b, "--gate");
    expect(cut).toMatchObject({ code: 2, stderr: expect.stringContaining("cut.json") });
  });

  it("advises nothing that only helps runs of this service", async () => {
    const ten1 = file("cli/ten.json", tau2(ten(1)));
    const few = file("cli/few.json", tau2([[1], [0]], { model: "m2" }));
    const domain = file("cli/domain.json", tau2(ten(0), { domain: "bank" }));
    const unlike = file("cli/unlike.json", tau2(ten(0), { ask: (n) => `else ${n}` }));
    const lost = file("cli/lost.json", tau2(ten(0).map((one, n) => (n === 0 ? [Number.NaN] : one))));
    for (const other of [few, domain, unlike, lost]) {
      const { stdout, stderr, code } = await svc(ten1, other, "--gate");
      expect({ code, other, stdout }).toMatchObject({ code: 2, stdout: expect.stringContaining("Cannot tell") });
      expect(stdout + stderr).not.toMatch(/\b(?:start|run|environment|watch|job)_[a-z]+|run group/);
    }
  });
});

// Finding E11.
it("svc evaluate of files that hold several agents tells their rewards before anything else", async () => {
  const at = ["eval/a.json", "eval/b.json"].map((name, i) => file(name, tau2(ten(1 - i), { model: `m${i + 1}` })));
  const env = { SVC_DATA_DIR: join(folder, "evaluated") };
  const { stdout, stderr } = await svcHere(["evaluate", ...at, "--out", join(folder, "out")], env);
  expect(stdout.split("\n").slice(0, 3), stderr).toEqual([
    "recorded    llm_agent m1: met 10 of 10 (100.0 %; 95 % interval 66 to 100) [as the files say]",
    "recorded    llm_agent m2: met 0 of 10 (0.0 %; 95 % interval 0 to 34) [as the files say]",
    expect.stringMatching(/^compared {4}llm_agent m2 is worse: it met 0 of 10 trials, llm_agent m1 10 of 10/),
  ]);
});

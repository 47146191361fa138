import { describe, expect, test } from "vitest";
import type { JobStatus } from "../../../chapters/job.ts";
import { groupStatus } from "../../../chapters/runs/groups/group-status.ts";
import { finishTrial } from "../../../chapters/runs/play/finish-trial.ts";
import { counts, named, sample } from "../../../chapters/runs/start/select-tasks.ts";
import { ratesOf } from "../../../chapters/runs/trials/rates.ts";
import { newestAttempts } from "../../../chapters/runs/trials/trial-rows.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import type { FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import { shop, shopRows } from "../../worlds/fixtures/shop.ts";
import { trial } from "./kit.ts";

describe("a group's status is its children's", () => {
  test.each<[JobStatus[], string]>([
    [["landed", "running"], "running"],
    [["landed", "queued", "held"], "running"],
    [["landed", "held"], "held"],
    [["landed", "landed"], "landed"],
    [["landed", "failed", "stopped"], "partial"],
    [["failed", "cancelled", "stopped"], "failed"],
    [["cancelled", "stopped"], "cancelled"],
    [["stopped", "stopped"], "stopped"],
  ])("%s is %s", (children, status) => {
    expect(groupStatus("landed", children)).toBe(status);
  });

  test("before it has children it is its own", () => {
    expect(groupStatus("held", [])).toBe("held");
    expect(groupStatus(undefined, [])).toBe("failed");
  });
});

describe("selections", () => {
  const tasks = generateTasks(shop, shopRows, { seed: "3", count: 40 }).map((task, index) => ({
    id: `tk_${index}`,
    created_at: 1,
    by: "test",
    environment: "env",
    index,
    digest: `digest ${task.id}`,
    task,
    status: (index % 10 === 9 ? "held" : "certified") as "held" | "certified",
    verdicts: [],
  }));

  test("a sample has its size, covers the families and stays the same while digests stand", () => {
    const chosen = sample(tasks, "ci-10");
    expect(chosen).toHaveLength(10);
    expect(sample([...tasks].reverse(), "ci-10").map((row) => row.id)).toEqual(chosen.map((row) => row.id));
    const families = new Set(tasks.map((row) => row.task.family));
    expect(new Set(chosen.map((row) => row.task.family)).size).toBe(Math.min(10, families.size));
    expect(sample(tasks, "smoke-1000")).toHaveLength(tasks.length);
    const lost = chosen[0];
    const without = sample(
      tasks.filter((row) => row !== lost),
      "ci-10",
    ).map((row) => row.id);
    expect(chosen.slice(1).filter((row) => !without.includes(row.id)).length).toBeLessThanOrEqual(1);
    expect(sample(tasks, "smoke-10").map((row) => row.id)).not.toEqual(chosen.map((row) => row.id));
  });

  test("tasks are named by record, own id or index, and unknown names are told", () => {
    const { found, unknown } = named(tasks, ["3", "tk_1", tasks[2]?.task.id ?? "", "3", "nope"]);
    expect(found.map((row) => row.index)).toEqual([1, 2, 3]);
    expect(unknown).toEqual(["nope"]);
    expect(tasks.filter((row) => counts(row, false))).toHaveLength(36);
    expect(tasks.filter((row) => counts(row, true))).toHaveLength(40);
  });
});

test("rates are met of valid, with bounds under both conventions", () => {
  const rows = [trial("a", 1, "met"), trial("a", 2, "failed"), trial("b", 1, "infra"), trial("b", 2, "invalid")];
  expect(ratesOf(rows, 2)).toMatchObject({
    met: 1,
    failed: 1,
    infra: 1,
    invalid: 1,
    valid: 2,
    rate: 0.5,
    bounds: { low: 0.25, high: 0.75 },
    tasks: 1,
  });
  expect(ratesOf([], 1)).toMatchObject({ valid: 0, bounds: { low: 0, high: 1 } });
  expect(ratesOf([], 1).rate).toBeUndefined();
});

test("the newest attempt of a try counts", () => {
  const rows = [trial("a", 1, "infra"), trial("a", 1, "met", { attempt: 2 }), trial("a", 2, "failed")];
  expect(newestAttempts(rows).map((row) => row.end)).toEqual(["met", "failed"]);
});

describe("ends", () => {
  const env = { bundle: shop, base: shopRows };
  const [task] = generateTasks(shop, shopRows, { seed: "3", count: 1 }) as [Task];
  const nothing: FinishedTrial = { calls: [], answers: [{ text: "" }], diff: [] };
  const end = (played: Partial<Parameters<typeof finishTrial>[2]>, of: Task | undefined = task) => {
    const row = finishTrial(of, env, { trial: nothing, ms: 1, log: "", ...played });
    return [row.end, row.cause, row.root_cause];
  };

  test.each([
    ["crash", ["failed", "crash", "crash"]],
    ["out_of_memory", ["failed", "out_of_memory", "crash"]],
    ["format", ["failed", "format", "format"]],
    ["stopped_early", ["failed", "stopped_early", "stopped_early"]],
    ["flood", ["failed", "flood", "flood"]],
    ["timeout", ["failed", "timeout", "timeout"]],
    ["could_not_start", ["infra", "could_not_start", null]],
    ["killed", ["infra", "killed", null]],
    ["provider", ["infra", "provider", null]],
    ["service", ["infra", "service", null]],
    ["task", ["invalid", "task", null]],
  ] as const)("%s", (cause, expected) => {
    expect(end({ cause, trial: { ...nothing, answers: [] } })).toEqual(expected);
  });

  const call = {
    tool: task.script.calls[0]?.tool ?? "",
    args: task.script.calls[0]?.args as FinishedTrial["calls"][number]["args"],
    answer: null,
    answer_class: "error:not_served",
    is_error: true,
    changed: false,
  };

  test("an end before a first turn is the agent's crash once a call or an answer is on record; a provider's is not", () => {
    const called: FinishedTrial = { ...nothing, answers: [], calls: [call] };
    for (const trial of [called, nothing])
      for (const cause of ["could_not_start", "killed"] as const)
        expect(end({ cause, trial })).toEqual(["failed", "crash", "crash"]);
    for (const cause of ["provider", "service"] as const)
      expect(end({ cause, trial: called })).toEqual(["infra", cause, null]);
  });

  test("a flood of one call is a loop", () => {
    const calls = Array.from({ length: 40 }, () => call);
    expect(end({ cause: "flood", trial: { ...nothing, calls } })).toEqual(["failed", "flood", "loop"]);
  });

  test("what an agent says in no form is its failure even where the checks are met", () => {
    const easy: Task = { ...task, checks: [{ kind: "no_state_change" }] };
    expect(end({}, easy)).toEqual(["met", null, null]);
    expect(end({ cause: "format" }, easy)).toEqual(["failed", "format", "format"]);
  });

  test("a gap that the task needed, and a check that cannot decide, make the trial invalid", () => {
    expect(end({ trial: { ...nothing, calls: [call] } })).toEqual(["invalid", "gap", null]);
    const judged: Task = { ...task, checks: [{ kind: "judged", criterion: "polite" }] };
    expect(end({}, judged)).toEqual(["invalid", "undecided", null]);
  });

  test("the answer's class is the agent's own word, else its wording's", () => {
    const classOf = (answers: FinishedTrial["answers"]) =>
      finishTrial(task, env, { trial: { ...nothing, answers }, ms: 1, log: "" }).answer_class;
    expect(classOf([])).toBe("none");
    expect(classOf([{ text: "Here it is.", class: "refused" }])).toBe("refused");
    expect(classOf([{ text: "I could not find such an order." }, { text: "" }])).toBe("said_no_data");
  });
});

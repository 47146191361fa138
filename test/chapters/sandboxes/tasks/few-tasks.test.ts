import { expect, it } from "vitest";
import { whyFewCount } from "../../../../chapters/sandboxes/tasks/few-tasks.ts";
import type { TaskDoc } from "../../../../chapters/sandboxes/tasks/task-records.ts";
import type { Kit } from "../../../../worlds/tasks/kit.ts";
import { keepLosses, type Losses, lost, obstacles } from "../../../../worlds/tasks/losses.ts";

const task = (n: number) => ({
  script: { calls: [{ tool: "set", args: { n } }], class: "answered" },
  checks: [],
});
const rows = (status: string, count: number, more: (n: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, n) => ({ status, task: task(n), ...more(n) })) as unknown as TaskDoc[];

function lossesOf(...all: readonly (readonly [stage: string, reason: string, n: number])[]) {
  const losses: Losses = new Map();
  const kit = {} as Kit;
  keepLosses(kit, losses);
  for (const [stage, reason, n] of all) for (let i = 0; i < n; i++) lost(kit, stage, reason);
  return obstacles(losses, ["set", "relate", "rename"]);
}

it("what was dropped is told by the gap that it was dropped for, with what would help", () => {
  const held = rows("held", 2, (n) => ({
    task: task(50 + n),
    certificate: { neighbourhood: { tools: ["relate"], poor: "relate was answered rightly in 3 of 5" } },
  }));
  const refused = rows("refused", 1, () => ({ reason: "determined: two rows fit" }));
  const dropped = lossesOf(
    ["held drafts", "relate was answered rightly in 3 of 5", 3],
    ["sessions", "nobody knows what set changes", 2],
    ["sessions", "its end is not certain", 1],
    ["calls", "relate meets a gap", 5],
    ["words", "nothing says rename", 4],
    ["write drafts", "is another task already", 9],
  );
  expect(whyFewCount([...rows("certified", 6), ...held, ...refused], dropped)).toBe(
    "6 distinct tasks count; an interval holds from 20 on. What others were lost to: " +
      "5 tasks held, since the world is too poor for them (5: relate was answered rightly in 3 of 5); " +
      "1 task refused by review (1: determined); " +
      "3 recorded sessions could not be replayed (2: nobody knows what set changes, 1: its end is not certain); " +
      "5 drafts ended at a call (5: relate meets a gap); " +
      "4 drafts had no words to be asked in (4: nothing says rename). " +
      "What would help: more sessions that call relate, set, or sessions whose users ask for rename in their own words.",
  );
});

it("other requests are asked for where nothing of the evidence stood in the way", () => {
  expect(whyFewCount(rows("certified", 1), [])).toBe(
    "1 distinct task counts; an interval holds from 20 on. What would help: sessions of more kinds of request.",
  );
});

it("nothing is told where enough count or none, where a review is due, and where no more was asked for", () => {
  for (const [tasks, dropped] of [
    [rows("certified", 20), []],
    [rows("refused", 3), []],
    [[...rows("certified", 3), ...rows("draft", 1)], []],
    [rows("certified", 3), undefined],
  ] as const)
    expect(whyFewCount(tasks, dropped)).toBeUndefined();
});

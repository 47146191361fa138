import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { countsJson } from "../../src/agreement/report.ts";
import { readTraces } from "../../src/fidelity/traces.ts";
import { compile } from "../../worlds/compile/index.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import { measureAgreement } from "../../worlds/tasks/observed/agreement.ts";

const data = process.env.SVC_DATA ?? "";

async function read(file: string): Promise<ObservedTrace[]> {
  const path = `${data}/dev/${file}`;
  if (!existsSync(path)) throw new Error("SVC_DATA must name the folder of real traces");
  return [...(await readTraces([path], () => {})).traces];
}

/** Trials of one file: the first of each task, and the others. */
function byTrial(traces: readonly ObservedTrace[]): [ObservedTrace[], ObservedTrace[]] {
  const seen = new Set<string>();
  const first = traces.filter(({ group = "" }) => !seen.has(group) && seen.add(group));
  return [first, traces.filter((trace) => !first.includes(trace))];
}

/** Judged as the recorded reward says, of those with a task, over splits in both directions. */
async function agreed(splits: readonly (readonly [ObservedTrace[], ObservedTrace[]])[]) {
  const sum = { right: 0, of: 0 };
  for (const [a, b] of splits)
    for (const [train, test] of [
      [a, b],
      [b, a],
    ] as const) {
      const counts = countsJson(measureAgreement(compile(train, { name: "measured" }), train, test));
      sum.right += counts.true_pass + counts.true_fail;
      sum.of += counts.with_task;
    }
  return sum;
}

it("airline: at least 94 in 100 recorded rewards are agreed with, split by file and by trial", async () => {
  const splits = [
    byTrial(await read("airline/tau-bench-v1.gpt-4o.trials01.json")),
    [await read("airline/tau2.gpt-4.1.json"), await read("airline/tau2.toolorchestra-gpt-4.1-mini.json")] as const,
  ];
  const { right, of } = await agreed(splits);
  expect(of).toBeGreaterThanOrEqual(40);
  expect(right / of).toBeGreaterThanOrEqual(0.94);
});

it("retail: at least 98 in 100 recorded rewards are agreed with, split by file", async () => {
  const { right, of } = await agreed([
    [await read("retail/tau2.gpt-4.1.json"), await read("retail/tau2.toolorchestra-gpt-4.1-mini.json")],
  ]);
  expect(of).toBeGreaterThanOrEqual(38);
  expect(right / of).toBeGreaterThanOrEqual(0.98);
});

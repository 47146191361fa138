import { countOf } from "../../count-of.ts";
import { escapeText } from "../../text/markdown.ts";
import { planSentence } from "../start/plan.ts";
import type { CallSeen } from "./compare-calls.ts";
import type { Arm, ComparedTask, Comparison } from "./compare-types.ts";
import { causesHeading, meanReward } from "./compare-verdict.ts";

/** A comparison as Markdown: the verdict first, whose names are plain words, then what it rests on. Text from tasks is escaped. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { a, b } = comparison;
  return [
    "# Comparison",
    "",
    `**${comparison.verdict}**`,
    "",
    "| arm | agent | version | met of valid | 95 % interval over tasks | planned | infra | invalid | not played | rate with those failed or met | group |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    ...(
      [
        ["a", a],
        ["b", b],
      ] as const
    ).map(
      ([arm, side]) =>
        `| ${arm} | ${escapeText(side.name)} | ${escapeText(side.version ?? "")} | ${side.met} of ${side.valid}${side.rewards === undefined ? "" : `, mean reward ${meanReward(side)}`} | ${percent(side.low)} to ${percent(side.high)} | ${side.planned} | ${side.missing.infra} | ${side.missing.invalid} | ${side.missing.not_played} | ${percent(side.bounds.low)} to ${percent(side.bounds.high)} | ${side.group} |`,
    ),
    "",
    ...statistics(comparison),
    ...environments(comparison),
    ...section("Tasks that flipped", comparison.flips),
    ...section("All tasks", comparison.tasks),
    ...calls(comparison.tasks),
    ...refusals(comparison),
  ].join("\n");
}

function statistics(comparison: Comparison): string[] {
  const { words, confidence, tasks, p, bands, smallest, causes, worse, cannot_tell: untold } = comparison;
  const could =
    smallest === undefined
      ? `So few tasks (${tasks.length}) can show no difference at all at this band.`
      : comparison.a.rewards !== undefined || comparison.b.rewards !== undefined
        ? `At least ${countOf(smallest.flips, "task has", "tasks have")} to differ, all one way, for anything to be shown.`
        : `${smallestSentence(smallest)} What is likely to be found stands in the next line.`;
  const sure =
    untold === undefined
      ? `${confidence < 1 ? "Not decided" : `Confidence ${Math.floor(confidence)} of 100`}: *${words}* (bands ${bands.low} and ${bands.high}). Exact paired permutation test over ${tasks.length} task differences, two-sided p ${p.toPrecision(3)}.`
      : "There is no confidence where nothing can be told.";
  return [
    `${sure} Deterministic: from stored trials; nothing was graded or run again.`,
    "",
    could,
    "",
    ...(comparison.plan === undefined ? [] : [`${planSentence(comparison.plan)} By ${comparison.plan.formula}.`, ""]),
    ...(causes.length === 0
      ? []
      : [
          `${causesHeading(worse, { a: "a", b: "b" })}: ${causes.map(({ cause, trials }) => `${cause} (${trials})`).join(", ")}.`,
          "",
        ]),
  ];
}

/** The least that a comparison could have shown, and that it is no promise to find it. */
export function smallestSentence({ flips, difference }: NonNullable<Comparison["smallest"]>): string {
  return `The least that so many tasks and tries can show at all is ${(100 * difference).toFixed(1)} points: ${countOf(flips, "task that differs", "tasks that differ")} by one try, all one way.`;
}

function environments({ environments: list }: Comparison): string[] {
  return [
    "## Environments",
    "",
    "| environment | tasks | a | b | delta |",
    "|---|---|---|---|---|",
    ...list.map(
      (row) =>
        `| ${escapeText(row.label)} (${row.environment}) | ${row.tasks} | ${share(row.a)} | ${share(row.b)} | ${signed(row.delta)} |`,
    ),
    "",
  ];
}

function section(title: string, tasks: readonly ComparedTask[]): string[] {
  if (tasks.length === 0) return [`## ${title}`, "", "None.", ""];
  return [
    `## ${title}`,
    "",
    "| task | family | request | a | b | delta | root causes |",
    "|---|---|---|---|---|---|---|",
    ...tasks.map(
      (task) =>
        `| ${escapeText(task.label)} ${task.index} | ${task.family} | ${escapeText(task.request, 160)} | ${share(task.a)} | ${share(task.b)} | ${signed(task.delta)} | ${whyOf(task)} |`,
    ),
    "",
  ];
}

function whyOf(task: ComparedTask): string {
  return (["a", "b"] as const)
    .flatMap((arm) =>
      task.causes[arm].length === 0 ? [] : [`${arm}: ${task.causes[arm].map(({ cause }) => cause).join(", ")}`],
    )
    .join("; ");
}

function calls(tasks: readonly ComparedTask[]): string[] {
  const rows = tasks.flatMap((task) => task.calls.map((differ) => ({ task, differ })));
  if (rows.length === 0) return ["## Calls that differ", "", "None.", ""];
  return [
    "## Calls that differ",
    "",
    "| task | try | first at call | a | b | what |",
    "|---|---|---|---|---|---|",
    ...rows.map(
      ({ task, differ }) =>
        `| ${escapeText(task.label)} ${task.index} | ${differ.n} | ${differ.at} | ${callOf(differ.a)} of ${differ.calls.a} | ${callOf(differ.b)} of ${differ.calls.b} | ${differ.what} |`,
    ),
    "",
  ];
}

function refusals({ refused }: Comparison): string[] {
  if (refused.length === 0) return [];
  const line = (row: Comparison["refused"][number]) =>
    `- ${escapeText(row.label)} ${row.index}: ${row.reason}${row.way_out === undefined ? "" : ` (${row.way_out})`}`;
  return ["## Not compared", "", ...refused.map(line), ""];
}

function callOf(call: CallSeen | null): string {
  return call === null ? "no call" : `${escapeText(call.tool)} (${escapeText(call.answer_class)})`;
}

function share(arm: Arm): string {
  const beside = arm.infra + arm.invalid;
  const rewards = arm.rewards === undefined ? "" : `, mean reward ${meanReward(arm)}`;
  return `${arm.met} of ${arm.valid}${beside === 0 ? "" : ` (+${beside} not counted)`}${rewards}`;
}

function signed(delta: number): string {
  const points = (100 * delta).toFixed(1);
  return delta > 0 ? `+${points}` : points;
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

import { countOf } from "../../count-of.ts";
import { cut } from "../pages/words.ts";
import { spanOf } from "./root-run-facts.ts";
import { type Ask, bodyOf, type Subject, subjectGroup, subjectPair } from "./root-subject.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is told as none.
type Body = any;

const SHOWN = 8;

/** Every trial of the run that a question is about, with its task as people call it. */
async function trialsOf(ask: Ask, text: string): Promise<{ subject: Subject; trials: Body[] } | undefined> {
  const subject = await subjectGroup(ask, text);
  const group = subject && (await bodyOf(ask, "run_group", { gid: subject.group }));
  if (!subject || !group) return undefined;
  const tasks = new Map<string, Body>((group.tasks ?? []).map((task: Body) => [task.task, task]));
  const trials: Body[] = [];
  for (const { run } of subject.row.environments)
    for (const trial of (await bodyOf(ask, "run_get", { rid: run }))?.trials ?? [])
      trials.push({ ...trial, of: tasks.get(trial.task) });
  return trials.length === 0 ? undefined : { subject, trials };
}

function taskOf({ of, task }: Body): string {
  return of ? `task ${of.index}, "${cut(of.request, 90)}"` : String(task);
}

/** The newest failed trial of a run, or the first where that is asked: what was asked and said, and why it failed. */
export async function failedTrial(ask: Ask, text: string): Promise<string[]> {
  const subject = await subjectGroup(ask, text);
  const list = subject && (await bodyOf(ask, "run_trace", { rid: subject.run }));
  if (!subject || !list?.tree) return [];
  const failed = list.trials.filter(({ end }: Body) => end === "failed");
  if (failed.length === 0) return [`No trial of ${subject.who} failed.`];
  const wanted = /\bfirst\b/i.test(text) ? failed[0] : failed.at(-1);
  const read = await bodyOf(ask, "run_trace", { rid: subject.run, trial: wanted.trial });
  if (!read?.tree) return [];
  const { request, root_cause: cause, checks, answers, calls } = read.tree;
  const blamed = calls.filter((call: Body) => call.is_error).map((call: Body) => `${call.tool} (${call.answer_class})`);
  return [
    `Trial ${wanted.trial} of ${subject.who} failed by ${cause ?? "its checks"}: asked "${cut(request, 120)}", it made ${countOf(calls.length, "call")} and said "${cut(answers.at(-1)?.text ?? "", 120)}".`,
    ...checks
      .filter(({ verdict }: Body) => verdict === "not_met")
      .map(({ kind, reason }: Body) => `- ${kind}: ${reason}`),
    ...(blamed.length > 0 ? [`- calls that were refused or failed: ${blamed.join(", ")}`] : []),
    `- step by step: svc call run_trace rid=${subject.run} trial=${wanted.trial}, or the trial's page in the console`,
    ...subject.note,
  ];
}

/** The trials that took the longest. */
export async function longest(ask: Ask, text: string): Promise<string[]> {
  const read = await trialsOf(ask, text);
  if (!read) return [];
  const sorted = read.trials.filter(({ ms }) => typeof ms === "number").sort((a, b) => b.ms - a.ms);
  const [first, ...rest] = sorted.map((trial) => `${taskOf(trial)}: ${spanOf(trial.ms / 1000)}, ${trial.end}`);
  if (first === undefined) return [];
  return [
    `The longest of ${countOf(sorted.length, "trial")} of ${read.subject.who} was of ${first}.`,
    ...rest.slice(0, SHOWN - 1).map((row) => `- ${row}`),
    ...read.subject.note,
  ];
}

/** The trials that cost most: in dollars where agents told them, else in tokens. */
export async function dearest(ask: Ask, text: string): Promise<string[]> {
  const read = await trialsOf(ask, text);
  if (!read) return [];
  const { subject, trials } = read;
  const priced = trials.filter(({ usd }) => typeof usd === "number").sort((a, b) => b.usd - a.usd);
  const all = ({ tokens }: Body) => tokens.input + tokens.output;
  const counted = trials.filter(({ tokens }) => tokens !== undefined).sort((a, b) => all(b) - all(a));
  const inTokens = priced.length === 0 || /\btokens?\b/i.test(text);
  const [first, ...rest] = inTokens
    ? counted.map((trial) => `${taskOf(trial)}: ${countOf(all(trial), "token")}`)
    : priced.map((trial) => `${taskOf(trial)}: ${trial.usd.toFixed(4)} USD`);
  if (first === undefined)
    return [
      `What each of ${countOf(trials.length, "trial")} of ${subject.who} cost is not known: its agent told neither dollars nor tokens.`,
      ...subject.note,
    ];
  return [
    `The most expensive trial of ${subject.who} was of ${first}.`,
    ...rest.slice(0, SHOWN - 1).map((row) => `- ${row}`),
    ...subject.note,
  ];
}

/** How many tool calls a trial makes. */
export async function callsOfRun(ask: Ask, text: string): Promise<string[]> {
  const read = await trialsOf(ask, text);
  if (!read) return [];
  const counts: number[] = read.trials.map(({ calls }) => calls).filter((calls) => typeof calls === "number");
  if (counts.length === 0) return [];
  const sum = counts.reduce((all, calls) => all + calls, 0);
  return [
    `${read.subject.who} made ${(sum / counts.length).toFixed(1)} tool calls a trial on average, ${Math.min(...counts)} at least and ${Math.max(...counts)} at most, in ${countOf(counts.length, "trial")}.`,
    ...read.subject.note,
  ];
}

/** How many tasks that ended otherwise under two versions are looked at call by call. */
const COMPARED = 4;

/** Where two versions first did something else, in the tasks that they ended otherwise. */
export async function firstDifference(ask: Ask, text: string): Promise<string[]> {
  const pair = await subjectPair(ask, text);
  if (!pair) return ["Nothing can be compared yet: it takes two run groups, and start_run makes one."];
  const [a, b] = pair;
  const flips: Body[] = (await bodyOf(ask, "compare_runs", { a: a.group, b: b.group, format: "json" }))?.flips ?? [];
  if (flips.length === 0) return [`No task ended otherwise under ${a.who} and ${b.who}.`];
  const rows: string[] = [];
  for (const flip of flips.slice(0, COMPARED)) {
    const [one, other] = [await playedIn(ask, a, flip), await playedIn(ask, b, flip)];
    if (!one || !other) continue;
    const [before, after] = [one.calls, other.calls];
    const at = [...before, undefined].findIndex((call, i) => call !== after[i] || call === undefined);
    const told = (call: string | undefined) => (call === undefined ? "made no more calls" : `called ${cut(call, 90)}`);
    rows.push(
      before[at] === after[at]
        ? `- task ${flip.index}, "${cut(flip.request, 90)}": the same ${countOf(at, "call")}; then ${a.who} said "${one.said}", ${b.who} "${other.said}"`
        : `- task ${flip.index}, "${cut(flip.request, 90)}": at call ${at + 1} ${a.who} ${told(before[at])}, ${b.who} ${told(after[at])}`,
    );
  }
  return [
    `${countOf(flips.length, "task")} ended otherwise under ${a.who} and ${b.who}; in the first ${rows.length}, this is where their calls part.`,
    ...rows,
    ...b.note,
  ];
}

/** The calls of the first trial of a task in a run, a text each, and its last answer. */
async function playedIn(ask: Ask, { row }: Subject, { task, environment }: Body) {
  const run = row.environments.find((of: Body) => of.environment === environment)?.run;
  if (run === undefined) return undefined;
  const { trials = [] } = (await bodyOf(ask, "run_trace", { rid: run })) ?? {};
  const trial = trials.find((of: Body) => String(of.trial).startsWith(`${task}.`));
  const { tree } = (trial && (await bodyOf(ask, "run_trace", { rid: run, trial: trial.trial }))) ?? {};
  const calls: string[] | undefined = tree?.calls.map(({ tool, args }: Body) => `${tool} ${JSON.stringify(args)}`);
  return calls && { calls, said: cut(tree.answers.at(-1)?.text ?? "", 80) };
}

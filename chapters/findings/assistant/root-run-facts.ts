import { countOf } from "../../count-of.ts";
import { cut } from "../pages/words.ts";
import { rowLines } from "./root-rows.ts";
import {
  type Ask,
  bodyOf,
  landedGroups,
  newestByPlayer,
  newestLanded,
  type Subject,
  subjectGroup,
  subjectPair,
  timeOf,
  whoOf,
} from "./root-subject.ts";
import { aboutTopic, topicIn } from "./root-task-facts.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is told as none.
type Body = any;

const SHOWN = 8;
/** Asks whether to let a change out. */
export const SHIP = /\b(ship|deploy|release|roll ?out|merge|promote|go live)\b/i;

export async function power(ask: Ask, text: string): Promise<string[]> {
  const pair = await subjectPair(ask, text);
  if (!pair) return [];
  const said = /(\d+(?:\.\d+)?)\s*(?:-?\s*(?:percentage )?points?|%|percent|pp\b)/i.exec(text)?.[1];
  const difference = said === undefined ? {} : { difference: Math.min(1, Math.max(0.001, Number(said) / 100)) };
  const [a, b] = pair;
  const compared = await bodyOf(ask, "compare_runs", { a: a.group, b: b.group, format: "json", ...difference });
  const plan = compared?.plan;
  if (!plan) return [];
  return [
    `To show a difference of ${(100 * plan.difference).toFixed(1)} points ${Math.round(100 * plan.power)} times in 100 takes ${countOf(plan.tasks, "task")} with ${plan.tries} tries in each arm: ${countOf(plan.trials, "trial")}, by how much ${a.who} and ${b.who} vary.`,
    ...(plan.power_now === undefined
      ? []
      : [`- the tasks that both ran show it ${Math.round(100 * plan.power_now)} times in 100`]),
  ];
}

export async function costOfRun(ask: Ask, text: string): Promise<string[]> {
  const subject = await subjectGroup(ask, text);
  if (!subject) return [];
  const prices: number[] = [];
  const used: Body[] = [];
  let trials = 0;
  for (const { run } of subject.row.environments) {
    const read = await bodyOf(ask, "run_get", { rid: run });
    if (!read) return [];
    trials += read.trials.length;
    for (const { usd, tokens } of read.trials) {
      if (typeof usd === "number") prices.push(usd);
      if (tokens !== undefined) used.push(tokens);
    }
  }
  if (/\btokens\b/i.test(text)) return tokensOf(subject, used, trials);
  const usd = prices.reduce((sum, price) => sum + price, 0);
  const of = `the run of ${subject.who} (${countOf(trials, "trial")})`;
  return [
    prices.length === 0
      ? `What ${of} cost is not known: its agent told no cost.`
      : `${of.charAt(0).toUpperCase()}${of.slice(1)} cost ${usd.toFixed(2)} USD${prices.length < trials ? `, as far as it is known: of ${prices.length} trials` : ""}.`,
    ...subject.note,
  ];
}

function tokensOf({ who, note }: Subject, used: readonly Body[], trials: number): string[] {
  const sum = (of: "input" | "output") => used.reduce((all, tokens) => all + tokens[of], 0);
  return [
    used.length === 0
      ? `How many tokens the run of ${who} (${countOf(trials, "trial")}) used is not known: its agent told none.`
      : `The run of ${who} used ${sum("input")} tokens in and ${sum("output")} out, by ${used.length} of ${countOf(trials, "trial")}.`,
    ...note,
  ];
}

export async function timeOfRun(ask: Ask, text: string): Promise<string[]> {
  const compared = /\b(slower|faster|quicker|longer|both|two)\b|\b(more|less) time\b/i.test(text)
    ? await timeOfPair(ask, text)
    : [];
  if (compared.length > 0) return compared;
  const subject = await subjectGroup(ask, text);
  const job = subject && (await bodyOf(ask, "job_status", { job_id: subject.group }));
  if (!subject || typeof job?.started_at !== "number") return [];
  const from = `from ${timeOf(job.started_at)}`;
  const each = /\b(average|mean|typical\w*|median|per|each|one|single|a) (trial|task|test)\b|\bon average\b/i.test(
    text,
  );
  const took = each ? await secondsOf(ask, subject) : [];
  if (took.length > 0)
    return [
      `A trial of ${subject.who} took ${spanOf(meanOf(took))} on average, ${spanOf(Math.max(...took))} at most, of ${countOf(took.length, "trial")}.`,
      ...subject.note,
    ];
  return [
    job.ended_at === null
      ? `The run of ${subject.who} began ${from.slice(5)} and is ${job.status}.`
      : `The run of ${subject.who} took ${spanOf(job.ended_at - job.started_at)}, ${from} to ${timeOf(job.ended_at)}, for ${countOf(job.done, "trial")}${subject.row.by === undefined ? "" : `; ${subject.row.by} started it`}.`,
    ...endOf(subject),
    ...subject.note,
  ];
}

/** How the trials of a run ended, for who asks when it was asks this next. */
function endOf({ row: { counts, status } }: Subject): string[] {
  return counts === undefined
    ? []
    : [
        `- ${status}: met ${counts.met} and failed ${counts.failed} of ${countOf(counts.planned, "trial")}; ${counts.infra} ended infra, ${counts.invalid} invalid`,
      ];
}

/** How long each trial of a group took, as far as it is known. */
async function secondsOf(ask: Ask, { row }: Subject): Promise<number[]> {
  const took: number[] = [];
  for (const { run } of row.environments)
    for (const { ms } of (await bodyOf(ask, "run_get", { rid: run }))?.trials ?? [])
      if (typeof ms === "number") took.push(ms / 1000);
  return took;
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
}

/** Which of two versions takes longer a trial; none where one of them does not tell. */
async function timeOfPair(ask: Ask, text: string): Promise<string[]> {
  const pair = await subjectPair(ask, text);
  if (!pair) return [];
  const rows: { who: string; mean: number; of: number }[] = [];
  for (const subject of pair) {
    const took = await secondsOf(ask, subject);
    if (took.length > 0) rows.push({ who: subject.who, mean: meanOf(took), of: took.length });
  }
  const [slow, fast] = rows.sort((a, b) => b.mean - a.mean);
  if (slow === undefined || fast === undefined) return [];
  const told = ({ who, mean, of }: typeof slow) => `${who} ${spanOf(mean)} on average, of ${countOf(of, "trial")}`;
  return [`${slow.who} takes longer a trial: ${told(slow)}; ${told(fast)}.`, ...pair[1].note];
}

export async function failedTasks(ask: Ask, text: string): Promise<string[]> {
  const subject = await subjectGroup(ask, text);
  const group = subject && (await bodyOf(ask, "run_group", { gid: subject.group }));
  if (!subject || !group) return [];
  const valid = group.tasks.filter(({ ends }: Body) => ends.met + ends.failed > 0);
  const always = valid.filter(({ ends }: Body) => ends.met === 0);
  const some = valid.filter(({ ends }: Body) => ends.failed > 0);
  const ended: Body[] = /\b(always|every|never|all)\b/i.test(text) ? always : some;
  // Only words that a task has name a topic: others are of the question alone.
  const { known, found } = aboutTopic(valid, topicIn(text));
  const wanted: Body[] = known.length === 0 ? ended : ended.filter((task) => found.includes(task));
  const how =
    ended === always
      ? "in every trial"
      : `in a trial, ${wanted.filter((task) => always.includes(task)).length} of them in every one`;
  const of =
    known.length === 0
      ? countOf(valid.length, "task")
      : `${countOf(found.length, "task")} with ${known.map((word) => `"${word}"`).join(" and ")}`;
  return [
    `${subject.who} failed ${wanted.length} of ${of} ${how}.`,
    ...wanted
      .sort((x: Body, y: Body) => y.ends.failed - x.ends.failed)
      .slice(0, SHOWN)
      .map(
        ({ request, family, root_causes: causes, index }: Body) =>
          `- task ${index}, "${cut(request, 90)}" (${family}): ${causes.join(", ")}`,
      ),
    ...(wanted.length > SHOWN ? [`- and ${wanted.length - SHOWN} more; run_group lists them`] : []),
    ...subject.note,
  ];
}

export async function verdictOnPair(ask: Ask, text: string): Promise<string[]> {
  const pair = await subjectPair(ask, text);
  if (!pair) return ["Nothing can be compared yet: it takes two run groups, and start_run makes one."];
  const [a, b] = pair;
  const { status, verdict, body } = await ask("compare_runs", { a: a.group, b: b.group, format: "json" });
  if (status >= 300 || verdict === undefined) return [];
  const advice = SHIP.test(text) ? ["- whether that is enough is yours to decide"] : [];
  return [verdict, ...advice, ...rowLines("compare_runs", body), ...b.note];
}

/** A span of time as people say it. */
export function spanOf(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return seconds < 7200 ? `${(seconds / 60).toFixed(1)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}

/** What became of each family of tasks, the worst first, or the best where that is asked. */
export async function families(ask: Ask, text: string): Promise<string[]> {
  const subject = await subjectGroup(ask, text);
  const group = subject && (await bodyOf(ask, "run_group", { gid: subject.group }));
  const rows: Body[] = (group?.families ?? []).filter(({ valid }: Body) => valid > 0);
  if (!subject || rows.length === 0) return [];
  const best = /\b(best|easiest|most|good|well|strong\w*|strengths?|excel\w*)\b/i.test(text);
  const rate = ({ met, valid }: Body) => met / valid;
  rows.sort((x, y) => (best ? rate(y) - rate(x) : rate(x) - rate(y)) || y.valid - x.valid);
  const end = rows.filter((row) => rate(row) === rate(rows[0])).map(({ family }) => family.replaceAll("_", " "));
  return [
    `${subject.who} does ${best ? "best" : "worst"} at ${end.join(", ")}: ${rows[0].met} of ${rows[0].valid} trials met${end.length > 1 ? " in the first" : ""}.`,
    ...rows.map(({ family, met, valid }) => `- ${family.replaceAll("_", " ")}: ${met} of ${valid} met`),
    ...subject.note,
  ];
}

/** Why trials failed, the most frequent root cause first. */
export async function rootCauses(ask: Ask, text: string): Promise<string[]> {
  const subject = await subjectGroup(ask, text);
  const levels = subject && (await bodyOf(ask, "run_group_levels", { gid: subject.group }));
  if (!subject || !levels) return [];
  const [worst] = levels.failures;
  if (worst === undefined) return [`No trial of ${subject.who} failed.`, ...subject.note];
  const failed = levels.failures.reduce((sum: number, { trials }: Body) => sum + trials, 0);
  return [
    `Most failures of ${subject.who} are ${worst.cause}: ${worst.trials} of ${countOf(failed, "failed trial")}.`,
    ...levels.failures.map(({ cause, trials, advice }: Body) => `- ${cause} (${countOf(trials, "trial")}): ${advice}`),
    ...subject.note,
  ];
}

/** How the newest run of each agent and harness ended, by environment, the best first: more met, then more tried. */
export async function ranking(ask: Ask, text: string): Promise<string[]> {
  const subjects = await newestByPlayer(ask, text);
  const rates = new Map<string, { met: number; valid: number }>();
  for (const { group, row } of subjects) {
    const counts = row.counts ?? (await bodyOf(ask, "run_group", { gid: group }))?.rates;
    if (counts) rates.set(group, { met: counts.met, valid: counts.met + counts.failed });
  }
  const share = ({ group }: { group: string }) => {
    const { met, valid } = rates.get(group) ?? { met: 0, valid: 0 };
    return valid === 0 ? -1 : met / valid;
  };
  const own = subjects.filter(({ row, group }) => !row.player?.harness && rates.has(group));
  own.sort((x, y) => share(y) - share(x));
  const lines = own.map(({ who, group, row }) => {
    const { met, valid } = rates.get(group)!;
    const where = row.environments.map(({ label, environment }: Body) => label ?? environment).join(", ");
    return `${who} met ${met} of ${countOf(valid, "valid trial")} on ${where}`;
  });
  if (lines.length === 0) return [];
  const worst = /\b(worst|weakest)\b/i.test(text);
  if (worst) lines.reverse();
  const rank = `the ${worst ? "lowest" : "highest"} share of ${countOf(lines.length, "agent version")}`;
  return [
    `${lines[0]}, ${lines.length > 1 ? rank : "the only agent version that was run"}.`,
    ...lines.slice(1, SHOWN).map((line) => `- ${line}`),
    ...(lines.length > 1 ? ["- whether two differ beyond chance, compare_runs tells"] : []),
  ];
}

/** How a run ended: the one that a question names, else the newest; with its failed tasks, the worst first. */
export async function runResult(ask: Ask, text: string): Promise<string[]> {
  if (OVER_ALL.test(text)) return resultOfAll(ask, text);
  const subject = await subjectGroup(ask, text);
  if (!subject) return [];
  const { status, body, verdict } = await ask("run_group", { gid: subject.group });
  if (status >= 300 || verdict === undefined) return [];
  const counts = (body as Body).counts;
  return [
    verdict,
    ...(counts === undefined
      ? []
      : [
          `- met ${counts.met} and failed ${counts.failed} of ${countOf(counts.planned, "trial")}, begun ${timeOf(subject.row.created_at)}${subject.row.by === undefined ? "" : ` by ${subject.row.by}`}; ${counts.infra} ended infra, ${counts.invalid} invalid`,
        ]),
    ...rowLines("run_group", body),
    ...subject.note,
  ];
}

const OVER_ALL =
  /\b(all|every|each)( of)?( the| our| my)? (runs?|run groups?|evaluations?)\b|\bin total\b|\b(al)?together\b/i;

/** How the trials of all run groups ended, or of those that a question names. */
export async function resultOfAll(ask: Ask, text: string): Promise<string[]> {
  const { groups, more } = await landedGroups(ask, text);
  if (groups.length === 0) return [];
  const sum = (end: string) => groups.reduce((all, { counts }) => all + (counts[end] ?? 0), 0);
  const told = ({ counts }: Body) => `met ${counts.met} and failed ${counts.failed}`;
  return [
    `${sum("failed")} of ${countOf(sum("planned"), "trial")} failed and ${sum("met")} were met, over ${more ? "the newest " : ""}${countOf(groups.length, "run group")}; ${sum("infra")} ended infra, ${sum("invalid")} invalid.`,
    ...groups.slice(0, SHOWN).map((row) => `- ${whoOf(row)}: ${told(row)} of ${row.counts.planned}`),
    ...(groups.length > SHOWN ? [`- and ${groups.length - SHOWN} more`] : []),
  ];
}

/** The tasks that no agent met in its newest run. */
export function neverMet(ask: Ask, text: string): Promise<string[]> {
  return metBy("none", ask, text);
}

/** The tasks that every agent met in each trial of its newest run. */
export function alwaysMet(ask: Ask, text: string): Promise<string[]> {
  return metBy("all", ask, text);
}

async function metBy(how: "none" | "all", ask: Ask, text: string): Promise<string[]> {
  const subjects = (await newestByPlayer(ask, text)).filter(({ row }) => !row.player?.harness);
  const tasks = new Map<string, { task: Body; met: number; tried: number }>();
  for (const { group } of subjects)
    for (const task of (await bodyOf(ask, "run_group", { gid: group }))?.tasks ?? []) {
      const known = tasks.get(task.task) ?? { task, met: 0, tried: 0 };
      const { met, failed } = task.ends;
      tasks.set(task.task, { task, met: known.met + met, tried: known.tried + met + failed });
    }
  const tried = [...tasks.values()].filter((row) => row.tried > 0);
  const wanted = tried.filter(({ met, tried: of }) => met === (how === "none" ? 0 : of));
  if (tried.length === 0) return [];
  return [
    `${wanted.length} of ${countOf(tried.length, "task")} ${wanted.length === 1 ? "was" : "were"} met by ${how === "none" ? "none" : "each trial"} of ${countOf(subjects.length, "agent version")} in its newest run: ${subjects.map(({ who }) => who).join(", ")}.`,
    ...wanted
      .slice(0, SHOWN)
      .map(
        ({ task }) =>
          `- task ${task.index}, "${cut(task.request, 90)}" (${task.family})${how === "none" ? `: ${task.root_causes.join(", ")}` : ""}`,
      ),
    ...(wanted.length > SHOWN ? [`- and ${wanted.length - SHOWN} more`] : []),
  ];
}

/** The kinds of checks that held in every trial of the newest runs. */
export async function neverFailedChecks(ask: Ask, text: string): Promise<string[]> {
  const subjects = (await newestByPlayer(ask, text)).filter(({ row }) => !row.player?.harness);
  const kinds = new Map<string, { met: number; lost: number }>();
  for (const { group } of subjects)
    for (const { criterion, met, not_met: lost } of (await bodyOf(ask, "run_group", { gid: group }))?.criteria ?? []) {
      const known = kinds.get(criterion) ?? { met: 0, lost: 0 };
      kinds.set(criterion, { met: known.met + met, lost: known.lost + lost });
    }
  if (kinds.size === 0) return [];
  const held = [...kinds].filter(([, { lost }]) => lost === 0);
  return [
    `${held.length} of ${countOf(kinds.size, "kind of check", "kinds of checks")} failed in no trial of the newest runs of ${subjects.map(({ who }) => who).join(", ")}${held.length > 0 ? `: ${held.map(([kind, { met }]) => `${kind} (met ${met} times)`).join(", ")}` : ""}.`,
    "- each check of a certified task has rejected a wrong trial in its review: environment_review tells which",
  ];
}

/** The checks that failed in a run, by kind, the most frequent first. */
export async function failedChecks(ask: Ask, text: string): Promise<string[]> {
  const subject = await subjectGroup(ask, text);
  const group = subject && (await bodyOf(ask, "run_group", { gid: subject.group }));
  const rows: Body[] = (group?.criteria ?? []).filter((row: Body) => row.not_met > 0);
  if (!subject || !group?.criteria) return [];
  rows.sort((x, y) => y.not_met - x.not_met);
  const told = rows.map(({ criterion, met, not_met: lost }) => `${criterion}: ${lost} of ${met + lost} not met`);
  return told.length === 0
    ? [`No check failed in the run of ${subject.who}.`, ...subject.note]
    : [
        `Of the checks of ${subject.who}, most failed ${told[0]}.`,
        ...told.slice(1).map((row) => `- ${row}`),
        ...subject.note,
      ];
}

/** The trials that say nothing of their agent: of a fault elsewhere, or a question to the world that it cannot answer. */
export async function uncharged(ask: Ask, text: string): Promise<string[]> {
  const counted: Body[] = (await newestLanded(ask, text)).map(({ who, counts }) => ({ who, ...counts }));
  if (counted.length === 0) return [];
  const sum = (name: "infra" | "invalid") => counted.reduce((all, row) => all + row[name], 0);
  return [
    `${countOf(sum("infra"), "trial")} of the newest runs ended infra (a fault that is not the agent's) and ${sum("invalid")} invalid (the world could not answer, or the trial was broken off); neither is charged to an agent.`,
    ...counted
      .filter(({ infra, invalid }) => infra + invalid > 0)
      .map(({ who, infra, invalid, planned }) => `- ${who}: ${infra} infra, ${invalid} invalid of ${planned}`),
  ];
}

/** The agents of which no run is stored. */
export async function unrunAgents(ask: Ask): Promise<string[]> {
  const listed = await bodyOf(ask, "agents_list");
  const runs = await bodyOf(ask, "run_groups_list", { limit: 500 });
  if (!listed?.agents || !runs?.groups) return [];
  const run = new Set(runs.groups.map(({ player }: Body) => player?.agent));
  const never: Body[] = listed.agents.filter(({ id }: Body) => !run.has(id));
  const among = runs.next === undefined ? "" : ` among the newest ${runs.groups.length}`;
  return [
    `${never.length} of ${countOf(listed.agents.length, "agent")} ${never.length === 1 ? "has" : "have"} no run${among}${never.length > 0 ? `: ${never.map(({ name }) => name).join(", ")}` : ""}.`,
  ];
}

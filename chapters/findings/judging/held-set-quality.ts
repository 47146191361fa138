import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { count } from "../../fields.ts";
import { everyRow } from "../../page.ts";
import { Run } from "../../records/runs/runs.ts";
import { BundleRecord, Environment, TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { FileAnswer } from "../../reply.ts";
import { runStatus } from "../../runs/groups/group-status.ts";
import { type HeldSetDoc, heldSetOf } from "../../runs/start/held-set.ts";
import { trialsOf } from "../../runs/trials/trial-rows.ts";
import { wilson } from "../../statistics/wilson.ts";
import { escapeText } from "../../text/markdown.ts";
import { Tier, weakestTier } from "../../tier.ts";
import { SetView } from "./fields.ts";
import { setView } from "./held-sets.ts";
import { checkTask, SET_CHECKS, SetCheck, SetVerdict, type VersionTrials } from "./set-checks.ts";

/** What each check measures of the whole set, and what to do about tasks that fail it. */
const TERMS: Readonly<Record<SetCheck, { readonly how: string; readonly mend: string }>> = {
  unchanged: {
    how: "tasks whose digest is the one that was frozen",
    mend: "pick the set out again from a run on the tasks as they are",
  },
  same_world: {
    how: "tasks whose rows and tools are those that were frozen",
    mend: "run the set again and pick it out from that group",
  },
  certified: {
    how: "tasks with a certificate on the world served now",
    mend: "review the environment again, or hold the tasks back",
  },
  discriminating: {
    how: "tasks whose checks rejected every wrong trial and spared every equal one in review",
    mend: "mend the checks that let wrong trials pass",
  },
  natural: { how: "tasks whose request a user would write", mend: "write the requests in users' words again" },
  separates: {
    how: "tasks that some valid trials met and others failed, of those with enough trials",
    mend: "put harder tasks in the place of saturated ones",
  },
  repeatable: {
    how: "tasks on which every version that tried them twice ended alike",
    mend: "give each task more trials, so that chance weighs less",
  },
};

/** How many tasks of a held set still hold, discriminate and separate agents, from stored reviews and trials. Runs nothing. */
export async function heldSetQuality(
  ctx: Ctx,
  input: { readonly gid: string; readonly format?: "json" | "md" | undefined },
) {
  const set = await heldSetOf(ctx, input.gid);
  const tasks = await checkedTasks(ctx, set);
  const measured = SET_CHECKS.map((check) => ({ check, verdicts: tasks.map((task) => verdictOf(task.checks, check)) }));
  const terms = measured.flatMap(({ check, verdicts }) => termOf(check, verdicts));
  const tier = weakestTier(terms.map((term) => term.tier)) ?? "deterministic";
  const answer = {
    org: ctx.org.tag,
    set: setView(set),
    tier_sentence:
      tier === "deterministic"
        ? "Deterministic: code counted stored reviews and stored trials; no model decided any of it."
        : "Llm-derived: a judge decided some of the stored trials that were counted; the rest is by code.",
    line: lineOf(tasks.length, terms),
    terms,
    unmeasured: measured.flatMap(({ check, verdicts }) => unmeasuredOf(check, verdicts)),
    losses_ranked: lossesOf(tasks),
    tasks,
    model_calls: 0,
    tier,
  };
  if (input.format !== "md") return answer;
  return new FileAnswer(`held-set-${set.group}.md`, "text/markdown", qualityMarkdown(answer), answer);
}

export const CheckedTask = z.object({
  task: z.string(),
  environment: z.string(),
  index: count,
  checks: z.array(SetVerdict),
});
export type CheckedTask = z.infer<typeof CheckedTask>;

async function checkedTasks(ctx: Ctx, set: HeldSetDoc): Promise<CheckedTask[]> {
  const environments = [...new Set(set.tasks.map(({ environment }) => environment))];
  const [records, drawn] = await Promise.all([
    ctx.store.records.getMany(
      TaskRecord,
      set.tasks.map(({ task }) => task),
    ),
    ctx.store.records.getMany(Environment, environments),
  ]);
  const bundles = await ctx.store.records.getMany(BundleRecord, [...new Set(drawn.map(({ bundle }) => bundle))]);
  const trials = new Map<string, VersionTrials[]>();
  for (const environment of environments) await gather(ctx, set, environment, trials);
  return set.tasks.map((held) => {
    const environment = drawn.find(({ id }) => id === held.environment);
    const known = {
      task: records.find(({ id }) => id === held.task),
      environment,
      bundle: bundles.find(({ id }) => id === environment?.bundle),
      versions: trials.get(held.task) ?? [],
    };
    return { task: held.task, environment: held.environment, index: held.index, checks: checkTask(held, known) };
  });
}

/** Harnesses that say nothing of how hard a task is: they meet every task, or none. */
const IDLE = new Set(["reference", "null", "replay"]);

/** The trials of landed runs under the set's own terms, by task and version. */
async function gather(ctx: Ctx, set: HeldSetDoc, environment: string, into: Map<string, VersionTrials[]>) {
  const frozen = new Map(set.tasks.filter((task) => task.environment === environment).map((task) => [task.task, task]));
  for await (const run of everyRow((page) => ctx.store.records.list(Run, { ...page, where: { environment } }))) {
    if (run.player.harness !== null && IDLE.has(run.player.harness)) continue;
    const same = run.tasks.filter(({ id, digest, checks }) => {
      const held = frozen.get(id);
      if (held?.digest !== digest || held.checks !== checks) return false;
      return held.base === run.terms.base && held.tools === run.terms.tools;
    });
    if (same.length === 0) continue;
    const [job, group] = await Promise.all([ctx.store.jobs.get(run.id), ctx.store.jobs.get(run.group)]);
    if (runStatus(run, job, group) !== "landed") continue;
    const rows = Map.groupBy(await trialsOf(ctx, run.id), ({ task }) => task);
    const version = `${run.player.agent ?? run.player.harness}\n${run.player.version}`;
    for (const { id } of same) add(into, id, { version, tier: run.tier, trials: rows.get(id) ?? [] });
  }
}

function add(into: Map<string, VersionTrials[]>, task: string, more: VersionTrials): void {
  const all = into.get(task) ?? [];
  const known = all.find(({ version }) => version === more.version);
  const merged = known && {
    ...known,
    tier: weakestTier([known.tier, more.tier]) ?? more.tier,
    trials: [...known.trials, ...more.trials],
  };
  into.set(task, merged ? all.map((one) => (one === known ? merged : one)) : [...all, more]);
}

function verdictOf(checks: readonly SetVerdict[], check: SetCheck): SetVerdict {
  const found = checks.find((verdict) => verdict.check === check);
  if (!found) throw new Error(`a task has no verdict for ${check}`);
  return found;
}

/** A term of the set's quality, with Wilson's interval at 95 %. */
export const Term = z.object({
  term: SetCheck,
  value: count,
  n: count.describe("Tasks that could be measured."),
  share: z.number(),
  low: z.number().describe("Wilson's interval, 95 %."),
  high: z.number(),
  tier: Tier,
  how: z.string(),
});
export type Term = z.infer<typeof Term>;

function termOf(term: SetCheck, verdicts: readonly SetVerdict[]): Term[] {
  const measured = verdicts.filter(({ verdict }) => verdict !== "unmeasured");
  const n = measured.length;
  if (n === 0) return [];
  const value = measured.filter(({ verdict }) => verdict === "pass").length;
  const tier = weakestTier(measured.map((verdict) => verdict.tier)) ?? "deterministic";
  return [{ term, value, n, share: value / n, ...wilson(value, n), tier, how: TERMS[term].how }];
}

function unmeasuredOf(term: SetCheck, verdicts: readonly SetVerdict[]) {
  const tasks = verdicts.filter(({ verdict }) => verdict === "unmeasured");
  const [first] = tasks;
  return first === undefined
    ? []
    : [{ term, tasks: tasks.length, whole: tasks.length === verdicts.length, reason: first.reason }];
}

function lossesOf(tasks: readonly CheckedTask[]) {
  return SET_CHECKS.map((term) => {
    const lost = tasks.filter(({ checks }) => verdictOf(checks, term).verdict === "fail");
    return { term, tasks: lost.length, of: tasks.length, which: lost.map(({ task }) => task), mend: TERMS[term].mend };
  })
    .filter((loss) => loss.tasks > 0)
    .sort((a, b) => b.tasks - a.tasks);
}

function lineOf(n: number, terms: readonly Term[]): string {
  const of = (name: SetCheck) => terms.find(({ term }) => term === name);
  const holds = of("unchanged")?.value ?? 0;
  const separates = of("separates");
  const told = separates
    ? `${separates.value} of ${separates.n} with enough trials separate agents`
    : "no task has enough trials to say whether it separates agents";
  return `${holds} of ${countOf(n, "task")} ${holds === 1 ? "stands as it was" : "stand as they were"} frozen; ${told}.`;
}

/** What `held_set_quality` answers. */
export const HeldSetQuality = z.object({
  org: z.string(),
  set: SetView,
  tier_sentence: z.string(),
  line: z.string(),
  terms: z.array(Term).describe("A term that could be measured on no task is absent."),
  unmeasured: z.array(z.object({ term: SetCheck, tasks: count, whole: z.boolean(), reason: z.string() })),
  losses_ranked: z
    .array(z.object({ term: SetCheck, tasks: count, of: count, which: z.array(z.string()), mend: z.string() }))
    .describe("What cost most tasks, first."),
  tasks: z.array(CheckedTask),
  model_calls: count,
  tier: Tier,
});
type HeldSetQuality = z.infer<typeof HeldSetQuality>;

/** The quality of a held set as Markdown: how it was graded first. */
function qualityMarkdown(heldSetReport: HeldSetQuality): string {
  const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
  return `${[
    heldSetReport.tier_sentence,
    "",
    `# Held set of ${escapeText(heldSetReport.set.group)}`,
    "",
    heldSetReport.line,
    "",
    "| term | tasks | of | 95 % interval | tier |",
    "| - | - | - | - | - |",
    ...heldSetReport.terms.map(
      ({ term, value, n, low, high, tier }) =>
        `| ${term} | ${value} | ${n} | ${percent(low)} to ${percent(high)} | ${tier} |`,
    ),
    "",
    ...heldSetReport.unmeasured.map(
      ({ term, tasks, reason }) => `- ${term}: not measured on ${countOf(tasks, "task")}. ${reason}`,
    ),
    ...heldSetReport.losses_ranked.map(
      ({ term, tasks, of, mend }) => `- ${tasks} of ${countOf(of, "task")} lost to ${term}: ${mend}.`,
    ),
    "",
    "| task | check | verdict | reason |",
    "| - | - | - | - |",
    ...heldSetReport.tasks.flatMap(({ index, checks }) =>
      checks.map(({ check, verdict, reason }) => `| ${index} | ${check} | ${verdict} | ${escapeText(reason, 200)} |`),
    ),
  ].join("\n")}\n`;
}

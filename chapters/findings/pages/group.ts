import type { Ctx } from "../../context.ts";
import { playerName } from "../../records/runs/runs.ts";
import { endedAtOnceWords } from "../../runs/ended-at-once.ts";
import { type GroupData, groupData } from "../../runs/groups/group-data.ts";
import { rollup } from "../../runs/groups/group-view.ts";
import { figuresOf, type TrialFigures } from "../../runs/groups/trend.ts";
import { openTrials } from "../../runs/isolation.ts";
import { invented } from "../modes/invented.ts";
import type { TrialSort } from "../viewer/group-trials.ts";
import { isolationFact, isolationSection } from "./isolation.ts";
import type { Cell, PageDoc, PageLink, PageSection } from "./page-doc.ts";
import {
  asTheyAre,
  counted,
  cut,
  dollars,
  inWords,
  metOf,
  percent,
  seconds,
  tokensText,
  type Wording,
} from "./words.ts";

type Rollup = ReturnType<typeof rollup>;
type PageFact = Extract<PageSection, { show: "facts" }>["facts"][number];

/** Tasks that a page lists one by one. */
const TASKS_SHOWN = 200;

/** The orders of a run's tasks besides the one in which those that failed most come first. */
export const RUN_TASK_SORTS = ["slowest", "dearest", "number"] as const;

/** Which tasks of a run its page lists, and in which order; all of them where nothing is said. */
export interface RunTasks {
  readonly q?: string | undefined;
  readonly end?: "met" | "failed" | undefined;
  readonly family?: string | undefined;
  readonly sort?: (typeof RUN_TASK_SORTS)[number] | undefined;
}

/** A run group as a page: its rate first, then what failed, by task, and how every attempt ended. Not found: 404. */
export async function groupPage(
  ctx: Ctx,
  gid: string,
  told: Wording = asTheyAre,
  only: RunTasks = {},
): Promise<PageDoc> {
  const data = await groupData(ctx, gid);
  const group = rollup(data);
  const { player, rates, tier, status } = group;
  const name = playerName(player);
  const done = rates.valid + rates.infra + rates.invalid;
  const atOnce = endedAtOnceWords(group.ended_at_once);
  const rate =
    rates.rate === undefined
      ? "no valid trial"
      : `met ${rates.met} of ${rates.valid} valid trials (${percent(rates.rate)})`;
  return {
    v: 1,
    title: `${name} on ${group.environments.map((each) => each.label).join(", ")}`,
    made_at: ctx.now(),
    verdict: {
      text: `${name} ${rates.rate === undefined ? "has " : ""}${rate}${atOnce && `; ${atOnce}`}${status === "landed" ? "" : `; the group is ${status}`}.`,
      tone: rates.rate === undefined ? "plain" : rates.met === rates.valid ? "good" : rates.met === 0 ? "bad" : "warn",
      tier,
      how: `95 % interval ${percent(rates.clustered.low)} to ${percent(rates.clustered.high)} over ${counted(rates.tasks, "task")}${rates.distinct === undefined || rates.distinct === rates.tasks ? "" : `, ${rates.distinct} distinct`}.`,
    },
    ...((await invented(ctx, [data])) ? { invented: true } : {}),
    sections: [
      facts(group, data, done),
      ratesPlot(group),
      outcomes(group),
      failures(group),
      tasks(group, data, told, only),
      criteria(group),
      ledger(group),
      ...[openOf(group) ?? []].flat().map(isolationSection),
    ],
  };
}

function openOf({ player, isolation }: Rollup) {
  return openTrials([{ name: playerName(player), isolation }]);
}

function facts(group: Rollup, { runs }: GroupData, done: number): PageSection {
  const { rates, trials, counts, tier, timeout_seconds, trigger } = group;
  const { pass } = rates;
  return {
    show: "facts",
    facts: [
      {
        name: "Trials done",
        value: { text: `${done} of ${counts.planned}`, link: trialsOf(group) },
        tier: "deterministic",
        how: `${counted(trials, "try", "tries")} a task`,
      },
      ...isolationFact(openOf(group)),
      ...uncounted(group),
      ...(rates.bounds.low === rates.bounds.high
        ? []
        : [
            {
              name: "Rate if all of those failed, or were met",
              value: `${percent(rates.bounds.low)} to ${percent(rates.bounds.high)}`,
              tier,
              how: `n = ${counted(done, "trial")}`,
            },
          ]),
      ...figureFacts(group, figuresOf(runs.flatMap((own) => own.trials))),
      ...(pass === undefined
        ? []
        : [
            {
              name: `pass@${pass.k}`,
              value: percent(pass.at),
              tier,
              how: `unbiased, n = ${counted(rates.tasks, "task")}`,
            },
            {
              name: `pass^${pass.k}`,
              value: percent(pass.hat),
              tier,
              how: `unbiased, n = ${counted(rates.tasks, "task")}`,
            },
          ]),
      { name: "Time limit", value: `${timeout_seconds} s a trial` },
      { name: "Begun by", value: trigger === "person" ? "a person" : trigger },
    ],
  };
}

/** The trials of a run that a search finds, as its figures are told of. */
function trialsOf({ group }: Pick<Rollup, "group">, search: Readonly<Record<string, string>> = {}): PageLink {
  return { page: "trials", id: group, against: new URLSearchParams(search).toString() };
}

/** Trials that do not count, by how they ended, each kind with its trials. */
function uncounted(group: Rollup): PageFact[] {
  const ends = (["infra", "invalid"] as const).filter((end) => group.rates[end] > 0);
  const name = "Not counted";
  const tier = "deterministic" as const;
  if (ends.length === 0) return [{ name, value: "none", tier }];
  return ends.map((end) => ({
    name,
    value: { text: `${group.rates[end]} ${end}`, link: trialsOf(group, { end }) },
    tier,
  }));
}

/** What a trial took, as facts; each opens the trials with those that took most of it first. */
function figureFacts(group: Rollup, { ms, steps, errors, tokens, usd }: TrialFigures): PageFact[] {
  const sorted = (text: string, sort: TrialSort) => ({ text, link: trialsOf(group, { sort }) });
  const tier = "deterministic" as const;
  const { of } = errors;
  return [
    ...(ms === undefined
      ? []
      : [
          {
            name: "Half of the trials took",
            value: sorted(seconds(ms.p50), "slowest"),
            tier,
            how: `95 % took ${seconds(ms.p95)} at most`,
          },
        ]),
    ...(steps === undefined
      ? []
      : [
          {
            name: "Calls a trial",
            value: sorted(steps.toFixed(1), "most calls"),
            tier,
            how: `${percent(errors.share ?? 0)} of ${counted(of, "call")} answered with an error`,
          },
        ]),
    ...(tokens === undefined
      ? []
      : [
          {
            name: "Tokens a trial",
            value: sorted(tokensText(tokens), "most tokens"),
            tier,
            how: `${Math.round(tokens.output).toLocaleString("en")} of them written; over the ${counted(tokens.of, "trial")} that say it`,
          },
        ]),
    ...(usd === undefined
      ? []
      : [
          {
            name: "Cost a trial",
            value: sorted(dollars(usd.mean), "dearest"),
            tier,
            how: `over the ${counted(usd.of, "trial")} that say it`,
          },
        ]),
  ];
}

function ratesPlot({ rates, by_environment, families, tier }: Rollup): PageSection {
  const several = by_environment.length > 1;
  const row = (name: string, of: Rollup["rates"]) => ({
    name: `${name} (n ${of.valid})`,
    ...(of.rate === undefined ? {} : { rate: of.rate }),
    low: of.clustered.low,
    high: of.clustered.high,
    n: of.valid,
  });
  return {
    show: "rates",
    heading: "Rates",
    caption: `Met of valid trials with the 95 % interval over tasks, in all${several ? " and per environment" : ""}; ${counted(families.length, "task family", "task families")} below.`,
    tier,
    rows: [row("all", rates), ...(several ? by_environment.map((each) => row(each.label, each.rates)) : [])],
  };
}

function outcomes(group: Rollup): PageSection {
  const { families, tier } = group;
  return {
    show: "shares",
    heading: "By family",
    caption: "Valid trials that met every check and that did not, per family of tasks.",
    tier,
    outcomes: [
      { name: "met", tone: "good" },
      { name: "failed", tone: "bad" },
    ],
    rows: families.map(({ family, met, valid }) => ({
      name: `${family} (n ${valid})`,
      counts: [met, valid - met],
      links: ["met", "failed"].map((end) => trialsOf(group, { family, end })),
    })),
  };
}

function failures(group: Rollup): PageSection {
  const { root_causes, tier } = group;
  return root_causes.length === 0
    ? { show: "text", heading: "Root causes", paragraphs: ["No valid trial failed."] }
    : {
        show: "table",
        heading: "Root causes",
        caption: "Why valid trials failed, by rule over their calls, answers and changes.",
        tier,
        columns: [{ name: "Root cause" }, { name: "Trials", kind: "number" }],
        rows: root_causes.map(({ cause, trials }) => {
          const link = trialsOf(group, { cause });
          return [
            { text: inWords(cause), link },
            { text: String(trials), link },
          ];
        }),
      };
}

/** The tasks of a run that fit, in order, each with its tries and what they took. */
function orderedTasks({ tasks: all }: Rollup, { runs }: GroupData, only: RunTasks) {
  const byEnvironment = new Map(runs.map((own) => [own.run.environment, own]));
  const fit = all
    .filter((task) => isShown(task, only))
    .map((task) => {
      const own = byEnvironment.get(task.environment);
      const tries = own?.trials.filter((row) => row.task === task.task).sort((x, y) => x.n - y.n) ?? [];
      return { task, tries, took: figuresOf(tries) };
    });
  const most = ({ task, took }: (typeof fit)[number]) =>
    only.sort === "slowest"
      ? (took.ms?.p50 ?? 0)
      : only.sort === "dearest"
        ? (took.usd?.mean ?? 0)
        : only.sort === "number"
          ? 0
          : task.ends.failed;
  return fit.sort((a, b) => most(b) - most(a) || a.task.index - b.task.index);
}

/** The same of a run by its id. Not found: 404. */
export async function tasksOfRun(ctx: Ctx, gid: string, only: RunTasks) {
  const data = await groupData(ctx, gid);
  return orderedTasks(rollup(data), data, only);
}

function tasks(group: Rollup, data: GroupData, told: Wording, only: RunTasks): PageSection {
  const { tier } = group;
  const ordered = orderedTasks(group, data, only);
  if (ordered.length === 0 && group.tasks.length > 0)
    return { show: "text", heading: "Tasks", paragraphs: ["No task fits. Take a filter away."] };
  return {
    show: "table",
    heading: "Tasks",
    caption: `Met of valid trials per task, ${SORT_WORDS[only.sort ?? "failed"]}, and what half of its trials took at most; a request opens its first trial that failed, else its first; its count, every run of the task.`,
    tier,
    columns: [
      { name: "Request", kind: "wide" },
      { name: "Met", kind: "number" },
      { name: "Time", kind: "number" },
      { name: "Calls", kind: "number" },
      { name: "Tokens", kind: "number" },
      { name: "Cost", kind: "number" },
      { name: "Not counted" },
      { name: "Family" },
      { name: "Root causes" },
    ],
    rows: ordered.slice(0, TASKS_SHOWN).map(({ task, tries, took: { ms, steps, tokens, usd } }) => {
      const { met, failed, infra, invalid } = task.ends;
      const opened = tries.find(({ end }) => end === "failed") ?? tries[0];
      const request = cut(told(task.request), 240);
      return [
        opened === undefined
          ? request
          : { text: request, link: { page: "trial" as const, id: `${opened.run}/${task.task}/${opened.n}` } },
        {
          ...metOf({ met, valid: met + failed }),
          link: { page: "task" as const, id: `${task.environment}/${task.task}` },
        },
        ms === undefined ? "" : seconds(ms.p50),
        steps === undefined ? "" : Number(steps.toFixed(1)),
        tokens === undefined ? "" : tokensText(tokens),
        usd === undefined ? "" : dollars(usd.mean),
        [infra > 0 && `${infra} infra`, invalid > 0 && `${invalid} invalid`].filter(Boolean).join(", "),
        { text: task.family, link: trialsOf(group, { family: task.family }) },
        task.root_causes.length === 1
          ? { text: inWords(task.root_causes[0] ?? ""), link: trialsOf(group, { cause: task.root_causes[0] ?? "" }) }
          : task.root_causes.map(inWords).join(", "),
      ];
    }),
    of: ordered.length,
  };
}

const SORT_WORDS = {
  failed: "those that failed most first",
  slowest: "the slowest first",
  dearest: "the dearest first",
  number: "in their order",
} as const;

function isShown({ request, family, ends, root_causes: causes }: Rollup["tasks"][number], only: RunTasks): boolean {
  const text = `${request}\n${family}\n${causes.map(inWords).join("\n")}`.toLowerCase();
  const words = (only.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return (
    (only.end === undefined || (only.end === "failed" ? ends.failed > 0 : ends.failed === 0 && ends.met > 0)) &&
    (only.family ?? family) === family &&
    words.every((word) => text.includes(word))
  );
}

function criteria(group: Rollup): PageSection {
  const { criteria: kinds, tier } = group;
  const some = (n: number, check: string, verdict: string): Cell =>
    n === 0 ? 0 : { text: String(n), link: trialsOf(group, { check, verdict }) };
  return {
    show: "table",
    heading: "Checks",
    caption: "Verdicts per kind of check; a check that could not decide makes its trial invalid.",
    tier,
    columns: [
      { name: "Check" },
      { name: "Met", kind: "number" },
      { name: "Not met", kind: "number" },
      { name: "Not decided", kind: "number" },
    ],
    rows: kinds.map(({ criterion, met, not_met, not_decided }) => [
      { text: inWords(criterion), link: trialsOf(group, { check: criterion }) },
      some(met, criterion, "met"),
      some(not_met, criterion, "not_met"),
      some(not_decided, criterion, "not_decided"),
    ]),
  };
}

function ledger(group: Rollup): PageSection {
  return {
    show: "table",
    heading: "How trials ended",
    caption: "The newest attempt of every try, with its cause. Infra and invalid trials do not count in the rate.",
    tier: "deterministic",
    columns: [{ name: "End" }, { name: "Cause" }, { name: "Trials", kind: "number" }],
    rows: group.ledger.map(({ end, cause, trials }) => {
      const link = trialsOf(group, { end });
      return [{ text: end, link }, inWords(cause ?? ""), { text: String(trials), link }];
    }),
  };
}

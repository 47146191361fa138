import type { Ctx } from "../../context.ts";
import { confidenceBands } from "../../organization/confidence.ts";
import { playerName, type TrialRow } from "../../records/runs/runs.ts";
import { compareGroups } from "../../runs/compare/compare.ts";
import type { ComparedTask, Comparison } from "../../runs/compare/compare-types.ts";
import { armNames, isolationWords } from "../../runs/compare/compare-verdict.ts";
import { type GroupData, groupData } from "../../runs/groups/group-data.ts";
import { openTrials } from "../../runs/isolation.ts";
import { planSentence } from "../../runs/start/plan.ts";
import { invented } from "../modes/invented.ts";
import {
  byChange,
  flips,
  HEAD,
  linked,
  type PairOf,
  rootCauses,
  type ShownTasks,
  share,
  type TrialOf,
  type TrialsOf,
  taskTables,
  took,
} from "./compare-tasks.ts";
import { isolationFact, isolationSection } from "./isolation.ts";
import { listed } from "./listed.ts";
import type { PageDoc, PageSection, Tone } from "./page-doc.ts";
import { asTheyAre, counted, cut, percent, points, type Wording } from "./words.ts";

/** Tasks in the plot. */
const PLOTTED = 40;

/** Two run groups compared, as a page: the verdict, what flipped, then all of it. Not found: 404. */
export async function comparePage(
  ctx: Ctx,
  a: string,
  b: string,
  told: Wording = asTheyAre,
  shown: ShownTasks = {},
): Promise<PageDoc> {
  const groups: [GroupData, GroupData] = await Promise.all([groupData(ctx, a), groupData(ctx, b)]);
  const comparison = redactRequests(compareGroups(...groups, await confidenceBands(ctx)), told);
  const { words, worse, p, tier, tasks, cannot_tell: untold } = comparison;
  const pairOf = pairsIn(...groups);
  const ways = { pairOf, trialOf: trialsIn(...groups), trialsOf: searchIn(...groups) };
  const lists = tasks.length === 0 ? [] : taskTables(comparison, ways, shown);
  const narrowed = tasks.length > 0 && (shown.change !== undefined || shown.family !== undefined);
  const tone: Tone = words === "no difference shown" || worse === undefined ? "plain" : worse === "b" ? "bad" : "good";
  return {
    v: 1,
    title: `${playerName(comparison.b)} against ${playerName(comparison.a)}`,
    made_at: ctx.now(),
    verdict: {
      text: headline(comparison),
      tone,
      tier,
      how: `The change is from ${playerName(comparison.a)} (a) to ${playerName(comparison.b)} (b). ${untold === undefined ? `Exact paired permutation test over ${counted(tasks.length, "task")}, two-sided p ${p.toPrecision(3)}.` : "There is no confidence where nothing can be told."}`,
    },
    ...((await invented(ctx, groups)) ? { invented: true } : {}),
    sections: [
      facts(comparison),
      // A list that is narrowed stands where its filter does: in the place of what flipped.
      ...(narrowed ? lists : [flips(comparison, ways)]),
      ...rootCauses(comparison, ways),
      rates(comparison),
      ...(tasks.length === 0
        ? []
        : [
            took(comparison, groups),
            ...(tellsMore(comparison) ? [pairs(comparison)] : []),
            ...(narrowed ? [] : lists),
          ]),
      ...refusals(comparison),
      ...isolation(comparison),
      calls(comparison, pairOf),
      ...planned(comparison),
    ],
  };
}

/**
 * The verdict as a page tells it: one short sentence where trials ran without isolation, of which a section says more, and
 * no call of an operation in the way out, for which a page has links.
 */
function headline(comparison: Comparison): string {
  const { verdict, cannot_tell: untold } = comparison;
  const whole =
    untold === undefined ? verdict : verdict.replace(`: ${untold.way_out}.`, () => `${withoutCalls(untold.way_out)}.`);
  const [said, open] = [isolationWords(comparison), openTrialsOf(comparison)];
  if (open === undefined) return whole;
  return whole.replace(said, () => ` ${open.none} of ${counted(open.all, "trial")} ran without isolation.`);
}

/** A way out after its colon, in words alone: empty where it is a call of an operation. */
function withoutCalls(way: string): string {
  const words = way.replace(/ \([^()]*\b[a-z]+(?:_[a-z]+)+\b[^()]*\)/g, "");
  return /^[a-z]+(?:_[a-z]+)+ with /.test(words) ? "" : `: ${words}`;
}

function openTrialsOf({ a, b }: Comparison) {
  const names = armNames({ a, b });
  return openTrials([a, b].map(({ isolation }, i) => ({ name: i === 0 ? names.a : names.b, isolation })));
}

function isolation(comparison: Comparison): PageSection[] {
  const found = openTrialsOf(comparison);
  return found === undefined ? [] : [isolationSection(found)];
}

function redactRequests(comparison: Comparison, told: Wording): Comparison {
  const of = (tasks: readonly ComparedTask[]) => tasks.map((task) => ({ ...task, request: told(task.request) }));
  return { ...comparison, tasks: of(comparison.tasks), flips: of(comparison.flips) };
}

function searchIn(a: GroupData, b: GroupData): TrialsOf {
  return (arm, search) => ({
    page: "trials",
    id: (arm === "a" ? a : b).group.id,
    against: new URLSearchParams(search).toString(),
  });
}

function triesOf(data: GroupData) {
  const tries = Map.groupBy(
    data.runs.flatMap(({ run, trials }) => trials.map((row) => ({ row, key: `${run.environment}\n${row.task}` }))),
    ({ key }) => key,
  );
  return ({ environment, task }: Pick<ComparedTask, "environment" | "task">) =>
    (tries.get(`${environment}\n${task}`) ?? []).map(({ row }) => row).sort((x, y) => x.n - y.n);
}

const refOf = ({ run, task, n }: TrialRow) => `${run}/${task}/${n}`;

/** The ways to the trials of a task in either of two groups. */
export function trialsIn(a: GroupData, b: GroupData): TrialOf {
  const tries = { a: triesOf(a), b: triesOf(b) };
  return (task, arm) => {
    const rows = tries[arm](task);
    const opened = rows.find(({ end }) => end === "failed") ?? rows[0];
    return opened && { page: "trial", id: refOf(opened) };
  };
}

/** Two trials of a task, one of each group: of one try whose ends differ where there is one. */
export type PairRows = (
  task: Pick<ComparedTask, "environment" | "task">,
  n?: number,
) => [TrialRow, TrialRow] | undefined;

export function pairRowsIn(a: GroupData, b: GroupData): PairRows {
  const [left, right] = [triesOf(a), triesOf(b)];
  return (task, n) => {
    const [x, y] = [left(task), right(task)];
    const both = x.flatMap((row) => {
      const other = y.find((each) => each.n === row.n);
      return other === undefined || (n !== undefined && row.n !== n) ? [] : [[row, other] as const];
    });
    const [one = x[0], two = y[0]] = both.find(([p, q]) => p.end !== q.end) ?? both[0] ?? [];
    return one === undefined || two === undefined ? undefined : [one, two];
  };
}

export function pairsIn(a: GroupData, b: GroupData): PairOf {
  const rowsOf = pairRowsIn(a, b);
  return (task, n) => {
    const [one, two] = rowsOf(task, n) ?? [];
    return one && two && { page: "pair", id: refOf(one), against: refOf(two) };
  };
}

function facts({
  tasks,
  refused,
  difference,
  confidence,
  words,
  bands,
  smallest,
  tier,
  cannot_tell: untold,
  a,
  b,
}: Comparison): PageSection {
  const names = armNames({ a, b });
  return {
    show: "facts",
    facts: [
      {
        name: "Difference",
        value: `${points(difference)} points`,
        tier,
        how: `mean over ${counted(tasks.length, "task")}`,
      },
      untold === undefined
        ? {
            name: "Confidence",
            value: confidence < 1 ? "not decided" : `${Math.floor(confidence)} of 100`,
            tier,
            how: `${words}; leaning from ${bands.low}, shown from ${bands.high}`,
          }
        : { name: "Confidence", value: "none", tier, how: "there is too little to compare" },
      {
        name: "Smallest difference that could show",
        value: smallest === undefined ? "none" : `${(100 * smallest.difference).toFixed(1)} points`,
        tier: "deterministic",
        how:
          smallest === undefined
            ? `n = ${tasks.length} is too few`
            : `the least possible: ${counted(smallest.flips, "task that differs", "tasks that differ")} by one try, all one way`,
      },
      ...isolationFact(openTrials([a, b])),
      ...(["a", "b"] as const).map((arm) => withoutVerdict(names[arm], { a, b }[arm])),
      {
        name: "Not compared",
        value: counted(refused.length, "task"),
        tier: "deterministic",
        how: "their terms differ, or one side has no valid trial",
      },
    ],
  };
}

/** An arm's trials without a verdict, and what they could make of its rate. */
function withoutVerdict(arm: string, { missing, planned, bounds }: Comparison["a"]) {
  const { infra, invalid, not_played } = missing;
  return {
    name: `Trials of ${arm} without a verdict`,
    value: `${infra + invalid + not_played} of ${planned}`,
    tier: "deterministic" as const,
    how: `${infra} infra, ${invalid} invalid, ${not_played} not played${infra + invalid + not_played === 0 ? "" : `; rate ${percent(bounds.low)} to ${percent(bounds.high)} with these failed or met`}`,
  };
}

function rates({ a, b, tier }: Comparison): PageSection {
  const names = armNames({ a, b });
  const row = (arm: "a" | "b", { met, valid, low, high }: Comparison["a"]) => ({
    name: `${names[arm]} (n ${valid})`,
    ...(valid === 0 ? {} : { rate: met / valid }),
    ...{ low, high, n: valid },
  });
  const uncounted = (
    [
      ["a", a],
      ["b", b],
    ] as const
  ).flatMap(([arm, { infra, invalid }]) =>
    infra + invalid === 0 ? [] : [`${infra} infra and ${invalid} invalid of ${names[arm]}`],
  );
  return {
    show: "rates",
    heading: "Rates",
    caption: `Met of valid trials on the compared tasks with the 95 % interval over tasks.${uncounted.length === 0 ? "" : ` Not counted: ${uncounted.join(", ")}.`}`,
    tier,
    rows: [row("a", a), row("b", b)],
  };
}

function planned({ plan }: Comparison): PageSection[] {
  const heading = "What showing a difference takes";
  return plan === undefined
    ? []
    : [{ show: "text", heading, paragraphs: [`${planSentence(plan)} (${plan.formula}.)`] }];
}

/** Rates of one try are 0 or 1, and the tables say which: the plot adds to them where tries of a task came out in between. */
function tellsMore({ tasks }: Comparison): boolean {
  const between = (rate: number) => rate > 0 && rate < 1;
  return tasks.some((task) => task.delta !== 0 && (between(share(task.a)) || between(share(task.b))));
}

function pairs({ tasks, tier, a, b }: Comparison): PageSection {
  const names = armNames({ a, b });
  const changed = [...tasks].sort(byChange).slice(0, PLOTTED);
  return {
    show: "pairs",
    heading: "Task by task",
    caption: `Met of valid trials per task in both arms, largest change first${changed.length < tasks.length ? ` (the first ${changed.length} of ${tasks.length})` : ""}.`,
    tier,
    before: cut(names.a, 30),
    after: cut(names.b, 30),
    tasks: changed.map((task) => ({ name: cut(task.request, 80), before: share(task.a), after: share(task.b) })),
  };
}

function refusals({ refused, a, b }: Comparison): PageSection[] {
  if (refused.length === 0) return [];
  const names = armNames({ a, b });
  const named = new Map<string, string>();
  for (const arm of ["a", "b"] as const) {
    named.set(`Only ${arm} ran it.`, `Only ${names[arm]} ran it.`);
    named.set(`No valid trial in ${arm}.`, `No valid trial of ${names[arm]}.`);
  }
  const why = [...Map.groupBy(refused, ({ reason }) => named.get(reason) ?? reason)].sort(
    (x, y) => y[1].length - x[1].length,
  );
  return [
    {
      show: "table",
      heading: "Not compared",
      caption: "Tasks whose terms differ between the two, or that one side has no valid trial of.",
      tier: "deterministic",
      columns: [
        { name: "Reason", kind: "wide" },
        { name: "Tasks", kind: "number" },
      ],
      rows: why.map(([reason, of]) => [reason, of.length]),
    },
  ];
}

function calls({ tasks, a, b }: Comparison, pairOf: PairOf): PageSection {
  const names = armNames({ a, b });
  const differ = tasks.flatMap((task) => task.calls.map((call) => ({ task, call })));
  if (differ.length === 0)
    return { show: "text", heading: "Calls that differ", paragraphs: ["No pair of trials differs in its calls."] };
  return {
    show: "table",
    heading: "Calls that differ",
    caption: "The first call in which two trials of one task part.",
    tier: "deterministic",
    columns: [
      { name: "Request", kind: "wide" },
      { name: "Try", kind: "number" },
      { name: "At call", kind: "number" },
      { name: cut(names.a, HEAD) },
      { name: cut(names.b, HEAD) },
      { name: "What" },
    ],
    ...listed(differ, ({ task, call }) => [
      linked(cut(task.request, 120), pairOf(task, call.n)),
      call.n,
      call.at,
      call.a === null ? "no call" : `${call.a.tool} (${call.a.answer_class})`,
      call.b === null ? "no call" : `${call.b.tool} (${call.b.answer_class})`,
      call.what,
    ]),
  };
}

import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { confidenceBands } from "../../organization/confidence.ts";
import { playerName } from "../../records/runs/runs.ts";
import { compareGroups } from "../../runs/compare/compare.ts";
import type { Arm, ComparedTask, Comparison } from "../../runs/compare/compare-types.ts";
import { type GroupData, groupData } from "../../runs/groups/group-data.ts";
import { figuresOf, type TrialFigures } from "../../runs/groups/trend.ts";
import { type ConfidenceBands, confidenceOf, confidenceWords } from "../../statistics/bands.ts";
import { clusteredInterval } from "../../statistics/clustered.ts";
import { holm } from "../../statistics/holm.ts";
import { pairedPermutation } from "../../statistics/permutation.ts";
import { type Tier, weakestTier } from "../../tier.ts";
import { invented } from "../modes/invented.ts";
import { pairsIn } from "./compare.ts";
import { HEAD, share } from "./compare-tasks.ts";
import { listed } from "./listed.ts";
import type { Cell, PageDoc, PageSection } from "./page-doc.ts";
import { counted, cut, dollars, metOf, minuteOf, points, seconds, tokensText } from "./words.ts";

/** Runs that are compared at once, at most. */
export const MOST_RUNS = 8;

/** A run on the tasks that all of them ran under the same terms. */
interface Side {
  readonly group: string;
  readonly name: string;
  readonly created_at: number;
  /** Of each shared task, in one order. */
  readonly arms: readonly Arm[];
  /** All of its valid trials, on whatever task. */
  readonly all: { readonly met: number; readonly valid: number };
  /** What its trials took: those of the shared tasks, of any task where there are none. */
  readonly took: TrialFigures;
}

/** How a run differs from the first of them on the shared tasks. */
interface Change {
  readonly difference: number;
  /** 0 to 100, less where more runs are compared. */
  readonly confidence: number;
  readonly words: Comparison["words"];
}

/**
 * Three to eight run groups on the tasks that all ran under the same terms, the others held against the first: the one that
 * is named, else the oldest.
 */
export async function severalPage(ctx: Ctx, ids: readonly string[], base?: string): Promise<PageDoc> {
  const unique = [...new Set(ids)];
  if (unique.length < 3 || unique.length > MOST_RUNS)
    throw badField("g", `name three to ${MOST_RUNS} runs; two have a comparison of their own`);
  const groups = (await Promise.all(unique.map((id) => groupData(ctx, id)))).sort(
    (x, y) =>
      Number(y.group.id === base) - Number(x.group.id === base) ||
      x.group.created_at - y.group.created_at ||
      (x.group.id < y.group.id ? -1 : 1),
  );
  const bands = await confidenceBands(ctx);
  const [first, ...others] = groups as [(typeof groups)[number], ...typeof groups];
  const pairs = others.map((other) => compareGroups(first, other, bands));
  const shared = sharedTasks(pairs);
  const twice = new Set(groups.map(({ group }) => playerName(group.player))).size < groups.length;
  const sides = groups.map(
    ({ group }, i): Side => ({
      group: group.id,
      name: `${cut(playerName(group.player), HEAD)}${twice ? `, ${minuteOf(group.created_at).slice(5)}` : ""}`,
      created_at: group.created_at,
      arms: shared.map((tasks) => (i === 0 ? tasks[0].a : (tasks[i - 1] as ComparedTask).b)),
      all: allOf(groups[i] as (typeof groups)[number]),
      took: tookOf(groups[i] as (typeof groups)[number], shared),
    }),
  );
  const changes = changesOf(sides, bands);
  const tier = weakestTier(pairs.map((pair) => pair.tier)) ?? "deterministic";
  const pairOf = others.map((other) => pairsIn(first, other));
  return {
    v: 1,
    title: `${groups.length} runs side by side`,
    made_at: ctx.now(),
    verdict: verdictOf(sides, changes, { pairs, tasks: shared.length, tier }),
    ...((await invented(ctx, groups)) ? { invented: true } : {}),
    sections: [
      runTable(sides, changes, shared.length === 0 ? pairs : undefined, tier),
      ...rates(sides, tier),
      ...grid(sides, shared, pairOf, tier),
    ],
  };
}

type Shared = readonly [ComparedTask, ...ComparedTask[]];
const keyOf = ({ environment, task }: ComparedTask) => `${environment}\n${task}`;

/** The tasks that every comparison with the first run holds, each as these comparisons have it. */
function sharedTasks(pairs: readonly Comparison[]): readonly Shared[] {
  const known = pairs.map(({ tasks }) => new Map(tasks.map((task) => [keyOf(task), task])));
  return (pairs[0]?.tasks ?? []).flatMap((task) => {
    const all = known.flatMap((of) => of.get(keyOf(task)) ?? []);
    return all.length === pairs.length ? [all as unknown as Shared] : [];
  });
}

/** Each run but the first against it: exact paired tests whose p-values are raised for how many there are. */
function changesOf([first, ...others]: readonly Side[], bands: ConfidenceBands): Change[] {
  if (first === undefined || first.arms.length === 0) return [];
  const tests = others.map(({ arms }) =>
    pairedPermutation(
      arms.map((arm, i) => {
        const before = first.arms[i] as Arm;
        return { a: { met: before.met, n: before.valid }, b: { met: arm.met, n: arm.valid } };
      }),
    ),
  );
  const raised = holm(tests.map(({ p }) => p));
  return tests.map(({ difference }, i) => {
    const confidence = confidenceOf(raised[i] ?? 1);
    return { difference, confidence, words: confidenceWords(confidence, bands) };
  });
}

function allOf({ runs }: GroupData): Side["all"] {
  const ends = runs.flatMap(({ trials }) => trials.map(({ end }) => end));
  const met = ends.filter((end) => end === "met").length;
  return { met, valid: met + ends.filter((end) => end === "failed").length };
}

function tookOf({ runs }: GroupData, shared: readonly Shared[]): TrialFigures {
  const keys = new Set(shared.map(([task]) => keyOf(task)));
  const fits = (environment: string, task: string) => keys.size === 0 || keys.has(`${environment}\n${task}`);
  return figuresOf(runs.flatMap(({ run, trials }) => trials.filter(({ task }) => fits(run.environment, task))));
}

function totals({ arms }: Side): { readonly met: number; readonly valid: number } {
  const sum = (of: "met" | "valid") => arms.reduce((all, arm) => all + arm[of], 0);
  return { met: sum("met"), valid: sum("valid") };
}

interface Compared {
  readonly pairs: readonly Comparison[];
  /** Tasks that all ran. */
  readonly tasks: number;
  readonly tier: Tier;
}

function verdictOf(
  sides: readonly Side[],
  changes: readonly Change[],
  { pairs, tasks, tier }: Compared,
): PageDoc["verdict"] {
  const [first, ...others] = sides;
  const how = `Each run is held against ${first?.name} by an exact paired permutation test over the tasks that all ran under the same terms; p-values are raised for ${counted(others.length, "test")} (Holm).`;
  if (tasks === 0) {
    const none = others.filter((_, i) => pairs[i]?.tasks.length === 0).map(({ name }) => name);
    const why =
      none.length === 0
        ? "each shares other tasks with the first"
        : `${none.slice(0, 3).join(", ")}${none.length > 3 ? ` and ${none.length - 3} more` : ""} ran none of those of ${first?.name}`;
    return {
      text: `Cannot tell ${sides.length} runs apart: no task was run by all of them under the same terms; ${why}.`,
      tone: "warn",
      tier,
      how: `Below each is held against ${first?.name} on the tasks that these two ran, one test at a time.`,
    };
  }
  const shown = others.flatMap(({ name }, i) => {
    const change = changes[i];
    return change?.words === "shown" ? [{ name, ...change }] : [];
  });
  const largest = shown.toSorted((x, y) => Math.abs(y.difference) - Math.abs(x.difference))[0];
  const on = `on the ${counted(tasks, "task")} that all ran`;
  if (largest === undefined)
    return {
      text: `None of ${others.length} runs is shown to differ from ${first?.name} ${on}.`,
      tone: "plain",
      tier,
      how,
    };
  const worse = largest.difference < 0;
  const more = shown.length - 1;
  const also = more === 0 ? "" : ` ${counted(more, "other run is", "other runs are")} shown to differ too.`;
  return {
    text: `${largest.name} is ${worse ? "worse" : "better"} than ${first?.name}: ${points(largest.difference)} points ${on}.${also}`,
    tone: shown.some(({ difference }) => difference < 0) ? "bad" : "good",
    tier,
    how,
  };
}

function confidenceText({ confidence, words }: Pick<Change, "confidence" | "words">): string {
  return confidence < 1 ? `not decided, ${words}` : `${Math.floor(confidence)}, ${words}`;
}

function changeCell(change: Change | undefined, first: Side, side: Side): Cell {
  if (change === undefined) return "";
  const tone = change.words !== "shown" ? "plain" : change.difference < 0 ? "bad" : "good";
  return {
    text: `${points(change.difference)} points`,
    tone,
    link: { page: "compare", id: first.group, against: side.group },
  };
}

/** How each run stands to the first: on the tasks that all ran, or, where these are none, on what the two ran. */
function runTable(
  sides: readonly Side[],
  changes: readonly Change[],
  pairs: readonly Comparison[] | undefined,
  tier: Tier,
): PageSection {
  const [first] = sides as readonly [Side];
  return {
    show: "table",
    heading: "Runs",
    caption: pairs
      ? "Each on its own tasks, the first is what the others are held against; a change is over the tasks that it shares with the first, and opens their comparison."
      : "On the tasks that all ran, the first is what the others are held against; a change opens the comparison with the first, on all that these two ran.",
    tier,
    columns: [
      { name: "Run" },
      { name: "Met", kind: "number" },
      ...(pairs ? [{ name: "Tasks shared", kind: "number" as const }] : []),
      { name: "Change", kind: "number" },
      { name: "Confidence" },
      { name: "Median time", kind: "number" },
      { name: "Tokens a trial", kind: "number" },
      { name: "Cost a trial", kind: "number" },
      { name: "Started (UTC)" },
    ],
    rows: sides.map((side, i): Cell[] => {
      const { ms, tokens, usd } = side.took;
      const unknown = (name: "tokens" | "usd") => (sides.some(({ took }) => took[name]) ? "not reported" : "");
      const pair = i === 0 ? undefined : pairs?.[i - 1];
      const held = i === 0 ? undefined : pairs ? pair : changes[i - 1];
      const change = pair?.tasks.length === 0 ? undefined : held;
      return [
        { text: side.name, link: { page: "group", id: side.group } },
        { ...metOf(pairs ? side.all : totals(side)), link: { page: "trials", id: side.group } },
        ...(pairs ? [pair?.tasks.length ?? ""] : []),
        changeCell(change, first, side),
        change === undefined ? "" : confidenceText(change),
        ms === undefined ? "" : seconds(ms.p50),
        tokens === undefined ? unknown("tokens") : tokensText(tokens),
        usd === undefined ? unknown("usd") : dollars(usd.mean),
        minuteOf(side.created_at),
      ];
    }),
  };
}

function rates(sides: readonly Side[], tier: Tier): PageSection[] {
  if (sides[0]?.arms.length === 0) return [];
  return [
    {
      show: "rates",
      heading: "Rates",
      caption: "Met of valid trials on the shared tasks with the 95 % interval over tasks.",
      tier,
      rows: sides.map((side) => {
        const { met, valid } = totals(side);
        const { low, high } = clusteredInterval(side.arms.map((arm) => ({ met: arm.met, n: arm.valid })));
        return {
          name: `${side.name} (n ${valid})`,
          ...(valid === 0 ? {} : { rate: met / valid }),
          low,
          high,
          n: valid,
        };
      }),
    },
  ];
}

/** Task by run: the tasks that runs differ most on first, each cell with the way to its trial beside the first run's. */
function grid(
  sides: readonly Side[],
  shared: readonly Shared[],
  pairOf: readonly ReturnType<typeof pairsIn>[],
  tier: Tier,
): PageSection[] {
  if (shared.length === 0) return [];
  const rows = shared.map((tasks, at) => {
    const arms = sides.map(({ arms }) => arms[at] as Arm);
    const rates = arms.map(share);
    return { task: tasks[0], arms, spread: Math.max(...rates) - Math.min(...rates), least: Math.min(...rates) };
  });
  rows.sort((x, y) => y.spread - x.spread || x.least - y.least || x.task.index - y.task.index);
  return [
    {
      show: "table",
      heading: "Task by run",
      caption:
        "Met of valid trials: the tasks that runs differ most on first, then those that were met least. A cell opens a trial of it beside the first run's.",
      tier,
      columns: [
        { name: "Request", kind: "wide" },
        ...sides.map(({ name }) => ({ name, kind: "number" as const })),
        { name: "Family" },
      ],
      ...listed(rows, ({ task, arms }): Cell[] => [
        { text: cut(task.request, 160), link: { page: "task", id: `${task.environment}/${task.task}` } },
        ...arms.map((arm, i) => {
          const link = i === 0 ? undefined : pairOf[i - 1]?.(task);
          return { ...metOf(arm), ...(link === undefined ? {} : { link }) };
        }),
        task.family,
      ]),
    },
  ];
}

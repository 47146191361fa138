import type { ComparedTask, Comparison } from "../../runs/compare/compare-types.ts";
import { armNames, causesHeading } from "../../runs/compare/compare-verdict.ts";
import type { GroupData } from "../../runs/groups/group-data.ts";
import { figuresOf, type TrialFigures } from "../../runs/groups/trend.ts";
import { causesOfArms } from "./group-cells.ts";
import { listed } from "./listed.ts";
import type { Cell, PageLink, PageSection } from "./page-doc.ts";
import { counted, cut, dollars, inWords, metOf, percent, points, seconds, tokensText } from "./words.ts";

/** Characters of a player's name above a column. */
export const HEAD = 24;

type TableSection = Extract<PageSection, { show: "table" }>;

/** The largest change first; of those that changed alike, the one that both met least. */
export function byChange(x: ComparedTask, y: ComparedTask): number {
  const least = (task: ComparedTask) => share(task.a) + share(task.b);
  return Math.abs(y.delta) - Math.abs(x.delta) || least(x) - least(y) || x.index - y.index;
}

export function share({ met, valid }: ComparedTask["a"]): number {
  return valid === 0 ? 0 : met / valid;
}

/** Which tasks the last table tells; all of them when nothing is said. */
export interface ShownTasks {
  readonly change?: "worse" | "better" | "same" | undefined;
  readonly family?: string | undefined;
}

function isShown({ delta, family }: ComparedTask, shown: ShownTasks): boolean {
  const change = delta < 0 ? "worse" : delta > 0 ? "better" : "same";
  return (shown.change ?? change) === change && (shown.family ?? family) === family;
}

const keyOf = ({ environment, task }: ComparedTask) => `${environment}\n${task}`;

function narrowed({ change, family }: ShownTasks): string {
  return `Tasks${family === undefined ? "" : ` of the family ${cut(family, 40)}`}${change === undefined ? "" : `, ${change} than before`.replace("same than", "the same as")},`;
}

/** The way to two trials of a task side by side: of one try, else of the first whose ends differ, else of the first that both made. */
export type PairOf = (task: Pick<ComparedTask, "environment" | "task">, n?: number) => PageLink | undefined;
/** The way to an arm's first trial of a task that failed, else to its first. */
export type TrialOf = (task: Pick<ComparedTask, "environment" | "task">, arm: "a" | "b") => PageLink | undefined;
/** The way to an arm's trials that a search finds: of a root cause, or of a family. */
export type TrialsOf = (arm: "a" | "b", search: Readonly<Record<string, string>>) => PageLink;
export interface WaysOf {
  readonly pairOf: PairOf;
  readonly trialOf: TrialOf;
  readonly trialsOf: TrialsOf;
}

/** A request that leads to its trials side by side, where both sides have one. */
export function linked(text: string, link: PageLink | undefined): Cell {
  return link === undefined ? text : { text, link };
}

export function flips(comparison: Comparison, ways: WaysOf): PageSection {
  const heading = "What flipped";
  if (comparison.flips.length === 0) return { show: "text", heading, paragraphs: ["No task changed sides."] };
  const told = "Tasks that went from mostly met to mostly not, or the other way, largest change first";
  return table(heading, `${told}; a request opens both trials side by side.`, comparison.flips, comparison, ways);
}

/**
 * The compared tasks that did not flip: those that one or both missed, and folded below them those that both met every time;
 * of a list that is narrowed, what fits.
 */
export function taskTables(comparison: Comparison, ways: WaysOf, shown: ShownTasks): PageSection[] {
  const { tasks } = comparison;
  const of = (heading: string, caption: string, some: readonly ComparedTask[]) =>
    table(heading, caption, [...some].sort(byChange), comparison, ways);
  const ordered = "the largest change first, then what neither met.";
  if (shown.change !== undefined || shown.family !== undefined) {
    const fit = tasks.filter((task) => isShown(task, shown));
    if (fit.length === 0)
      return [{ show: "text", heading: "Tasks", paragraphs: ["No compared task fits. Take a filter away."] }];
    return [of("Tasks", `${narrowed(shown)} that both ran under the same terms: ${ordered}`, fit)];
  }
  const isMet = ({ a, b }: ComparedTask) => share(a) + share(b) === 2;
  const flipped = new Set(comparison.flips.map(keyOf));
  const missed = tasks.filter((task) => !isMet(task) && !flipped.has(keyOf(task)));
  const met = tasks.filter(isMet);
  return [
    ...(missed.length === 0
      ? []
      : [
          of(
            "Missed, and not flipped",
            `Tasks that one or both did not meet every time, and that did not flip: ${ordered}`,
            missed,
          ),
        ]),
    ...(met.length === 0
      ? []
      : [
          {
            ...of(`Met by both: ${counted(met.length, "task")}`, "Tasks that both met in every valid trial.", met),
            place: "met",
          },
        ]),
  ];
}

function table(
  heading: string,
  caption: string,
  tasks: readonly ComparedTask[],
  { tier, a, b }: Comparison,
  { pairOf, trialOf, trialsOf }: WaysOf,
): TableSection {
  const names = armNames({ a, b });
  const cellOf = (task: ComparedTask, arm: "a" | "b"): Cell => {
    const link = trialOf(task, arm);
    return { ...metOf(task[arm]), ...(link === undefined ? {} : { link }) };
  };
  /** Where a task failed by one cause alone, that cause's trials: after the change where any failed there. */
  const causeOf = ({ causes }: ComparedTask): Cell => {
    const text = causesOfArms(causes, { a: cut(names.a, HEAD), b: cut(names.b, HEAD) });
    const [cause, ...others] = new Set([...causes.a, ...causes.b].map((each) => each.cause));
    if (cause === undefined || others.length > 0) return text;
    return { text, link: trialsOf(causes.b.length > 0 ? "b" : "a", { cause }) };
  };
  return {
    show: "table",
    heading,
    caption: `${caption} A count opens a trial of it; a family or a cause opens the trials that have it.`,
    tier,
    columns: [
      { name: "Request", kind: "wide" },
      { name: cut(names.a, HEAD), kind: "number" },
      { name: cut(names.b, HEAD), kind: "number" },
      { name: "Points", kind: "number" },
      { name: "Family" },
      { name: "Root causes" },
    ],
    ...listed(tasks, (task) => [
      linked(cut(task.request, 240), pairOf(task)),
      cellOf(task, "a"),
      cellOf(task, "b"),
      points(task.delta),
      { text: task.family, link: trialsOf("b", { family: task.family }) },
      causeOf(task),
    ]),
  };
}

/** Why trials failed in the arm that met less, each cause with those trials; nothing where none did. */
export function rootCauses({ causes, worse, tier, a, b }: Comparison, { trialsOf }: WaysOf): PageSection[] {
  if (causes.length === 0) return [];
  return [
    {
      show: "table",
      heading: causesHeading(worse, armNames({ a, b })),
      caption:
        "By rule over their calls, answers and changes; a cause opens every trial of that version that failed by it.",
      tier,
      columns: [{ name: "Root cause" }, { name: "Trials", kind: "number" }],
      rows: causes.map(({ cause, trials }) => [
        { text: inWords(cause), link: trialsOf(worse ?? "b", { cause }) },
        trials,
      ]),
    },
  ];
}

/** What trials of the compared tasks took in each arm: a version may do as well and be dearer. */
export function took({ tasks, a, b }: Comparison, groups: readonly [GroupData, GroupData]): PageSection {
  const names = armNames({ a, b });
  const compared = new Set(tasks.map(({ environment, task }) => `${environment}\n${task}`));
  const figures = groups.map(({ runs }) =>
    figuresOf(
      runs.flatMap(({ run, trials }) => trials.filter(({ task }) => compared.has(`${run.environment}\n${task}`))),
    ),
  );
  return {
    show: "table",
    heading: "Time, calls and cost",
    caption:
      "Of the trials of the compared tasks: time, calls and errors of the valid ones, tokens and cost of those that say them. None of it decides the verdict.",
    tier: "deterministic",
    columns: [
      { name: "Agent" },
      { name: "Median time", kind: "number" },
      { name: "95 % took", kind: "number" },
      { name: "Calls a trial", kind: "number" },
      { name: "Calls with an error", kind: "number" },
      { name: "Tokens a trial", kind: "number" },
      { name: "Cost a trial", kind: "number" },
    ],
    rows: [
      ...figures.map(({ ms, steps, errors, tokens, usd }, i): Cell[] => [
        { text: i === 0 ? names.a : names.b, link: { page: "group", id: groups[i]?.group.id ?? "" } },
        ms === undefined ? "" : seconds(ms.p50),
        ms === undefined ? "" : seconds(ms.p95),
        steps === undefined ? "" : steps.toFixed(1),
        errors.share === undefined ? "" : percent(errors.share),
        tokens === undefined ? "not reported" : tokensText(tokens),
        usd === undefined ? "not reported" : dollars(usd.mean),
      ]),
      ["Change", ...changesOf(figures)],
    ],
  };
}

/** What the second took more or less than the first, by figure, with its share of the first; empty where one does not say it. */
function changesOf([a, b]: readonly TrialFigures[]): string[] {
  const change = (of: (each: TrialFigures) => number | undefined, text: (amount: number) => string) => {
    const [before, after] = [a && of(a), b && of(b)];
    if (before === undefined || after === undefined) return "";
    const more = after - before;
    const part =
      before === 0 || more === 0
        ? ""
        : ` (${more > 0 ? "+" : "\u2212"}${Math.abs((100 * more) / before).toFixed(0)} %)`;
    return more === 0 ? "none" : `${more > 0 ? "+" : "\u2212"}${text(Math.abs(more))}${part}`;
  };
  const sum = ({ tokens }: TrialFigures) => tokens && tokens.input + tokens.output;
  return [
    change(({ ms }) => ms?.p50, seconds),
    change(({ ms }) => ms?.p95, seconds),
    change(
      ({ steps }) => steps,
      (n) => n.toFixed(1),
    ),
    // A share of shares says little: points stand alone.
    a?.errors.share === undefined || b?.errors.share === undefined
      ? ""
      : `${points(b.errors.share - a.errors.share)} points`,
    change(sum, (n) => Math.round(n).toLocaleString("en")),
    change(({ usd }) => usd?.mean, dollars),
  ];
}

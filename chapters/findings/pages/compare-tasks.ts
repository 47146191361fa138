import type { ComparedTask, Comparison } from "../../runs/compare/compare-types.ts";
import { armNames } from "../../runs/compare/compare-verdict.ts";
import { causesOfArms } from "./group-cells.ts";
import { listed } from "./listed.ts";
import type { Cell, PageLink, PageSection } from "./page-doc.ts";
import { counted, cut, metOf, points } from "./words.ts";

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
export interface WaysOf {
  readonly pairOf: PairOf;
  readonly trialOf: TrialOf;
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
  { pairOf, trialOf }: WaysOf,
): TableSection {
  const names = armNames({ a, b });
  const cellOf = (task: ComparedTask, arm: "a" | "b"): Cell => {
    const link = trialOf(task, arm);
    return { ...metOf(task[arm]), ...(link === undefined ? {} : { link }) };
  };
  return {
    show: "table",
    heading,
    caption: `${caption} A count opens a trial of it.`,
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
      task.family,
      causesOfArms(task.causes, { a: cut(names.a, HEAD), b: cut(names.b, HEAD) }),
    ]),
  };
}

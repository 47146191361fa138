import { at, changedPaths, sameBag } from "../checks/data.ts";
import type { Deviation } from "./deviations.ts";
import { isProse } from "./prose.ts";

/** What recorded runs tell of a way to end otherwise than a rewarded run did. */
export type Settled = "free" | "required" | "open";

interface Tally {
  /** Tasks whose rewarded runs all ended alike here. */
  agreed: number;
  /** Tasks whose rewarded runs ended otherwise. */
  differed: number;
  /** Tasks with an unrewarded run that ended otherwise than a rewarded one here, and nowhere else. */
  marked: number;
}

/** One task's runs, as deviations from one of its rewarded runs: of its other rewarded runs, and of its unrewarded ones. */
export interface Compared {
  readonly columns: ReadonlySet<string>;
  /** All texts that its rewarded runs ended with. */
  readonly texts: Iterable<string>;
  readonly rewarded: readonly (readonly Deviation[])[];
  readonly unrewarded: readonly (readonly Deviation[])[];
}

/** One task's rewarded runs may differ by chance, or by an error of whoever rewarded them: two tasks are needed. */
const TASKS = 2;

/** What tells a column from others: its table, and its name there; for rows that come or go the table alone. */
export function nameOf({ table, column }: Pick<Deviation, "table" | "column">): string {
  return `${table}\n${column ?? ""}`;
}

/** How often a task's rewarded runs end alike in a column and an unrewarded one differs in it alone: what tasks lend each other. */
export class Strength {
  private readonly tallies = new Map<string, Tally>();
  private readonly listing: string;
  /** Each text with the tasks that ended with it: one that several ended with is a value to choose, and no prose. */
  private readonly texts = new Map<string, Set<number>>();

  /** `listing` is the text of the tools listing: a text that it names is one of its values, and no prose. */
  constructor(tasks: Iterable<Compared>, listing: string) {
    this.listing = listing.toLowerCase();
    for (const [task, { columns, texts, rewarded, unrewarded }] of [...tasks].entries()) {
      for (const text of texts) {
        const known = this.texts.get(text.trim().toLowerCase()) ?? new Set<number>();
        this.texts.set(text.trim().toLowerCase(), known.add(task));
      }
      if (rewarded.length > 0) {
        const differed = new Set(rewarded.flat().map(nameOf));
        for (const name of new Set([...columns, ...differed]))
          this.of(name)[differed.has(name) ? "differed" : "agreed"] += 1;
      }
      const alone = new Set(
        unrewarded.flatMap((run) => {
          const names = new Set(run.map(nameOf));
          return names.size === 1 ? [...names] : [];
        }),
      );
      for (const name of alone) this.of(name).marked += 1;
    }
  }

  private of(name: string): Tally {
    const tally = this.tallies.get(name) ?? { agreed: 0, differed: 0, marked: 0 };
    this.tallies.set(name, tally);
    return tally;
  }

  /** Whether rewarded runs end in this column as they like, in most tasks that have several, and no unrewarded run tells otherwise. */
  isFree(name: string): boolean {
    const { agreed, differed, marked } = this.tallies.get(name) ?? { agreed: 0, differed: 0, marked: 0 };
    return differed >= TASKS && differed > agreed && marked === 0;
  }

  /**
   * What other tasks tell of a deviation. A value that nothing tells of is required as the rewarded run had it, but for
   * prose that neither the user's words (`said`, in small letters) nor the listing hold: that is open. A row that came
   * or went, and one that no rewarded run changed, is never free.
   */
  settle(deviation: Deviation, said: string): Settled {
    const name = nameOf(deviation);
    if (deviation.touched && deviation.column !== undefined && this.isFree(name)) return "free";
    const { agreed, marked } = this.tallies.get(name) ?? { agreed: 0, marked: 0 };
    if (!deviation.touched || deviation.column === undefined) return "required";
    if (marked > 0 || agreed >= TASKS) return "required";
    const { wanted, actual } = deviation;
    const worded = (path: string) => this.isWorded(at(wanted, path), said) && this.isWorded(at(actual, path), said);
    return changedPaths(wanted, actual).every(worded) ? "open" : "required";
  }

  /** Whether a value is prose of the agent's own. */
  private isWorded(value: unknown, said: string): boolean {
    if (!isProse(value)) return false;
    const text = value.trim().toLowerCase();
    return !this.listing.includes(text) && !said.includes(text) && (this.texts.get(text)?.size ?? 0) < TASKS;
  }
}

/** Whether one of the task's rewarded runs ended there as the trial did: right in each of them, as its other ends show. */
export function endedSo(deviation: Deviation, rewarded: readonly (readonly Deviation[])[]): boolean {
  return rewarded.some((run) =>
    run.some(
      (other) =>
        other.table === deviation.table &&
        other.key === deviation.key &&
        other.path === deviation.path &&
        sameBag(other.actual, deviation.actual),
    ),
  );
}

import type { Json } from "../../json.ts";
import { comparable, compareWithEnds, type End, type EndVerdict } from "./accepted.ts";
import { columnOf, type Deviation, deviations } from "./deviations.ts";
import type { Goal } from "./goal-values.ts";
import type { Replayed } from "./replay.ts";
import { type Compared, endedSo, nameOf, type Strength } from "./strength.ts";

/** What decides a task's trials: where its rewarded runs ended, what they and other tasks leave free, and the goal readings. */
export class TaskKey {
  private readonly ends: readonly End[];
  private readonly unrewarded: readonly Replayed[];
  private readonly strength: Strength;
  /** The values that mark this task's success. */
  readonly goals: readonly Goal[];
  private readonly said: string;
  private strict: boolean | undefined;
  private readonly others: ReadonlyMap<End, readonly (readonly Deviation[])[]>;

  /** `said` is what the users of its rewarded runs said. */
  constructor(
    ends: readonly End[],
    unrewarded: readonly Replayed[],
    strength: Strength,
    goals: readonly Goal[],
    said: string,
  ) {
    this.ends = ends;
    this.unrewarded = unrewarded;
    this.strength = strength;
    this.goals = goals;
    this.said = said.toLowerCase();
    this.others = new Map(
      ends.map((end) => [end, ends.flatMap((other) => (other === end ? [] : [between(end, other.run)]))]),
    );
  }

  /** What a finished trial's state decides; `reached`: whether it shows the goals, undefined where there are none or nobody can tell. */
  judge(trial: Replayed, reached: boolean | undefined): EndVerdict {
    const strict = compareWithEnds(this.ends, trial);
    if (strict.verdict === "met")
      return this.isContested(trial)
        ? { verdict: "not_decided", reason: "an unrewarded run of this task ended in the same state" }
        : strict;
    const soft = this.soften(strict, trial, reached);
    return soft.verdict === "met" && this.isStrict() ? { ...strict, verdict: "not_met" } : soft;
  }

  /** Whether unrewarded runs of the task ended where the trial did: then its state does not tell them apart. */
  private isContested(trial: Replayed): boolean {
    const isAt = (end: End, run: Replayed) => compareWithEnds([end], run).verdict === "met";
    return this.ends.some((end) => isAt(end, trial) && this.unrewarded.some((run) => isAt(end, run)));
  }

  /** Whether what is left free would let in an unrewarded run of the task: then nothing is. */
  private isStrict(): boolean {
    this.strict ??= this.unrewarded.some((run) => {
      const strict = compareWithEnds(this.ends, run);
      return strict.verdict !== "met" && this.soften(strict, run, undefined).verdict === "met";
    });
    return this.strict;
  }

  /** The verdict with what is free left out of account, by the end that comes nearest. */
  private soften(strict: EndVerdict, trial: Replayed, reached: boolean | undefined): EndVerdict {
    const judged = this.ends.map((end) => this.against(end, trial, reached));
    const best = judged.includes("free") ? "free" : judged.includes("open") ? "open" : "required";
    if (best === "free") return { verdict: "met", reason: "it differs from a rewarded run only in what is free" };
    if (best === "required" && strict.verdict === "not_met") return strict;
    if (reached === false) return { verdict: "not_met", reason: "the finished world does not show the task's goal" };
    return { ...strict, verdict: "not_decided" };
  }

  private against(end: End, trial: Replayed, reached: boolean | undefined): "free" | "open" | "required" {
    const settled = between(end, trial).map((deviation) => {
      if (deviation.touched && deviation.column !== undefined) {
        // The goal is what counts: what else a run changed of the same rows does not.
        if (reached === true || endedSo(deviation, this.others.get(end) ?? [])) return "free";
      }
      return this.strength.settle(deviation, this.said);
    });
    return settled.includes("required") ? "required" : settled.includes("open") ? "open" : "free";
  }
}

/** In what a run ended otherwise than a rewarded one, as far as both are known. */
export function between(end: End, run: Replayed): Deviation[] {
  const { changes, diff } = comparable(end, run);
  return deviations(changes, diff);
}

/** A task's runs beside its most usual rewarded end, to be lent to other tasks. */
export function comparedRuns(
  ends: readonly End[],
  rewarded: readonly Replayed[],
  unrewarded: readonly Replayed[],
): Compared {
  const [end] = ends;
  if (end === undefined) return { columns: new Set(), texts: [], rewarded: [], unrewarded: [] };
  const columns = end.changes.flatMap(({ table, op, fields, any }) =>
    op === "delete" ? [] : [...Object.keys(fields), ...any].map((path) => nameOf({ table, column: columnOf(path) })),
  );
  return {
    columns: new Set(columns),
    texts: ends.flatMap(({ changes }) => changes.flatMap(({ fields }) => textsIn(fields as Json))),
    rewarded: rewarded.filter((run) => run !== end.run).map((run) => between(end, run)),
    unrewarded: unrewarded.map((run) => between(end, run)),
  };
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

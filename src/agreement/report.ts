import { type Confusion, cohensKappa, type Kappa } from "../../chapters/statistics/kappa.ts";
import type { Agreement, JudgedTrial } from "../../worlds/tasks/observed/agreement.ts";
import type { Origin } from "../fidelity/traces.ts";

/** What `--json` prints. Shares are null where nothing was measured. */
export interface AgreementJson extends Confusion {
  readonly trials: number;
  readonly with_task: number;
  readonly undecided: number;
  readonly accuracy: number | null;
  readonly kappa: number | null;
  readonly kappa_low: number | null;
  readonly kappa_high: number | null;
  /** The mean of the shares of rewarded and of unrewarded trials that are judged right, of the decided ones. */
  readonly balanced_accuracy: number | null;
  /** The same of all trials with a task, where an undecided one is not judged right. */
  readonly balanced_accuracy_all: number | null;
  /** The share of trials with a task that are undecided. */
  readonly open: number | null;
}

const CELLS = {
  pass: { true: "true_pass", false: "false_pass" },
  fail: { true: "false_fail", false: "true_fail" },
  undecided: { true: "undecided", false: "undecided" },
} as const;

function cellOf({ verdict, rewarded }: JudgedTrial): keyof Confusion | "undecided" {
  return CELLS[verdict][`${rewarded}`];
}

/** The confusion table with accuracy over all trials that have a task (undecided is wrong) and kappa over decided ones. */
export function countsJson({ trials, judged }: Agreement): AgreementJson {
  const cells = { true_pass: 0, false_pass: 0, true_fail: 0, false_fail: 0, undecided: 0 };
  for (const trial of judged) cells[cellOf(trial)] += 1;
  const undecided = judged.filter(({ verdict }) => verdict === "undecided");
  const openOf = (reward: boolean) => undecided.filter(({ rewarded }) => rewarded === reward).length;
  const { true_pass, false_fail, true_fail, false_pass } = cells;
  const kappa: Kappa | undefined = cohensKappa(cells);
  return {
    trials,
    with_task: judged.length,
    ...cells,
    accuracy: judged.length === 0 ? null : (cells.true_pass + cells.true_fail) / judged.length,
    kappa: kappa?.kappa ?? null,
    kappa_low: kappa?.low ?? null,
    kappa_high: kappa?.high ?? null,
    balanced_accuracy: balanced([true_pass, true_pass + false_fail], [true_fail, true_fail + false_pass]),
    balanced_accuracy_all: balanced(
      [true_pass, true_pass + false_fail + openOf(true)],
      [true_fail, true_fail + false_pass + openOf(false)],
    ),
    open: judged.length === 0 ? null : undecided.length / judged.length,
  };
}

/** The mean of two shares; null where one of them is of nothing. */
function balanced([a, ofA]: readonly [number, number], [b, ofB]: readonly [number, number]): number | null {
  return ofA === 0 || ofB === 0 ? null : (a / ofA + b / ofB) / 2;
}

/** The confusion table, what follows from it, and each disagreement with the check that decided, for a terminal. */
export function table(agreement: Agreement, origins: ReadonlyMap<string, Origin>): string[] {
  const counts = countsJson(agreement);
  const cell = (n: number) => String(n).padStart(12);
  return [
    `${"".padEnd(12)}${"rewarded".padStart(12)}${"not rewarded".padStart(14)}`,
    `${"passed".padEnd(12)}${cell(counts.true_pass)}${cell(counts.false_pass).padStart(14)}`,
    `${"failed".padEnd(12)}${cell(counts.false_fail)}${cell(counts.true_fail).padStart(14)}`,
    `${counts.undecided} undecided; ${counts.with_task} of ${counts.trials} trials have a task, of ${agreement.tasks} mined`,
    `${agreement.judged.reduce((n, { corrected }) => n + corrected, 0)} writes are graded by what their recorded answers show, since the world answered otherwise`,
    `accuracy ${share(counts.accuracy)}, kappa ${figure(counts.kappa)} (95 %: ${figure(counts.kappa_low)} to ${figure(counts.kappa_high)}); tier ${agreement.tier}`,
    `balanced accuracy ${share(counts.balanced_accuracy)} of the ${counts.with_task - counts.undecided} decided, ${share(counts.balanced_accuracy_all)} with the open ones; ${share(counts.open)} open`,
    ...disagreements(agreement.judged, origins),
  ];
}

function disagreements(judged: readonly JudgedTrial[], origins: ReadonlyMap<string, Origin>): string[] {
  const others = judged.filter((trial) => !["true_pass", "true_fail"].includes(cellOf(trial)));
  if (others.length === 0) return [];
  return [
    "disagreements:",
    ...others.map((trial) => {
      const origin = origins.get(trial.trace.id);
      const rewarded = trial.rewarded ? "rewarded" : "not rewarded";
      return `  ${cellOf(trial)}: ${origin?.file ?? ""} ${origin?.trajectory ?? trial.trace.id} (task ${trial.trace.group}), ${rewarded}; ${trial.check}: ${clipped(trial.reason)}`;
    }),
  ];
}

const share = (value: number | null): string => (value === null ? "–" : `${(100 * value).toFixed(1)} %`);
const figure = (value: number | null): string => (value === null ? "–" : value.toFixed(3));

function clipped(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

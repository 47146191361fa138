import type { ConfidenceBands, ConfidenceWords } from "../../statistics/bands.ts";
import { confidenceOf, confidenceWords } from "../../statistics/bands.ts";
import { pairedPermutation } from "../../statistics/permutation.ts";
import { fewestFlips } from "../../statistics/smallest-shown.ts";
import type { GroupData } from "../groups/group-data.ts";
import { withoutIsolation } from "../isolation.ts";
import { CONVENTIONS, countedAs, lost } from "./compare-missing.ts";
import { startAgain } from "./compare-pairs.ts";
import type {
  Arm,
  CannotTell,
  CauseCount,
  ComparedArm,
  ComparedTask,
  Missing,
  RefusedTask,
  Side,
  Totals,
} from "./compare-types.ts";

/** The share of its planned trials that an arm may lose and still be compared. */
const MOST_LOST = 0.05;

interface Found {
  readonly a: GroupData;
  readonly b: GroupData;
  readonly named: Readonly<Record<"a" | "b", ComparedArm>>;
  readonly paired: readonly (readonly [Side, Side])[];
  readonly refused: readonly RefusedTask[];
  readonly chosen: string | undefined;
  readonly bands: ConfidenceBands;
  /** Tasks with a valid trial in both arms. */
  readonly compared: number;
}

const ARMS = ["a", "b"] as const;

/** Why nothing can be told and what to do about it, the gravest first; undefined where the figures may speak. */
export function cannotTell(found: Found): CannotTell | undefined {
  return (
    notDone(found) ??
    nothingPaired(found) ??
    byOutcome(found) ??
    tooMuchLost(found) ??
    undecided(found) ??
    tooFew(found)
  );
}

function notDone(found: Found): CannotTell | undefined {
  const arm = ARMS.find((one) => found[one].status !== "landed");
  if (arm === undefined) return undefined;
  const { status, group } = found[arm];
  if (status === "queued" || status === "running")
    return { reason: `${arm} is ${status}`, way_out: `wait for it (watch_job with job_id=${group.id})` };
  if (status === "held")
    return { reason: `${arm} is held`, way_out: `job_status with job_id=${group.id} says what it waits for` };
  const ended =
    status === "partial" ? `some runs of ${arm} did not land` : `${arm} was not played to its end (${status})`;
  return { reason: ended, way_out: `start_run with resume_group=${group.id}, then compare the group that goes on` };
}

function nothingPaired({ paired, refused, a }: Found): CannotTell | undefined {
  if (paired.length > 0) return undefined;
  const reason = "no task was run by both under the same terms";
  const first = mostRefused(refused);
  if (!first) return { reason, way_out: `start_run with group=${a.group.id} plays the tasks of a once more` };
  return {
    reason: `${reason} (${inside(first.reason)})`,
    way_out: first.way_out ?? "compare two groups that were run on the same tasks under the same terms",
  };
}

/** A task that stands for the reason most are refused for. */
function mostRefused(refused: readonly RefusedTask[]): RefusedTask | undefined {
  const [most] = [...Map.groupBy(refused, ({ reason }) => reason).values()].sort((x, y) => y.length - x.length);
  return most?.[0];
}

/** A sentence as it stands inside of another one. */
function inside(sentence: string): string {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1, -1);
}

function byOutcome({ chosen, a, b }: Found): CannotTell | undefined {
  if (chosen === undefined) return undefined;
  return {
    reason: `${chosen}, so the choice alone makes the arms differ`,
    way_out: startAgain(a, b) ?? "compare two groups that were run on all tasks",
  };
}

function tooMuchLost(found: Found): CannotTell | undefined {
  const arms = ARMS.filter((arm) => {
    const { missing, planned } = found.named[arm];
    return lost(missing) > MOST_LOST * planned + 1e-9;
  });
  const [first] = arms;
  if (first === undefined) return undefined;
  const why = arms.map((arm) => lostText(arm, found.named[arm])).join(", ");
  return { reason: `${why}; more than ${100 * MOST_LOST} % is too much`, way_out: playAgain(found, first) };
}

/** Whether the trials without a verdict would turn it, as they are counted. */
function undecided(found: Found): CannotTell | undefined {
  const said = CONVENTIONS.map((convention) => {
    const { p, difference } = pairedPermutation(countedAs(found.paired, convention));
    const shown = p <= 0.5 && confidenceWords(confidenceOf(p), found.bands) === "shown";
    return { convention, said: !shown ? "no difference is shown" : difference < 0 ? "b is worse" : "a is worse" };
  });
  if (said.every((one) => one.said === said[0]?.said)) return undefined;
  const arm = ARMS.find((one) => lost(found.named[one].missing) > 0) ?? "b";
  const why = ARMS.flatMap((one) => (lost(found.named[one].missing) > 0 ? [lostText(one, found.named[one])] : []));
  const how = said.map((one) => `${one.convention}, ${one.said}`).join("; ");
  return { reason: `${why.join(", ")}, and the verdict turns on these: ${how}`, way_out: playAgain(found, arm) };
}

function tooFew({ compared, bands, refused }: Found): CannotTell | undefined {
  const needed = fewestFlips(bands.high);
  if (compared >= needed) return undefined;
  const tasks = compared === 1 ? "1 task" : `${compared} tasks`;
  if (!Number.isFinite(needed))
    return {
      reason: `no number of tasks reaches the band at ${bands.high}`,
      way_out: "set a lower band (confidence_put)",
    };
  const first = mostRefused(refused);
  const reason = `${tasks} can show no difference at this band, however large`;
  if (first?.way_out !== undefined)
    return {
      reason: `${reason}, and ${refused.length} ${refused.length === 1 ? "task" : "tasks"} could not be compared (${inside(first.reason)})`,
      way_out: first.way_out,
    };
  return {
    reason,
    way_out: `run both on ${needed} tasks or more (start_run with selection=full; environment_review_regenerate writes more)`,
  };
}

function playAgain(found: Found, arm: "a" | "b"): string {
  const again = startAgain(found.a, found[arm]);
  return again === undefined
    ? "play them again where they came from and take them in once more"
    : `run_group with gid=${found[arm].group.id} says what ended them; then ${again}`;
}

/** How many trials of an arm have no verdict, and its rate with them counted either way. */
function lostText(arm: "a" | "b", { missing, planned, bounds }: Totals): string {
  const kinds = (Object.keys(missing) as (keyof Missing)[])
    .filter((kind) => missing[kind] > 0)
    .map((kind) => `${missing[kind]} ${kind.replace("_", " ")}`);
  return `${arm} lost ${lost(missing)} of ${planned} trials (${kinds.join(", ")}), its rate ${percent(bounds.low)} to ${percent(bounds.high)} % with these as failed or as met`;
}

/** What the verdict says it from. */
interface VerdictInput {
  readonly a: ComparedArm;
  readonly b: ComparedArm;
  readonly untold: CannotTell | undefined;
  readonly chosen: string | undefined;
  readonly difference: number;
  readonly confidence: number;
  readonly words: ConfidenceWords;
  readonly worse: "a" | "b" | undefined;
  readonly causes: readonly CauseCount[];
  readonly tasks: readonly ComparedTask[];
}

/** One line: which arm met less and by how much, how sure that is, and why it failed; or why that cannot be told, and what to do. */
export function verdictOf(verdictInput: VerdictInput): string {
  const open = ARMS.flatMap((arm) => {
    const words = withoutIsolation(verdictInput[arm].isolation);
    return words === "" ? [] : [` Of ${arm}, ${words}.`];
  });
  return `${comparedLine(verdictInput)}${open.join("")}`;
}

function comparedLine({ a, b, untold, difference, confidence, words, worse, causes, tasks }: VerdictInput): string {
  const counts = `a met ${met(a)}, b ${met(b)}, over ${tasks.length} ${tasks.length === 1 ? "task" : "tasks"}`;
  if (untold !== undefined) {
    const seen = tasks.length === 0 ? "" : ` Of the trials with a verdict ${counts}.`;
    return `Cannot tell: ${untold.reason}: ${untold.way_out}.${seen}`;
  }
  const without = ARMS.flatMap((arm) => {
    const totals = { a, b }[arm];
    return lost(totals.missing) === 0 ? [] : [`; ${lostText(arm, totals)}`];
  }).join("");
  // Rounded down, so that a confidence never reads as a band it did not reach.
  const sure = `confidence ${Math.floor(confidence)}`;
  if (worse === undefined) return `No difference shown: ${counts} (${sure})${without}.`;
  const points = `${(100 * Math.abs(difference)).toFixed(1)} points`;
  const [first] = causes;
  const why = first === undefined ? "" : `; first root cause of its new failures: ${first.cause} (${first.trials})`;
  if (words === "no difference shown")
    return `No difference shown: ${counts}; ${worse} met ${points} less (${sure})${without}.`;
  const how = words === "shown" ? `${worse} is worse` : `Leaning towards ${worse} being worse`;
  return `${how}: ${points} less met, ${counts} (${sure}, ${words})${without}${why}.`;
}

function met({ met: part, valid }: Arm): string {
  return `${part} of ${valid}`;
}

function percent(part: number): string {
  return (100 * part).toFixed(1);
}

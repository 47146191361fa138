import { countOf } from "../../count-of.ts";
import { playerName } from "../../records/runs/runs.ts";
import type { ConfidenceBands, ConfidenceWords } from "../../statistics/bands.ts";
import { confidenceClause, confidenceOf, confidenceWords } from "../../statistics/bands.ts";
import { pairedPermutation } from "../../statistics/permutation.ts";
import { fewestFlips } from "../../statistics/smallest-shown.ts";
import { endedAtOnceWords } from "../ended-at-once.ts";
import type { GroupData } from "../groups/group-data.ts";
import { withoutIsolation } from "../isolation.ts";
import { CONVENTIONS, countedAs, lost } from "./compare-missing.ts";
import { startAgain } from "./compare-pairs.ts";
import type {
  Arm,
  ArmName,
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
/** Characters of a player's name in a verdict of one line. */
const NAME_CHARS = 60;
/** Words, numbers and what joins them; no brackets, quotes or addresses. */
const PLAIN_NAME = /^(?!.*(?:\/\/|www\.))[\p{L}\p{N}][\p{L}\p{N} ._+:/-]*$/u;

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
  if (!first) {
    const again = startAgain(a, a) && `start_run with group=${a.group.id} plays the tasks of a once more`;
    return { reason, way_out: again ?? SAME_TASKS };
  }
  return { reason: `${reason} (${inside(first.reason)})`, way_out: first.way_out ?? SAME_TASKS };
}

/** What helps where nothing was paired and no operation plays the tasks again. */
export const SAME_TASKS = "compare two that were run on the same tasks under the same terms";

/** A task that stands for the reason most are refused for. */
function mostRefused(refused: readonly RefusedTask[]): RefusedTask | undefined {
  const [most] = [...Map.groupBy(refused, ({ reason }) => reason).values()].sort((x, y) => y.length - x.length);
  return most?.[0];
}

/** A sentence as it stands inside of another one. */
export function inside(sentence: string): string {
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

function tooFew({ a, b, compared, bands, refused }: Found): CannotTell | undefined {
  const needed = fewestFlips(bands.high);
  if (compared >= needed) return undefined;
  const tasks = countOf(compared, "task");
  if (!Number.isFinite(needed))
    return {
      reason: `no number of tasks reaches the band at ${bands.high}`,
      way_out: "set a lower band (confidence_put)",
    };
  const first = mostRefused(refused);
  const reason = `${tasks} ${compared === 1 ? "is" : "are"} too few to show a difference, however large it is`;
  if (first?.way_out !== undefined)
    return {
      reason: `${reason}, and ${refused.length} ${refused.length === 1 ? "task" : "tasks"} could not be compared (${inside(first.reason)})`,
      way_out: first.way_out,
    };
  // Results that were recorded elsewhere are of tasks that no operation here can play or write more of.
  const playable = startAgain(a, b)
    ? " (start_run with selection=full; environment_review_regenerate writes more)"
    : " where they were recorded";
  return {
    reason,
    way_out: `run both on ${countOf(needed, "task")} or more${playable}`,
  };
}

function playAgain(found: Found, arm: "a" | "b"): string {
  const again = startAgain(found.a, found[arm]);
  return again === undefined
    ? "play these trials again where they were recorded, and compare the new results"
    : `run_group with gid=${found[arm].group.id} says what ended them; then ${again}`;
}

/** How many trials of an arm have no verdict, and its rate with them counted either way. */
function lostText(arm: string, { missing, planned, bounds }: Totals): string {
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

/** One line: how much more or less b met, how sure that is, and why what failed did; or why that cannot be told, and what to do. */
export function verdictOf(verdictInput: VerdictInput): string {
  return `${comparedLine(verdictInput, armNames(verdictInput))}${atOnceWords(verdictInput)}${isolationWords(verdictInput)}`;
}

/** Whose agent did not begin in most trials: then the figures are of how it is started. */
function atOnceWords(arms: Readonly<Record<"a" | "b", ArmName>>): string {
  const names = armNames(arms);
  return ARMS.flatMap((arm) => {
    const words = endedAtOnceWords(arms[arm].ended_at_once);
    return words === "" ? [] : [` Of ${names[arm]}, ${words}.`];
  }).join("");
}

/** What a verdict ends with: which of its trials ran without isolation. */
export function isolationWords(arms: Readonly<Record<"a" | "b", ArmName>>): string {
  const names = armNames(arms);
  const open = ARMS.flatMap((arm) => {
    const words = withoutIsolation(arms[arm].isolation);
    return words === "" ? [] : [` Of ${names[arm]}, ${words}.`];
  });
  return open.join("");
}

type Names = Readonly<Record<"a" | "b", string>>;

/** What the arms are called: player and version, with the arm's letter where both are called the same. */
export function armNames({ a, b }: { readonly a: ArmName; readonly b: ArmName }): Names {
  const [x, y] = [plainName(a, "a"), plainName(b, "b")];
  return x === y ? { a: `${x} (a)`, b: `${y} (b)` } : { a: x, b: y };
}

/** A name that is no plain words could be markup where the sentence is shown: its arm's letter stands for it. */
function plainName(named: ArmName, arm: "a" | "b"): string {
  const whole = playerName(named);
  return whole.length <= NAME_CHARS && PLAIN_NAME.test(whole) ? whole : arm;
}

function comparedLine(
  { a, b, untold, difference, confidence, words, worse, causes, tasks }: VerdictInput,
  names: Names,
) {
  const over = `over ${tasks.length} ${tasks.length === 1 ? "task" : "tasks"}`;
  const counts = `${names.a} ${did(a)} ${met(a)}${isRewarded(a) ? "" : " trials"}, ${names.b} ${met(b)}, ${over}`;
  if (untold !== undefined) {
    const seen = tasks.length === 0 ? "" : ` Of the trials with a verdict ${counts}.`;
    return `${untoldLine({ a, b }, untold)}${seen}`;
  }
  const without = ARMS.flatMap((arm) =>
    lost({ a, b }[arm].missing) === 0 ? [] : [`; ${lostText(names[arm], { a, b }[arm])}`],
  ).join("");
  const sure = confidenceClause(confidence);
  const bracketed = (parts: readonly string[]) => {
    const told = parts.filter(Boolean);
    return told.length === 0 ? "" : ` (${told.join(", ")})`;
  };
  if (worse === undefined) return `No difference shown: ${counts}${bracketed([sure])}${without}.`;
  const figures = bracketed([`${(100 * Math.abs(difference)).toFixed(1)} points`, sure]);
  if (words === "no difference shown") return `No difference shown: ${counts}${figures}${without}.`;
  // The change is from a to b, so the sentence is of b where it is the better one too.
  const [is, why] = worse === "b" ? ["worse", whyWorse(causes)] : ["better", whyBetter(causes)];
  const how = words === "shown" ? `is ${is}` : `seems ${is}, which is not shown`;
  return `${names.b} ${how}: it ${did(b)} ${met(b)}${isRewarded(b) ? "" : " trials"}, ${names.a} ${met(a)}, ${over}${figures}${without}.${why}`;
}

/** That two arms cannot be told apart, why, and what to do; the letters stand since the reason names arms by them. */
export function untoldLine({ a, b }: { readonly a: ArmName; readonly b: ArmName }, { reason, way_out }: CannotTell) {
  const [x, y] = [plainName(a, "a"), plainName(b, "b")];
  return `Cannot tell ${y === "b" ? y : `${y} (b)`} from ${x === "a" ? x : `${x} (a)`}: ${reason}: ${way_out}.`;
}

/** What most of b's new failures did, or the most frequent of their root causes. */
function whyWorse(causes: readonly CauseCount[]): string {
  return whyFailed(causes, "Its one new failure", "of its new failures");
}

/** The same of the failures of a that b no longer has. */
function whyBetter(causes: readonly CauseCount[]): string {
  return whyFailed(causes, "The one failure that is gone", "of the failures that are gone");
}

function whyFailed(causes: readonly CauseCount[], one: string, many: string): string {
  const [first] = causes;
  if (first === undefined) return "";
  const all = causes.reduce((sum, { trials }) => sum + trials, 0);
  if (first.trials === all) return ` ${all === 1 ? one : `All ${all} ${many}`} ${CAUSE_WORDS[first.cause]}.`;
  const share = 2 * first.trials > all ? "Most" : "The largest share";
  return ` ${share} ${many} ${CAUSE_WORDS[first.cause]} (${first.trials} of ${all}).`;
}

/** What the root causes of a comparison are of: new failures of b, or failures of a that b no longer has. */
export function causesHeading(worse: "a" | "b" | undefined, { a, b }: Names): string {
  return `Root causes of the ${worse === "a" ? `failures of ${a} that are gone` : `new failures of ${b}`}`;
}

/** What failures of a root cause did, after "its failures". */
export const CAUSE_WORDS: Readonly<Record<CauseCount["cause"], string>> = {
  wrong_tool: "called a wrong tool",
  wrong_argument: "gave a wrong argument",
  missing_call: "left out a needed call",
  extra_write: "changed what nobody asked for",
  unverified_write: "changed something without looking first",
  stopped_early: "stopped early",
  false_no_data: "said that there is no data where there is",
  invented_value: "said a value that no tool answered",
  padded_answer: "said more than was asked",
  over_refusal: "refused what is allowed",
  policy_breach: "did what the policy forbids",
  loop: "repeated the same call",
  flood: "made too many calls",
  tool_error_unhandled: "ignored a tool's error",
  format: "answered in a wrong form",
  timeout: "ran out of time",
  crash: "ended in a crash",
  other: "have no known root cause",
};

/** What an arm came to: trials met, or the mean of their rewards and those that have the whole. */
function met(arm: Arm): string {
  const counts = `${arm.met} of ${arm.valid}`;
  return isRewarded(arm) ? `${meanReward(arm)} (whole in ${counts} trials)` : counts;
}

function did(arm: Arm): string {
  return isRewarded(arm) ? "has a mean reward of" : "met";
}

function isRewarded({ rewards }: Arm): boolean {
  return rewards !== undefined;
}

/** The mean reward of the valid trials, three decimals; none without such a trial. */
export function meanReward({ rewards, met: whole, valid }: Arm): string {
  return valid === 0 ? "none" : ((rewards ?? whole) / valid).toFixed(3);
}

function percent(part: number): string {
  return (100 * part).toFixed(1);
}

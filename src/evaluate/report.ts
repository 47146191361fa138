import { countOf, named } from "../../chapters/count-of.ts";
import type { Doc } from "../../chapters/record.ts";
import type { ProposedPrograms } from "../../chapters/records/sandboxes/proposals.ts";
import type { FidelityCounts, TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import type { EndedAtOnce } from "../../chapters/runs/ended-at-once.ts";
import type { TrialTree } from "../../chapters/runs/trials/trace-run.ts";
import type { WrongAnswer } from "../../chapters/sandboxes/surfaces/read-wrong-answers.ts";
import type { ChangedTool } from "../../worlds/compile/versions/contradictions.ts";
import type { Skipped } from "./files.ts";
import type { RecordedRates } from "./recorded.ts";
import { lossesText } from "./send-evidence.ts";
import type { Warning } from "./warnings.ts";
import { counted, percent } from "./words.ts";

export { counted, percent } from "./words.ts";

/** One file that was read. */
export interface ReadFile {
  /** The id of the evidence record it is stored as; the same bytes are the same record. */
  readonly evidence: string;
  readonly name: string;
  readonly format: string;
  readonly traces: number;
  readonly calls: number;
  readonly refused: number;
  /** What of it is not kept, by name, with how often. */
  readonly losses: Readonly<Record<string, number>>;
}

/** How worlds answered calls they were not compiled from: against what, over how many sessions. */
export interface MeasuredFidelity {
  readonly against: string;
  readonly sessions: number;
  readonly counts: Pick<FidelityCounts, "calls" | "identical" | "identical_volatile" | "not_served" | "wrong_success"> &
    Partial<FidelityCounts>;
  readonly tools: Readonly<Record<string, MeasuredFidelity["counts"]>>;
  /** Calls of each tool that were not answered as observed, for the page alone. */
  readonly opened?: Readonly<Record<string, readonly WrongAnswer[]>>;
}

/** One agent's run over the environment's certified tasks. */
export interface AgentRun {
  readonly name: string;
  readonly group: string;
  readonly met: number;
  readonly valid: number;
  readonly infra: number;
  readonly invalid: number;
  /** Wilson bounds of the met rate at 95 %, 0..1. */
  readonly low: number;
  readonly high: number;
  /** Where it did not begin in most trials: how many, and why. */
  readonly ended_at_once?: EndedAtOnce;
}

/** A task whose outcome differs between the two versions compared. */
export interface Flip {
  readonly task: string;
  readonly request: string;
  readonly family: string;
  readonly before: string;
  readonly after: string;
  readonly cause: string | undefined;
  /** The first two trials of it whose ends differ, for the page alone; absent beyond the first flips. */
  readonly opened?: OpenedPair;
}

/** Two trials of a task that are shown side by side, of which try. */
export interface OpenedPair {
  readonly n: number;
  readonly before: FlippedTrial;
  readonly after: FlippedTrial;
}

/** A trial as tables tell it: by its request, how it ended, and what its checks decided. */
export interface ListedTrial extends Pick<FlippedTrial, "end" | "root_cause" | "checks"> {
  readonly arm: "before" | "after";
  readonly task: string;
  readonly n: number;
  readonly request: string;
  readonly cause: string | null;
}

/** One trial of a flipped task, as far as the page shows it. */
export interface FlippedTrial {
  readonly end: string;
  readonly root_cause: string | null;
  readonly ms: number;
  readonly calls: TrialTree["calls"];
  readonly answers: TrialTree["answers"];
  readonly checks: TrialTree["checks"];
  readonly diff: TrialTree["diff"];
}

/** Two runs side by side, paired by task. */
export interface Compared {
  readonly before: string;
  readonly after: string;
  readonly verdict: string;
  readonly confidence: number;
  readonly words: string;
  /** The one that met less, where one did: `a` is what was before. */
  readonly worse?: "a" | "b";
  readonly tasks: number;
  readonly refused: number;
  readonly flips: readonly Flip[];
  /** For the page alone: every trial of the compared tasks, and tasks that both failed, which are no flips, side by side. */
  readonly opened?: {
    readonly trials: readonly ListedTrial[];
    readonly pairs: readonly { readonly task: string; readonly request: string; readonly opened: OpenedPair }[];
  };
  readonly causes: readonly { readonly cause: string; readonly trials: number }[];
}

/** Everything an evaluation found; what was not measured is absent. The terminal and the page read nothing else. */
export interface EvaluationReport {
  readonly title: string;
  /** Unix seconds. */
  readonly made_at: number;
  /** The sample was evaluated: its traces are made up, and the page says so. */
  readonly invented?: true;
  readonly files: readonly ReadFile[];
  /** Files of which nothing could be used, with why; absent where all could. */
  readonly skipped?: readonly Skipped[];
  /** Agents whose rewards the files hold, the best first; absent where fewer than two ran a task in common. */
  readonly recorded?: readonly RecordedRates[];
  readonly surface: string;
  readonly bundle: {
    readonly id: string;
    readonly digest: string;
    readonly tools: number;
    readonly rows: Readonly<Record<string, number>>;
    readonly exceptions: number;
    /** Evidence records beside the files above that the surface held already and was compiled from too. */
    readonly earlier: number;
    readonly set_aside: number;
    /** Tools that the older version of the system, whose traces were set aside, answered differently. */
    readonly changed_tools: readonly ChangedTool[];
    readonly gaps: readonly { readonly tool: string; readonly reason: string; readonly n: number }[];
  };
  /** Absent where no task could be written. */
  readonly environment?: { readonly id: string; readonly base_digest: string; readonly tasks_digest: string };
  /** What a model was asked for, and what was taken of it; absent where none was named. */
  readonly proposed?: Pick<
    ProposedPrograms,
    "model" | "rounds" | "usd" | "tier" | "taken" | "reason" | "tools" | "cut" | "note"
  >;
  readonly heldOut?: MeasuredFidelity;
  readonly live?: MeasuredFidelity;
  readonly tasks: {
    readonly written: number;
    readonly certified: number;
    /** Certified tasks with those that differ in words alone as one. */
    readonly distinct?: number;
    /** Passed review, and the world is too poor for them. */
    readonly poor?: number;
    /** Tools that the evidence called and no certified task needs, most called first, and why. */
    readonly left_out?: readonly { readonly tool: string; readonly why?: string }[];
    readonly refused: number;
    readonly families: Readonly<Record<string, number>>;
    /** Refused tasks by the verdict of their review that they failed. */
    readonly refused_for?: Readonly<Record<string, number>>;
    /** Lapsed certificates, as of an earlier version of the checks, and how many of these tasks were certified again. */
    readonly again?: { readonly lapsed: number; readonly certified: number };
    readonly health?: NonNullable<Doc<typeof TaskRecord>["health"]>;
    /** Why none or few count, as the pipeline that wrote them says it. */
    readonly note?: string;
  };
  readonly runs: readonly AgentRun[];
  readonly comparison?: Compared;
  /** What makes the verdict worth less, the serious first; empty where nothing does. */
  readonly warnings: readonly Warning[];
  /** What to do next, a command each. */
  readonly next: readonly string[];
  /** Seconds per stage. */
  readonly seconds: Readonly<Record<string, number>>;
}

/** A confidence as the console says it: rounded down, so that it reaches no band that it did not. */
export function confidenceText(confidence: number): string {
  return String(Math.floor(confidence));
}

/** That a world stands on more than the files just read; empty when it does not. */
export function earlierText(earlier: number): string {
  return earlier === 0 ? "" : `also compiled from ${counted(earlier, "evidence record")} stored before`;
}

/** The verdict lines for a terminal, the most important last, each with how it was made. */
/** How many tools a line names. */
const NAMED_TOOLS = 3;

/** What was set aside as of an older version of the system, and which tools answer differently since. */
export function setAsideText(traces: number, changed: readonly ChangedTool[]): string {
  const tools = changed.slice(0, NAMED_TOOLS).map(({ tool, asked, differ, fields }) => {
    const where = fields.filter((field) => field !== "").slice(0, NAMED_TOOLS);
    return `${tool} answers ${differ} of ${countOf(asked, "question")} differently${where.length > 0 ? ` (${where.join(", ")})` : ""}`;
  });
  const more = changed.length > NAMED_TOOLS ? [`${changed.length - NAMED_TOOLS} more tools`] : [];
  const what = tools.length === 0 ? "" : `: ${[...tools, ...more].join(", ")}`;
  return `${counted(traces, "trace")} of an older version of the system ${traces === 1 ? "was" : "were"} set aside${what}`;
}

export function verdictLines(report: EvaluationReport): string[] {
  const { bundle, tasks } = report;
  const rows = Object.values(bundle.rows).reduce((sum, n) => sum + n, 0);
  return [
    ...fileLines(report.files),
    `world       ${counted(bundle.tools, "tool")}, ${counted(rows, "row")} in ${counted(Object.keys(bundle.rows).length, "table")}, ${counted(bundle.exceptions, "recorded exception")}, ${counted(bundle.gaps.length, "gap")}${bundle.set_aside === 0 ? "" : `; ${setAsideText(bundle.set_aside, bundle.changed_tools)}`}${bundle.earlier === 0 ? "" : `; ${earlierText(bundle.earlier)}`}`,
    ...(report.proposed === undefined ? [] : proposedLines(report.proposed)),
    ...[report.heldOut, report.live].flatMap((measured) => (measured === undefined ? [] : [fidelityLine(measured)])),
    `tasks       ${tasks.certified} of ${tasks.written} certified${distinctText(tasks)} in ${countOf(Object.keys(tasks.families).length, "family", "families")}${tasks.health === undefined ? "" : `; ${tasks.health.rejected} of ${tasks.health.mutants} wrong trials rejected, ${tasks.health.spared} of ${tasks.health.equals} equal ones spared`}`,
    ...untestedLine(tasks.left_out),
    ...(tasks.again === undefined ? [] : [againLine(tasks.again)]),
    ...report.runs.map(runLine),
    ...(report.comparison === undefined ? [] : comparisonLines(report.comparison)),
    ...report.warnings.map(({ text }) => `warning     ${text}`),
  ];
}

/** What was read of each file, what was refused of it, and what of it is not kept. */
export function fileLines(files: readonly ReadFile[]): string[] {
  return files.map(({ name, format, traces, calls, refused, losses }) => {
    const lost = lossesText(losses);
    return `read        ${name}: ${format}, ${countOf(traces, "trace")}, ${countOf(calls, "call")}${refused === 0 ? "" : `, ${refused} refused`}${lost === "" ? "" : `; ${lost}`}`;
  });
}

/** What the files' own rewards say of the agents in them, before anything is played. */
export function recordedLines(rates: readonly RecordedRates[]): string[] {
  if (rates.length === 0) return [];
  return [
    ...rates.map(
      ({ name, met, valid, reward, low, high }) =>
        `recorded    ${name}: met ${met} of ${valid} (${reward === undefined ? percent(met, valid) : `mean reward ${(100 * reward).toFixed(1)} %`}; 95 % interval ${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)}) [as the files say]`,
    ),
    ...rates.flatMap(({ verdict }) => (verdict === undefined ? [] : [`compared    ${verdict}`])),
    ...(rates.length > 2
      ? [`            ${countOf(rates.length - 1, "comparison")} with the best, none corrected for the others`]
      : []),
  ];
}

function distinctText({ certified, distinct, poor }: EvaluationReport["tasks"]): string {
  const told = [
    ...(distinct === undefined || certified === 0 ? [] : [`${distinct} distinct`]),
    ...(poor === undefined || poor === 0 ? [] : [`${poor} held, their world is too poor for them`]),
  ];
  return told.length === 0 ? "" : ` (${told.join("; ")})`;
}

function untestedLine(left: NonNullable<EvaluationReport["tasks"]["left_out"]> = []): string[] {
  const told = left.map(({ tool, why }) => (why === undefined ? tool : `${tool} (${why})`));
  return told.length === 0 ? [] : [`left out    no task needs ${named(told)}`];
}
/** What a model proposed: tool by tool what it stands on, or why it was not taken. */
export function proposedLines({ model, rounds, usd, tier, reason, tools, cut, note }: Proposed): string[] {
  const asked = `${model}, asked in ${counted(rounds, "round")} for $${usd.toFixed(4)}`;
  return [
    `proposed    by ${asked}: ${note ?? ""}${note === undefined || note === reason ? "" : " "}${note === reason ? "" : reason} [${tier}]`,
    ...tools.map((one) => `  program   ${one.tool}: ${one.reason}`),
    ...cut.map((text) => `  cut       ${text}`),
  ];
}

type Proposed = NonNullable<EvaluationReport["proposed"]>;

function againLine({ lapsed, certified }: NonNullable<EvaluationReport["tasks"]["again"]>): string {
  const lost = lapsed - certified;
  const rest =
    lost === 0
      ? ""
      : `; ${lost} no longer passed: environment_review says why, and a new data folder (--data) writes new ones`;
  return `reviewed    again: the certificates of ${counted(lapsed, "task")} no longer held (another version of the checks gave them, or the tasks were changed), and ${certified} passed${rest}`;
}

function fidelityLine({ against, sessions, counts }: MeasuredFidelity): string {
  return `fidelity    ${percent(counts.identical_volatile, counts.calls)} of ${counts.calls} calls as ${against} (${sessions} sessions not used to compile); ${recorded(counts)}${counts.not_served} not served, ${counts.wrong_success} wrong successes [deterministic]`;
}

/** What a plain recording would have answered; nothing where that was not measured. */
function recorded({ recording, calls }: MeasuredFidelity["counts"]): string {
  return recording === undefined ? "" : `a plain recording ${percent(recording.identical_volatile, calls)}; `;
}

function runLine(run: AgentRun): string {
  const beside = [run.infra > 0 ? `${run.infra} infra` : "", run.invalid > 0 ? `${run.invalid} invalid` : ""]
    .filter(Boolean)
    .join(", ");
  return `run         ${run.name}: met ${run.met} of ${run.valid} (${percent(run.met, run.valid)}; 95 % interval ${(100 * run.low).toFixed(0)} to ${(100 * run.high).toFixed(0)})${beside === "" ? "" : `; not counted: ${beside}`} [deterministic]`;
}

function comparisonLines(compared: Compared): string[] {
  const causes = compared.causes.map(({ cause, trials }) => `${cause} (${trials})`).join(", ");
  return [
    `compared    ${compared.before} with ${compared.after}`,
    `verdict     ${compared.verdict}`,
    `confidence  ${confidenceText(compared.confidence)} of 100, ${compared.words}: exact paired permutation test over ${compared.tasks} tasks${compared.refused === 0 ? "" : `, ${compared.refused} refused`} [deterministic]`,
    ...(causes === "" ? [] : [`root cause  ${causes}`]),
  ];
}

import type { EvaluationReport, MeasuredFidelity } from "./report.ts";
import { counted, percent } from "./words.ts";

/** Something that makes a verdict worth less, with what would help. */
export interface Warning {
  readonly kind: "no_tasks" | "below_recording" | "few_answered" | "tool_mostly_wrong" | "rule_meets_all";
  /** One or two sentences: what was counted, of how many, and what would help. */
  readonly text: string;
  /** The verdict cannot be relied on: the command ends with exit status 3. */
  readonly serious: boolean;
}

/** Exit status of an evaluation with a serious warning. */
export const POOR_WORLD = 3;

/** A tool called less often than this says nothing of how often it is wrong. */
const LEAST_CALLS = 5;
/** Tools named one by one. */
const NAMED = 3;

const LISTINGS = new Set(["mcp", "openai-tools", "anthropic-tools", "openapi"]);

type Counts = MeasuredFidelity["counts"];
type Judged = Pick<EvaluationReport, "files" | "runs" | "heldOut"> &
  Partial<Pick<EvaluationReport, "bundle" | "tasks">>;

/** What the headline of an evaluation has to say of how far it can be trusted. */
export function warningsOf(report: Judged): Warning[] {
  const { heldOut, runs } = report;
  const rule = runs.find(({ name }) => name === "rule");
  return [
    ...(report.tasks?.certified === 0 ? [noTasks(report, report.tasks)] : []),
    ...(heldOut === undefined || heldOut.counts.calls === 0 ? [] : ofWorld(heldOut, report)),
    ...(rule !== undefined && rule.valid > 0 && rule.met === rule.valid
      ? [
          {
            kind: "rule_meets_all" as const,
            text: `The rule harness, which has no model, meets all ${counted(rule.valid, "valid trial")}: these tasks tell no agents apart. Traces of longer requests, with several calls and refusals, would give harder ones.`,
            serious: false,
          },
        ]
      : []),
  ];
}

/** Why there is nothing to test with: what was seen, what stood in the way, and what would help. */
function noTasks(report: Judged, { written, refused_for = {} }: EvaluationReport["tasks"]): Warning {
  const traces = report.files.reduce((sum, file) => sum + file.traces, 0);
  const calls = report.files.reduce((sum, file) => sum + file.calls, 0);
  const serious = true;
  const seen = `${counted(traces, "trace")} with ${counted(calls, "tool call")}`;
  if (calls === 0)
    return {
      kind: "no_tasks",
      text: `No task was written: the ${seen} show nothing that a tool answers or changes. Send sessions with their tool calls and results.`,
      serious,
    };
  const reasons = Object.entries(refused_for)
    .sort(([x, a], [y, b]) => b - a || (x < y ? -1 : 1))
    .map(([verdict, n]) => `${n} ${verdict}`);
  const what =
    written === 0
      ? `No task was written from ${seen}`
      : `None of the ${counted(written, "task")} written from ${seen} passed review${reasons.length === 0 ? "" : ` (refused: ${reasons.join(", ")})`}`;
  const missing = [...new Set((report.bundle?.gaps ?? []).map(({ tool }) => tool))];
  const unanswered =
    missing.length === 0
      ? "its world answers its tools, and shows too few of their rows and sessions that hang together"
      : `its world cannot answer ${missing.length} of ${counted(report.bundle?.tools ?? missing.length, "tool")} (${named(missing)})`;
  const help = report.heldOut ? helpFor(report.heldOut.tools, report) : helpFor({}, report);
  return { kind: "no_tasks", text: `${what}: ${unanswered}. What would help: ${help}.`, serious };
}

function ofWorld({ counts, tools }: MeasuredFidelity, report: Judged): Warning[] {
  const { calls, identical_volatile: right, not_served, recording } = counts;
  const warnings: Warning[] = [];
  const help = `What would help: ${helpFor(tools, report)}.`;
  if (recording !== undefined && right < recording.identical_volatile)
    warnings.push({
      kind: "below_recording",
      text: `The world is below a plain recording: it answers ${right} of ${calls} held-out calls as observed (${percent(right, calls)}), the recording ${recording.identical_volatile} (${percent(recording.identical_volatile, calls)}). ${help}`,
      serious: true,
    });
  const answered = calls - not_served;
  if (answered * 2 < calls)
    warnings.push({
      kind: "few_answered",
      text: `The world answers fewer than half of the held-out calls: ${answered} of ${calls} (${percent(answered, calls)}). ${help}`,
      serious: true,
    });
  const wrong = Object.entries(tools)
    .filter(([, own]) => own.calls >= LEAST_CALLS && wrongOf(own) * 2 > own.calls)
    .sort(([, a], [, b]) => wrongOf(b) - wrongOf(a));
  if (wrong.length > 0)
    warnings.push({
      kind: "tool_mostly_wrong",
      text: `${wrong.length === 1 ? "A tool is" : `${wrong.length} tools are`} mostly answered wrong: ${named(wrong.map(([name, own]) => `${name} (${wrongOf(own)} of ${own.calls} calls)`))}. Tasks that call ${wrong.length === 1 ? "it" : "them"} are not to be relied on; more sessions that call ${wrong.length === 1 ? "it" : "them"} would help.`,
      serious: false,
    });
  return warnings;
}

function wrongOf({ wrong_answer, wrong_success }: Counts): number {
  return wrong_answer ?? wrong_success;
}

/** The tools that miss most, and the kinds of evidence that were not given. */
function helpFor(tools: MeasuredFidelity["tools"], { files }: Judged): string {
  const missed = Object.entries(tools)
    .map(([name, own]) => ({ name, missed: own.calls - own.identical_volatile, calls: own.calls }))
    .filter((tool) => tool.missed > 0)
    .sort((a, b) => b.missed - a.missed || (a.name < b.name ? -1 : 1))
    .map((tool) => `${tool.name} (${tool.missed} of ${tool.calls} calls missed)`);
  const given = new Set(files.map(({ format }) => format));
  return [
    missed.length === 0 ? "more sessions of the same kinds of request" : `more sessions that call ${named(missed)}`,
    ...(given.has("records") ? [] : ["a database export"]),
    ...([...given].some((format) => LISTINGS.has(format)) ? [] : ["a tool listing"]),
  ].join(", or ");
}

function named(names: readonly string[]): string {
  const more = names.length - NAMED;
  return `${names.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

import { named } from "../../chapters/count-of.ts";
import { endedAtOnceWords } from "../../chapters/runs/ended-at-once.ts";
import { ENOUGH_TRACES } from "../../chapters/sandboxes/surfaces/training.ts";
import { whatWouldHelp, whyNoTasks } from "../../chapters/sandboxes/tasks/no-tasks.ts";
import { DEFAULT_BANDS } from "../../chapters/statistics/bands.ts";
import { fewestFlips } from "../../chapters/statistics/smallest-shown.ts";
import { skippedTexts } from "./files.ts";
import type { EvaluationReport, MeasuredFidelity } from "./report.ts";
import { counted, percent } from "./words.ts";

/** Something that makes a verdict worth less, with what would help. */
export interface Warning {
  readonly kind:
    | "no_tasks"
    | "below_recording"
    | "few_answered"
    | "tool_mostly_wrong"
    | "rule_meets_all"
    | "few_tasks"
    | "not_measured"
    | "agent_ended_at_once"
    | "files_skipped";
  /** One or two sentences: what was counted, of how many, and what would help. */
  readonly text: string;
  /** The verdict cannot be relied on: the command ends with exit status 3. */
  readonly serious: boolean;
}

/** Exit status of an evaluation with a serious warning. */
export const UNRELIABLE = 3;

/** A tool called less often than this says nothing of how often it is wrong. */
const LEAST_CALLS = 5;

type Counts = MeasuredFidelity["counts"];
type Judged = Pick<EvaluationReport, "files" | "runs" | "heldOut" | "skipped"> &
  Partial<Pick<EvaluationReport, "bundle" | "tasks">>;

/** What the headline of an evaluation has to say of how far it can be trusted. */
export function warningsOf(report: Judged): Warning[] {
  const { heldOut, runs } = report;
  const rule = runs.find(({ name }) => name === "rule");
  const warnings: Warning[] = [
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
    ...notMeasured(report),
    ...(report.tasks === undefined ? [] : fewTasks(report.tasks)),
    ...runs.flatMap(endedAtOnce),
    ...skippedFiles(report),
  ];
  return warnings.sort((a, b) => Number(b.serious) - Number(a.serious));
}

/** Fewer tasks than any comparison needs, or than an interval holds with, and what the others were lost to. */
function fewTasks({ certified, distinct = certified, note }: EvaluationReport["tasks"]): Warning[] {
  const needed = fewestFlips(DEFAULT_BANDS.high);
  if (certified === 0 || (distinct >= needed && note === undefined)) return [];
  const shown = `${counted(distinct, "distinct task")} can show no difference between agents at confidence ${DEFAULT_BANDS.high}, however large: ${needed} are the fewest.`;
  const help = note ?? "Sessions of more kinds of request would give more.";
  return [{ kind: "few_tasks", text: distinct < needed ? `${shown} ${help}` : help, serious: false }];
}

/** A world that no session was kept back for may answer anyhow: nobody looked. */
function notMeasured({ bundle, tasks, heldOut }: Judged): Warning[] {
  if (bundle === undefined || tasks?.certified === 0 || (heldOut?.counts.calls ?? 0) > 0) return [];
  const text = `How faithfully the world answers was not measured: no tool call of a session was held out. From ${ENOUGH_TRACES} sessions on, of more than one task, a quarter of them is.`;
  return [{ kind: "not_measured", text, serious: false }];
}

/** An agent that does not begin meets nothing, and its figures say nothing of what it can do. */
function endedAtOnce({ name, ended_at_once: told }: EvaluationReport["runs"][number]): Warning[] {
  if (told === undefined) return [];
  // One that began in no trial was not evaluated.
  const serious = told.trials === told.of;
  return [{ kind: "agent_ended_at_once", text: `Of ${name}, ${endedAtOnceWords(told)}.`, serious }];
}

function skippedFiles({ files, skipped = [] }: Judged): Warning[] {
  if (skipped.length === 0) return [];
  const which = skippedTexts(skipped.map(({ name, reason }) => ({ name, reason: reason.replace(/\.$/, "") }))).join(
    "; ",
  );
  const text = `${counted(skipped.length, "file")} of ${files.length + skipped.length} could not be used: ${which}.`;
  return [{ kind: "files_skipped", text, serious: false }];
}

/** What the world cannot answer, where that left no task to test with. */
export function gapsWithoutTask({ bundle, tasks }: Pick<Judged, "bundle" | "tasks">) {
  return tasks?.certified === 0 ? (bundle?.gaps ?? []) : [];
}

/** Why there is nothing to test with, in the words in which a pipeline says it. */
function noTasks(
  { files, bundle, heldOut }: Judged,
  { written, refused_for = {}, note }: EvaluationReport["tasks"],
): Warning {
  const text =
    note ??
    whyNoTasks({
      evidence: files,
      tools: bundle?.tools,
      gaps: bundle?.gaps ?? [],
      heldOut: heldOut?.tools ?? {},
      written,
      refusedFor: refused_for,
    });
  return { kind: "no_tasks", text, serious: true };
}

function ofWorld({ counts, tools }: MeasuredFidelity, report: Judged): Warning[] {
  const { calls, identical_volatile: right, not_served, recording } = counts;
  const warnings: Warning[] = [];
  const help = `What would help: ${whatWouldHelp(tools, report.files, gapsWithoutTask(report))}.`;
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

import { effectByName } from "../../../worlds/compile/effects.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { countOf, named } from "../../count-of.ts";
import type { Doc } from "../../record.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";
import type { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { isHeldAsPoor, type TaskDoc } from "./task-records.ts";

/** What was read of one file or evidence record. */
export interface SeenEvidence {
  readonly format: string;
  readonly traces: number;
  readonly calls: number;
}

/** How many held-out calls of a tool were asked, and how many were answered as observed but for volatile fields. */
export interface HeldOutCalls {
  readonly calls: number;
  readonly identical_volatile: number;
}

/** A tool that the world cannot answer but as it was recorded, and how many of its calls were seen. */
export interface UnansweredTool {
  readonly tool: string;
  readonly n: number;
}

/** What is known where no task is certified. */
export interface WithoutTasks {
  readonly evidence: readonly SeenEvidence[];
  /** Tools of the world. */
  readonly tools: number | undefined;
  readonly gaps: readonly UnansweredTool[];
  /** Per tool; empty where nothing was held out. */
  readonly heldOut: Readonly<Record<string, HeldOutCalls>>;
  readonly written: number;
  /** Refused tasks by the verdict of their review that they failed. */
  readonly refusedFor: Readonly<Record<string, number>>;
  /** Tasks that passed review and are held, since their world is too poor for them. */
  readonly poor?: number;
  /** Its sessions, where they are at hand: what their source rewarded tells what is right. */
  readonly sessions?: readonly ObservedTrace[];
}

const LISTINGS = new Set(["mcp", "openai-tools", "anthropic-tools", "openapi"]);

/** Why there is nothing to test with: what was seen, what stood in the way, and what would help. */
export function whyNoTasks({
  evidence,
  tools,
  gaps,
  heldOut,
  written,
  refusedFor,
  poor = 0,
  sessions = [],
}: WithoutTasks): string {
  const traces = evidence.reduce((sum, one) => sum + one.traces, 0);
  const calls = evidence.reduce((sum, one) => sum + one.calls, 0);
  const seen = `${countOf(traces, "trace")} with ${countOf(calls, "tool call")}`;
  if (calls === 0 && written === 0)
    return `No task was written: the ${seen} show nothing that a tool answers or changes. Send sessions with their tool calls and results.`;
  const reasons = Object.entries(refusedFor)
    .sort(([x, a], [y, b]) => b - a || (x < y ? -1 : 1))
    .map(([verdict, n]) => `${n} ${verdict}`);
  const what =
    written === 0
      ? `No task was written from ${seen}`
      : poor > 0
        ? `None of the ${countOf(written, "task")} written from ${seen} counts: ${poor} held, since held-out sessions were answered too poorly by their tools${reasons.length === 0 ? "" : ` (refused: ${reasons.join(", ")})`}`
        : `None of the ${countOf(written, "task")} written from ${seen} passed review${reasons.length === 0 ? "" : ` (refused: ${reasons.join(", ")})`}`;
  const missing = [...new Set(gaps.map(({ tool }) => tool))];
  const unanswered =
    missing.length === 0
      ? "its world answers its tools, and shows too few of their rows and sessions that hang together"
      : `its world cannot answer ${missing.length} of ${countOf(tools ?? missing.length, "tool")} (${named(missing)})`;
  const help = whatWouldHelp(heldOut, evidence, gaps);
  const lacking = rewardsLack(sessions);
  return lacking === undefined
    ? `${what}: ${unanswered}. What would help: ${help}.`
    : `${what}: ${lacking.why}, and ${unanswered}. What would help: ${lacking.help}, or ${help}.`;
}

/** Why graded sessions show nothing to be done, and which would; undefined where none is graded or a rewarded one changes something. */
function rewardsLack(sessions: readonly ObservedTrace[]): { readonly why: string; readonly help: string } | undefined {
  const graded = sessions.filter(({ reward }) => reward !== undefined);
  const rewarded = graded.filter(({ reward = 0 }) => reward >= 1);
  const isChange = ({ tool, isError }: ObservedTrace["calls"][number]) => !isError && effectByName(tool) === "write";
  if (graded.length === 0 || rewarded.some(({ calls }) => calls.some(isChange))) return undefined;
  return rewarded.length === 0
    ? {
        why: `none of its ${countOf(graded.length, "graded session")} was rewarded`,
        help: "sessions that were rewarded",
      }
    : {
        why: `none of its ${countOf(rewarded.length, "rewarded session")} calls a tool that changes something`,
        help: "rewarded sessions that change something",
      };
}

/**
 * The tools that miss most held-out calls, and the kinds of evidence that were not given. Where there is no task, `gaps`
 * tells whose calls no behaviour explains: these too, and no export, since rows do not tell what such a tool does.
 */
export function whatWouldHelp(
  heldOut: Readonly<Record<string, HeldOutCalls>>,
  evidence: readonly Pick<SeenEvidence, "format">[],
  gaps: readonly UnansweredTool[] = [],
): string {
  const missed = Object.entries(heldOut)
    .map(([name, own]) => ({ name, missed: own.calls - own.identical_volatile, calls: own.calls }))
    .filter((tool) => tool.missed > 0)
    .sort((a, b) => b.missed - a.missed || (a.name < b.name ? -1 : 1));
  const unexplained = [
    ...Map.groupBy(
      gaps.filter(({ n }) => n > 0),
      ({ tool }) => tool,
    ),
  ]
    .map(([tool, own]) => ({ tool, n: own.reduce((sum, { n }) => sum + n, 0) }))
    .sort((a, b) => b.n - a.n || (a.tool < b.tool ? -1 : 1));
  const tools = [
    ...missed.map((tool) => `${tool.name} (${tool.missed} of ${tool.calls} calls missed)`),
    ...unexplained
      .filter(({ tool }) => missed.every(({ name }) => name !== tool))
      .map(({ tool, n }) => `${tool} (${countOf(n, "call")} seen that no rule explains)`),
  ];
  const given = new Set(evidence.map(({ format }) => format));
  return [
    tools.length === 0 ? "more sessions of the same kinds of request" : `more sessions that call ${named(tools)}`,
    ...(given.has("records") || unexplained.length > 0 ? [] : ["a database export"]),
    ...([...given].some((format) => LISTINGS.has(format)) ? [] : ["a tool listing"]),
  ].join(", or ");
}

/** Why a generation wrote nothing: by which names of its request it was narrowed, and what the evidence lacks. */
export function whyNoneFits(
  narrowedBy: readonly string[],
  bundle: Doc<typeof BundleRecord>,
  evidence: readonly Doc<typeof Evidence>[],
): string {
  const why = whyNoneCounts([], bundle, evidence) ?? "No task was written.";
  if (narrowedBy.length === 0) return why;
  return `No task fits what was asked (${narrowedBy.join(", ")}): ask for less at once, or see by environment_tasks what tasks of this surface have. ${why}`;
}

/** How many tasks were refused, by the verdict of their review that they failed. */
export function refusedFor(
  tasks: readonly { readonly status: string; readonly reason?: string | undefined }[],
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, reason = "" } of tasks) {
    if (status !== "refused") continue;
    const verdict = /^([a-z]+): /.exec(reason)?.[1] ?? "no certificate";
    counts[verdict] = (counts[verdict] ?? 0) + 1;
  }
  return counts;
}

/**
 * Why an environment has no task to test with, by its tasks and what its bundle was compiled from; undefined where a
 * task counts or waits for a review or a person, and where a person retired them all.
 */
export function whyNoneCounts(
  tasks: readonly TaskDoc[],
  { tools, gaps, fidelity }: Doc<typeof BundleRecord>,
  evidence: readonly Doc<typeof Evidence>[],
  sessions?: readonly ObservedTrace[],
): string | undefined {
  const written = tasks.filter(({ status }) => status !== "retired");
  const poor = written.filter(isHeldAsPoor);
  if (
    written.some((row) => row.status !== "refused" && !isHeldAsPoor(row)) ||
    (written.length === 0 && tasks.length > 0)
  )
    return undefined;
  return whyNoTasks({
    evidence: evidence.map(({ format, stats: { traces, calls } }) => ({ format, traces, calls })),
    tools,
    gaps,
    heldOut: fidelity?.tools ?? {},
    written: written.length,
    refusedFor: refusedFor(written),
    poor: poor.length,
    ...(sessions === undefined ? {} : { sessions }),
  });
}

import type { BaseState, Bundle } from "../bundle.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import type { ObservedTrace } from "../observation.ts";
import { type Counts, rounded } from "./counts.ts";
import {
  BASELINES,
  type Baseline,
  type Compared,
  type MeasuredCall,
  type MeasureOptions,
  measure,
  type SelfReplay,
  type SessionCounts,
  type SetupCalls,
  type ThreeWays,
  type Unflagged,
} from "./measure.ts";

export { alike } from "./aliases.ts";
export type { SetupCalls, Unflagged } from "./measure.ts";
export { split } from "./split.ts";

/** Counts over replayed calls: the world's, and those of what it has to beat. */
export interface FidelityCounts extends Counts {
  same_shape: number;
  same_class: number;
  /** What a plain recording of the training calls would have answered. */
  recording: Counts;
  /** A recording that answers the n-th time a session asks the same as training did the n-th time. */
  recording_nth: Counts;
  /** The most frequent answer of each tool. */
  constant: Counts;
  /** A calibrated table over task, earlier writes and question. */
  floor: Counts;
}

type Verdict =
  | "identical"
  | "identical_volatile"
  | "same_shape"
  | "same_class"
  | "not_served"
  | "wrong_success"
  | "different";

/** One replayed call. */
export interface FidelityRow {
  readonly trajectory: string;
  readonly index: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly observed: Json;
  /** Null where it is not served. */
  readonly answered: Json;
  /** `same_shape`, `same_class` and `different` are refusals other than the observed answer: wrong ones, as wrong successes are. */
  readonly verdict: Verdict;
  readonly recorded_verdict: "identical" | "identical_volatile" | "different" | "absent";
  /** The same of the floor. */
  readonly floor_verdict: "identical" | "identical_volatile" | "different" | "absent";
  /** What answered, and how likely it promised to be right, 0..1, where that is known. */
  readonly layer: string;
  readonly confidence?: number;
}

/** Counts in all and per tool, of calls that were not used to compile, with the representation's exceptions and gaps. */
export interface FidelityReport extends FidelityCounts {
  readonly tier: "deterministic";
  readonly trajectories: number;
  readonly exceptions: number;
  readonly gaps: number;
  readonly tools: Readonly<Record<string, FidelityCounts & Ways>>;
  readonly by_situation: Compared;
  readonly by_session: Compared;
  /** With every observed answer told to the world; absent where it cannot hear. */
  readonly told?: Counts;
  /** Absent unless it was asked for. */
  readonly self_replay?: SelfReplay;
  /** Largest share of calls answered, by confidence, with at most 2 % wrong answers; absent without confidence. */
  readonly coverage_at_2?: number;
  readonly promised?: ReturnType<typeof measure>["promised"];
  readonly floor_promised?: ReturnType<typeof measure>["floor_promised"];
  readonly whole_sessions: SessionCounts;
  readonly layers: Readonly<Record<string, Counts>>;
  /** Parts of answers that count as generated ids, and as clocks; parts of calls that are compared as of one day. */
  readonly volatile: {
    readonly generated: readonly string[];
    readonly clocks: readonly string[];
    readonly days: readonly string[];
  };
  readonly rows: readonly FidelityRow[];
}

/** The same calls with each situation counted once, and with each session counted once. */
interface Ways {
  readonly by_situation: Compared;
  readonly by_session: Compared;
}

function shapeOf(value: Json): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join("|")}]`;
  if (isObject(value))
    return `{${Object.keys(value)
      .sort()
      .map((key) => `${key}:${shapeOf(value[key] as Json)}`)
      .join(",")}}`;
  return value === null ? "null" : typeof value;
}

const right = (outcome: string): boolean => outcome === "identical" || outcome === "identical_volatile";

/** Whether an answer has the observed one's shape, and its class. */
function resembles({ call, answered, outcome }: MeasuredCall): { shape: boolean; class_: boolean } {
  if (answered === undefined) return { shape: false, class_: false };
  return {
    shape: shapeOf(answered.value) === shapeOf(call.value),
    class_: right(outcome) || answered.answerClass === call.answerClass,
  };
}

function verdictOf(measured: MeasuredCall): Verdict {
  const { outcome, call } = measured;
  if (outcome !== "wrong_refusal") return outcome;
  if (call.ok) return "different";
  const { shape, class_ } = resembles(measured);
  return shape ? "same_shape" : class_ ? "same_class" : "different";
}

function recordedVerdict({ baselines }: MeasuredCall, name: Baseline): FidelityRow["recorded_verdict"] {
  const outcome = baselines[name];
  if (outcome === "identical" || outcome === "identical_volatile") return outcome;
  return outcome === "not_served" ? "absent" : "different";
}

function rowOf(measured: MeasuredCall): FidelityRow {
  const { session, call, answered } = measured;
  return {
    trajectory: session,
    index: call.index,
    tool: call.tool,
    args: call.args,
    observed: call.value,
    answered: answered?.value ?? null,
    verdict: verdictOf(measured),
    recorded_verdict: recordedVerdict(measured, "recording"),
    floor_verdict: recordedVerdict(measured, "floor"),
    layer: answered?.layer ?? "gap",
    ...(answered?.confidence === undefined ? {} : { confidence: answered.confidence }),
  };
}

function roundedCounts(counts: Counts): Counts {
  const { calls, identical, identical_volatile, not_served, wrong_success, wrong_answer } = counts;
  return {
    calls: rounded(calls),
    identical: rounded(identical),
    identical_volatile: rounded(identical_volatile),
    not_served: rounded(not_served),
    wrong_success: rounded(wrong_success),
    wrong_answer: rounded(wrong_answer),
  };
}

function comparedOf(compared: Compared): Compared {
  const beside = BASELINES.map((name) => [name, roundedCounts(compared[name])] as const);
  return { ...roundedCounts(compared), ...(Object.fromEntries(beside) as Record<Baseline, Counts>) };
}

function countsOf(ways: ThreeWays, calls: readonly MeasuredCall[]): FidelityCounts & Ways {
  const likenesses = calls.map(resembles);
  return {
    ...comparedOf(ways),
    same_shape: likenesses.filter(({ shape }) => shape).length,
    same_class: likenesses.filter(({ class_ }) => class_).length,
    by_situation: comparedOf(ways.by_situation),
    by_session: comparedOf(ways.by_session),
  };
}

/** Replays held-out traces on fresh forks of the compiled world and compares answers, as recordings and floor do. Deterministic. */
export function measureFidelity(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  heldOut: readonly ObservedTrace[],
  train: readonly ObservedTrace[],
  setup: SetupCalls = new Map(),
  unflagged: Unflagged = new Map(),
  options: Pick<MeasureOptions, "selfReplay" | "service"> = {},
): FidelityReport {
  const found = measure(compiled, heldOut, train, { setup, unflagged, ...options });
  const { calls, tools, told, self_replay, promised, floor_promised, whole_sessions, layers, volatility, days } = found;
  const byTool = new Map<string, MeasuredCall[]>();
  for (const one of calls) {
    const own = byTool.get(one.call.tool);
    if (own) own.push(one);
    else byTool.set(one.call.tool, [one]);
  }
  return {
    ...countsOf(found.total, calls),
    tier: "deterministic",
    trajectories: whole_sessions.sessions,
    exceptions: compiled.bundle.exceptions.length,
    gaps: compiled.bundle.gaps.length,
    tools: Object.fromEntries(
      Object.entries(tools).map(([tool, ways]) => [tool, countsOf(ways, byTool.get(tool) ?? [])]),
    ),
    ...(told === undefined ? {} : { told }),
    ...(self_replay === undefined ? {} : { self_replay }),
    ...(promised === undefined ? {} : { coverage_at_2: promised.coverage_at_2, promised }),
    ...(floor_promised === undefined ? {} : { floor_promised }),
    whole_sessions,
    layers,
    volatile: { generated: volatility.generated, clocks: volatility.clocks, days },
    rows: calls.map(rowOf),
  };
}

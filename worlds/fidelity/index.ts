import type { BaseState, Bundle } from "../bundle.ts";
import { agrees } from "../compile/fitting.ts";
import { allCalls, type Call, observe } from "../compile/observations.ts";
import { canon, isScalar, same } from "../compile/values.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import type { ObservedTrace } from "../observation.ts";
import { Starts } from "../starts.ts";
import type { WorldAnswer } from "../world-api.ts";
import { Aliases, masked } from "./aliases.ts";
import { Knowledge } from "./knowable.ts";
import { OwnStarts } from "./own-starts.ts";

export { split } from "./split.ts";

/** Counts over replayed calls. */
export interface FidelityCounts {
  calls: number;
  identical: number;
  /** Identical but for generated ids and times, and for the rounding noise of binary fractions. */
  identical_volatile: number;
  same_shape: number;
  same_class: number;
  not_served: number;
  /** Successes where the real system refused or answered otherwise. */
  wrong_success: number;
  knowable: number;
  knowable_identical_volatile: number;
  /** What a plain recording of the training calls would have answered. */
  recording: { identical: number; identical_volatile: number };
}

/** One replayed call. */
export interface FidelityRow {
  readonly trajectory: string;
  readonly index: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly observed: Json;
  readonly answered: Json;
  readonly verdict:
    | "identical"
    | "identical_volatile"
    | "same_shape"
    | "same_class"
    | "not_served"
    | "wrong_success"
    | "different";
  readonly knowable: boolean;
  readonly recorded_verdict: "identical" | "identical_volatile" | "different" | "absent";
  readonly layer?: WorldAnswer["layer"];
  readonly confidence?: number;
}

/** Counts in all and per tool, of calls that were not used to compile, with the representation's exceptions and gaps. */
export interface FidelityReport extends FidelityCounts {
  readonly tier: "deterministic";
  readonly trajectories: number;
  readonly exceptions: number;
  readonly gaps: number;
  readonly tools: Readonly<Record<string, FidelityCounts>>;
  readonly rows: readonly FidelityRow[];
}

function zero(): FidelityCounts {
  return {
    calls: 0,
    identical: 0,
    identical_volatile: 0,
    same_shape: 0,
    same_class: 0,
    not_served: 0,
    wrong_success: 0,
    knowable: 0,
    knowable_identical_volatile: 0,
    recording: { identical: 0, identical_volatile: 0 },
  };
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

/** Equal up to volatile paths and the noise of binary fractions. */
export function alike(a: Json, b: Json, volatile: readonly string[]): boolean {
  return agrees(masked(a, volatile), masked(b, volatile));
}

/** Equal as they are written: a number or truth value that is a whole answer, and the same as a text, are one. */
function written(a: Json, b: Json): boolean {
  return same(a, b) || (isScalar(a) && isScalar(b) && String(a) === String(b));
}

function succeeded(answer: WorldAnswer): boolean {
  return !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");
}

function isGap(answer: WorldAnswer): boolean {
  return answer.servedBy === "gap" || answer.answerClass === "error:not_served";
}

class Recording {
  private readonly answers = new Map<string, Call>();

  constructor(train: readonly Call[]) {
    for (const call of train) this.answers.set(`${call.tool}\n${canon(call.args)}`, call);
  }

  /** The training call that asked the same, the last of several. */
  held(call: Call): Call | undefined {
    return this.answers.get(`${call.tool}\n${canon(call.args)}`);
  }

  verdict(call: Call, volatile: readonly string[]): FidelityRow["recorded_verdict"] {
    const held = this.held(call);
    if (!held) return "absent";
    if (held.ok !== call.ok) return "different";
    return written(held.value, call.value)
      ? "identical"
      : alike(held.value, call.value, volatile)
        ? "identical_volatile"
        : "different";
  }
}

function verdictOf(call: Call, answer: WorldAnswer, volatile: readonly string[]): FidelityRow["verdict"] {
  if (isGap(answer)) return "not_served";
  const ok = succeeded(answer);
  if (ok === call.ok && written(answer.value, call.value)) return "identical";
  if (ok === call.ok && alike(answer.value, call.value, volatile)) return "identical_volatile";
  if (ok) return "wrong_success";
  if (call.ok) return "different";
  return shapeOf(answer.value) === shapeOf(call.value)
    ? "same_shape"
    : answer.answerClass === call.answerClass
      ? "same_class"
      : "different";
}

function tally(counts: FidelityCounts, row: FidelityRow, call: Call, answer: WorldAnswer): void {
  const alikeNow = row.verdict === "identical" || row.verdict === "identical_volatile";
  counts.calls++;
  if (row.verdict === "identical") counts.identical++;
  if (alikeNow) counts.identical_volatile++;
  if (row.verdict !== "not_served" && shapeOf(answer.value) === shapeOf(call.value)) counts.same_shape++;
  if (row.verdict !== "not_served" && (answer.answerClass === call.answerClass || alikeNow)) counts.same_class++;
  if (row.verdict === "not_served") counts.not_served++;
  if (row.verdict === "wrong_success") counts.wrong_success++;
  if (row.knowable) counts.knowable++;
  if (row.knowable && alikeNow) counts.knowable_identical_volatile++;
  if (row.recorded_verdict === "identical") counts.recording.identical++;
  if (row.recorded_verdict === "identical" || row.recorded_verdict === "identical_volatile")
    counts.recording.identical_volatile++;
}

/** Calls that are made on a trace's fork before its own and are not scored, by the trace's id. */
export type SetupCalls = ReadonlyMap<string, readonly Pick<Call, "tool" | "args">[]>;

/** Calls of which their source does not say whether they failed, by trace and place in it. */
export type Unflagged = ReadonlyMap<string, ReadonlySet<number>>;

/** A call that is not known to have failed, as one that did where what it says is known as the words of an error. */
function inWords(call: Call, others: readonly (Pick<Call, "value" | "ok" | "answerClass"> | undefined)[]): Call {
  const error = others.find((other) => other && !other.ok && written(other.value, call.value));
  return error && call.ok ? { ...call, ok: false, answerClass: error.answerClass } : call;
}

/** Replays every held-out trace in order on a fresh fork of the compiled world, as evidence shows that its group (its task) starts, and compares each answer with the observed one, beside a plain recording of the training traces. Deterministic. */
export function measureFidelity(
  compiled: { readonly bundle: Bundle; readonly base: BaseState },
  heldOut: readonly ObservedTrace[],
  train: readonly ObservedTrace[],
  setup: SetupCalls = new Map(),
  unflagged: Unflagged = new Map(),
): FidelityReport {
  const starts = new Starts(compiled);
  const evidence = observe(train);
  const trained = allCalls(evidence);
  const own = new OwnStarts(compiled.bundle, evidence);
  const knowledge = new Knowledge(compiled.bundle, compiled.base, trained);
  const recording = new Recording(trained);
  const total = zero();
  const tools = new Map<string, FidelityCounts>();
  const rows: FidelityRow[] = [];
  const sessions = observe(heldOut);
  for (const session of sessions) {
    const world = starts.fresh(session.group);
    const seen = new Set<string>();
    const aliases = new Aliases();
    for (const { tool, args } of setup.get(session.id) ?? []) {
      const answer = world.call(tool, args);
      // What a setup call did is the replay's state from then on, as far as the world claims to know it.
      knowledge.remember({ tool, args, value: answer.value, ok: succeeded(answer) }, seen);
    }
    for (const each of session.calls) {
      const behaviour = compiled.bundle.behaviours[each.tool];
      const volatile = behaviour?.volatile ?? [];
      const raw = world.call(each.tool, aliases.args(each.args));
      const answer = { ...raw, value: aliases.answer(raw.value) };
      const call = unflagged.get(session.id)?.has(each.index)
        ? inWords(each, [{ ...answer, ok: succeeded(answer) }, recording.held(each)])
        : each;
      const row: FidelityRow = {
        trajectory: session.id,
        index: call.index,
        tool: call.tool,
        args: call.args,
        observed: call.value,
        answered: answer.value,
        verdict: verdictOf(call, answer, volatile),
        knowable: !own.unknown(call, session.group) && knowledge.knows(call, seen, behaviour?.effect === "write"),
        recorded_verdict: recording.verdict(call, volatile),
        ...(raw.layer === undefined ? {} : { layer: raw.layer }),
        ...(raw.confidence === undefined ? {} : { confidence: raw.confidence }),
      };
      rows.push(row);
      if (row.verdict === "identical" || row.verdict === "identical_volatile") {
        knowledge.remember(call, seen);
        aliases.learn(call.value, raw.value, volatile);
      } else if (call.ok && behaviour?.effect === "write") knowledge.forget(call, seen);
      const counts = tools.get(call.tool) ?? zero();
      tools.set(call.tool, counts);
      tally(counts, row, call, answer);
      tally(total, row, call, answer);
    }
  }
  return {
    ...total,
    tier: "deterministic",
    trajectories: sessions.length,
    exceptions: compiled.bundle.exceptions.length,
    gaps: compiled.bundle.gaps.length,
    tools: Object.fromEntries([...tools].sort(([a], [b]) => (a < b ? -1 : 1))),
    rows,
  };
}

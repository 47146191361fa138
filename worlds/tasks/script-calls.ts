import { isObject, type Json } from "../json.ts";
import { at, changedPaths, sameData } from "./checks/data.ts";
import { opOf } from "./checks/state.ts";
import type { AllowedChange, FinishedTrial, Task } from "./schema.ts";
import { refOf, resolve } from "./script.ts";

type Call = FinishedTrial["calls"][number];
type Step = Task["script"]["calls"][number];
/** How a call made a step: `open` where a reference of the step has no value in this trial, so that any value fits. */
type Fit = "exact" | "open";

/** A change that a trial made by a tool of the script, and the step that it stands for. */
export interface ScriptWrite {
  readonly call: Call;
  /** Its place among the trial's calls. */
  readonly at: number;
  readonly step: Step;
  /** Names of the step's arguments that the call gave otherwise, or that nothing can be held against; none where exact. */
  readonly differing: readonly string[];
}

/** A trial's calls held against its task's script. */
export interface ScriptCalls {
  /** Whether a call, failed or not, is one of the script's. */
  isScripted(call: Call): boolean;
  /** The script's calls that were made, failed or not. */
  readonly called: ReadonlySet<Step>;
  /** The script's calls that were made and gave no error. */
  readonly made: ReadonlySet<Step>;
  /** The script's calls that were not made, and that no change with other arguments stands for. */
  readonly left: readonly Step[];
  readonly writes: readonly ScriptWrite[];
  /** Changes by a tool of the script beyond its own: one made twice, or another where all of the tool were made. */
  readonly extra: readonly Call[];
}

/** Whether an argument is what the script has: a reference by what a call of this trial answered, else equal data. */
function holds(arg: unknown, value: unknown, answers: (n: number) => readonly unknown[]): Fit | undefined {
  const ref = refOf(value);
  if (ref) {
    const values = answers(ref.n).flatMap((answer) => {
      try {
        return [resolve(value, Array<Json>(ref.n).fill(answer as Json))];
      } catch {
        return []; // Nothing is at the path: the reference has no value here.
      }
    });
    if (values.length === 0) return "open";
    return values.some((v) => sameData(arg, v) || (isScalar(arg) && isScalar(v) && String(arg) === String(v)))
      ? "exact"
      : undefined;
  }
  if (!JSON.stringify(value)?.includes('"$')) return sameData(arg, value) ? "exact" : undefined;
  if (Array.isArray(value)) {
    if (!Array.isArray(arg) || arg.length !== value.length) return undefined;
    return worst(value.map((v) => best(arg.map((a) => holds(a, v, answers)))));
  }
  if (!isObject(value)) return sameData(arg, value) ? "exact" : undefined;
  if (!isObject(arg) || Object.keys(arg).length !== Object.keys(value).length) return undefined;
  return worst(Object.entries(value).map(([name, v]) => holds((arg as Record<string, unknown>)[name], v, answers)));
}

function isScalar(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}
function worst(fits: readonly (Fit | undefined)[]): Fit | undefined {
  return fits.includes(undefined) ? undefined : fits.includes("open") ? "open" : "exact";
}
function best(fits: readonly (Fit | undefined)[]): Fit | undefined {
  return fits.find((fit) => fit === "exact") ?? fits.find((fit) => fit === "open");
}

/** Holds a trial's calls against the script, in the order in which they were made. Pure. */
export function scriptCalls(script: Task["script"], calls: readonly Call[]): ScriptCalls {
  const steps = script.calls;
  const answered = new Map<Step, unknown[]>(steps.map((step) => [step, []]));
  const answers = (n: number): readonly unknown[] => answered.get(steps[n - 1] as Step) ?? [];
  const fitsOf = (call: Call) =>
    steps
      .filter((step) => step.tool === call.tool)
      .map((step) => {
        const args = Object.entries(step.args).map(([name, v]) => ({ name, fit: holds(call.args[name], v, answers) }));
        const differing = args.filter(({ fit }) => fit !== "exact").map(({ name }) => name);
        return { step, fit: worst(args.map(({ fit }) => fit)), differing };
      });
  for (const call of calls)
    for (const { step, fit } of fitsOf(call)) if (fit && !call.is_error) answered.get(step)?.push(call.answer);
  // A call may come before the one that its step takes a value from: only now is known what the values were.
  const held = calls.map((call) => ({ call, fits: fitsOf(call) }));
  const good = held.filter(({ call }) => !call.is_error).flatMap(({ fits }) => fits);
  const made = new Set(good.filter(({ fit }) => fit).map(({ step }) => step));
  const exact = new Set(good.filter(({ fit }) => fit === "exact").map(({ step }) => step));
  const writes: ScriptWrite[] = [];
  const extra: Call[] = [];
  held.forEach(({ call, fits }, at) => {
    if (!call.changed || fits.length === 0) return;
    const own = fits.some(({ fit }) => fit === "exact");
    const open = fits
      .filter(({ step, fit }) => (own ? fit === "exact" : !exact.has(step)))
      .sort((a, b) => a.differing.length - b.differing.length);
    const found = open.find(({ step }) => !writes.some((w) => w.step === step)) ?? (own ? undefined : open[0]);
    if (found) writes.push({ call, at, step: found.step, differing: found.differing });
    else extra.push(call);
  });
  return {
    isScripted: (call) => held.some((h) => h.call === call && h.fits.some(({ fit }) => fit)),
    called: new Set(held.flatMap(({ fits }) => fits.flatMap(({ step, fit }) => (fit ? [step] : [])))),
    made,
    left: steps.filter((step) => !made.has(step) && !writes.some((w) => w.step === step)),
    writes,
    extra,
  };
}

/**
 * Whether every call of the script was made, in whatever order and with whatever else, and no other call changed anything.
 * What the script takes from a result is compared by what that result was in this trial. Pure.
 */
export function madeRightly(script: Task["script"], calls: readonly Call[]): boolean {
  const held = scriptCalls(script, calls);
  return held.called.size === script.calls.length && calls.every((call) => !call.changed || held.isScripted(call));
}

/** Required changes of which the final difference holds nothing yet: a row, or a field of it, is as it was drawn. */
export function undone(checks: Task["checks"], diff: FinishedTrial["diff"]): AllowedChange[] {
  const check = checks.find((c) => c.kind === "state");
  if (!check) return [];
  const open = [check.changes, ...(check.alternatives ?? [])].map((changes) => {
    const rows = new Set(diff);
    return changes.filter((change) => {
      if (!change.required) return false;
      const row = [...rows].find((r) => begun(change, r));
      if (row) rows.delete(row);
      return row === undefined;
    });
  });
  return open.reduce((a, b) => (b.length < a.length ? b : a));
}

function begun(change: AllowedChange, row: FinishedTrial["diff"][number]): boolean {
  if (row.table !== change.table || opOf(row) !== change.op || (change.key ?? row.key) !== row.key) return false;
  if (change.op !== "update") return true;
  return [...Object.keys(change.fields), ...(change.gone ?? [])].every(
    (path) => changedPaths(at(row.before, path), at(row.after, path)).length > 0,
  );
}

import type { TableModel } from "../bundle.ts";
import { BehaviourSyntaxError, WorldError } from "../errors.ts";
import { deepFreeze, type Json, type JsonObject } from "../json.ts";
import type { WorldState } from "../state/state.ts";
import { holdsUnknown } from "../unknown.ts";
import { Frame, type KeySource, type Limits } from "./frame.ts";
import type { Outcome } from "./outcome.ts";
import type { CompiledStep, StepScope } from "./parts.ts";
import type { Behaviour } from "./schema.ts";
import { ErrorSignal, GapSignal } from "./signals.ts";
import { compileStep } from "./steps.ts";

/** What a run needs of the world around it. */
export interface RunContext {
  readonly state: WorldState;
  readonly now: number;
  readonly keys: KeySource;
  readonly limits?: Limits;
}

/** A behaviour compiled once, for any number of worlds. */
export interface Program {
  /** Tables read by key, read by walking or searching them, and written. */
  readonly keyed: ReadonlySet<string>;
  readonly scanned: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
  /** Runs on a state. The caller brackets it with the state's begin, and commit or rollback. Throws nothing but bugs. */
  run(args: JsonObject, context: RunContext): Outcome;
}

/** What a behaviour may name. */
export interface Model {
  readonly tables: readonly TableModel[];
}

/** Compiles a behaviour. Throws BehaviourSyntaxError with the part of the JSON form, the offset in it and the word that is wrong. */
export function compileBehaviour(behaviour: Behaviour, model: Model): Program {
  const keyed = new Set<string>();
  const scanned = new Set<string>();
  const written = new Set<string>();
  const tables = new Map(model.tables.map((table) => [table.name, table]));
  let scope: StepScope = {
    model: tables,
    tables: new Set(tables.keys()),
    names: new Map(),
    nextSlot: 0,
    hasRow: false,
    reads: (table, how) => void (how === "key" ? keyed : scanned).add(table),
    writes: (table) => void written.add(table),
  };
  const steps: CompiledStep[] = [];
  for (const [index, step] of behaviour.steps.entries()) {
    try {
      const compiled = compileStep(step, scope);
      steps.push(compiled);
      scope = compiled.scope;
    } catch (error) {
      if (!(error instanceof BehaviourSyntaxError)) throw error;
      const path = `steps[${index}]${error.path === "" ? "" : `.${error.path}`}`;
      throw new BehaviourSyntaxError(error.at, error.word, error.expected, error.code, path);
    }
  }
  return { keyed, scanned, written, run: (args, context) => run(steps, args, context) };
}

function run(steps: readonly CompiledStep[], args: JsonObject, context: RunContext): Outcome {
  const frame = new Frame(args, context.now, context.state, context.keys, context.limits);
  let answer: Json = null;
  try {
    for (const step of steps) {
      const outcome = step.run(frame, context.state);
      if (outcome === undefined) continue;
      if (outcome.kind !== "value") return outcome;
      answer = outcome.value;
    }
    if (frame.doubtful && holdsUnknown(answer)) return { kind: "gap", keeps: true };
    return { kind: "value", value: deepFreeze(answer) };
  } catch (error) {
    if (error instanceof GapSignal) return error.keeps ? { kind: "gap", keeps: true } : { kind: "gap" };
    if (error instanceof ErrorSignal) return { kind: "error", text: error.text };
    if (error instanceof WorldError) return { kind: "fault", error };
    // The host's own limits on texts and recursion.
    if (error instanceof RangeError)
      return { kind: "fault", error: new WorldError("limit", "the behaviour made too large a value") };
    throw error;
  }
}

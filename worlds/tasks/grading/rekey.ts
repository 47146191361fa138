import type { Json, JsonObject, Scalar } from "../../json.ts";
import { withStart } from "../../starts.ts";
import { requiredChanges } from "../attempts.ts";
import { asksForFacts, requiredFacts } from "../checks/fact-checks.ts";
import { stateWithin } from "../checks/state.ts";
import { factOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import type { Check, Fact, FinishedTrial, Task } from "../schema.ts";
import { holes, ScriptError } from "../script.ts";
import { figure, readPath } from "../select.ts";
import { type GradeEnv, grade } from "./grade.ts";
import { reference, reviewKit } from "./variation.ts";

/** What came of a rekey: the task with its keys as the world has them, or why it could not be given any. */
export type Rekeyed =
  | { readonly kind: "agrees" }
  | { readonly kind: "rekeyed"; readonly task: Task; readonly checks: readonly number[] }
  | { readonly kind: "lost"; readonly reason: "leads_nowhere" | "changes_nothing" | "facts_unplaced" };

/**
 * Recomputes what a task's checks expect from what its own script finds in the world served now. `before` is the world
 * that its keys were made on, where it is known: it tells which fact came from which part of the answer. The request
 * and the script stay. Pure.
 */
export function rekeyTask(task: Task, on: GradeEnv, drawnBefore?: GradeEnv): Rekeyed {
  const env = withStart(on, task);
  const before = drawnBefore && withStart(drawnBefore, task);
  const kit = reviewKit(env);
  const right = played(kit, task);
  if (right === undefined) return { kind: "lost", reason: "leads_nowhere" };
  const graded = grade(task, right, env);
  const alternatives = otherEnds(kit, task);
  const moved = alternatives.some(({ trial }) => trial === undefined || grade(task, trial, env).end !== "met");
  if (graded.end === "met" && !moved) return { kind: "agrees" };
  const facts = new Map<Fact, Fact[]>();
  const stale = graded.verdicts.some((v) => v.kind === "answer_includes" && v.verdict !== "met");
  if (stale && !mapFacts(task, right, before, facts)) return { kind: "lost", reason: "facts_unplaced" };
  const checks: number[] = [];
  const next: Check[] = [];
  for (const [n, check] of task.checks.entries()) {
    const made = rekeyed(check, kit, right, facts, alternatives);
    if (made === "nothing") return { kind: "lost", reason: "changes_nothing" };
    if (made !== check) checks.push(n);
    if (made) next.push(made);
  }
  const { alternatives: _old, ...rest } = task;
  const kept = alternatives.flatMap(({ script, changes }) => (changes ? [script] : []));
  return {
    kind: "rekeyed",
    task: { ...rest, ...(kept.length > 0 ? { alternatives: kept } : {}), checks: next },
    checks,
  };
}

/** One of a task's other right ends in the world served now; without changes where its script leads to none any more. */
interface OtherEnd {
  readonly script: Task["script"];
  readonly trial: FinishedTrial | undefined;
  readonly changes: ReturnType<typeof requiredChanges>;
}

function otherEnds(kit: Kit, task: Task): OtherEnd[] {
  return (task.alternatives ?? []).map((script) => {
    const trial = played(kit, { ...task, script });
    return { script, trial, changes: trial && changesOf(kit, trial) };
  });
}

/** What the writes of a trial require of another. */
function changesOf(kit: Kit, trial: FinishedTrial): ReturnType<typeof requiredChanges> {
  const writes = trial.calls.filter((call) => call.changed);
  return requiredChanges(
    kit,
    writes.map(({ tool, args }) => ({ tool, args: args as JsonObject })),
  );
}

function played(kit: Kit, task: Task): FinishedTrial | undefined {
  try {
    return reference(kit, task);
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}

function rekeyed(
  check: Check,
  kit: Kit,
  right: FinishedTrial,
  facts: ReadonlyMap<Fact, readonly Fact[]>,
  alternatives: readonly OtherEnd[],
): Check | undefined | "nothing" {
  if (check.kind === "state") {
    const ends = [right, ...alternatives.map(({ trial }) => trial)];
    const holds = (trial: FinishedTrial | undefined) =>
      trial !== undefined && stateWithin(check.changes, trial.diff, check.alternatives).verdict === "met";
    if (ends.every(holds)) return check;
    const changes = changesOf(kit, right);
    const others = alternatives.flatMap((other) => (other.changes ? [other.changes] : []));
    return changes ? { kind: "state", changes, ...(others.length > 0 ? { alternatives: others } : {}) } : "nothing";
  }
  if (facts.size === 0) return check;
  if (asksForFacts(check)) {
    const now = check.facts.flatMap((fact) => facts.get(fact) ?? [fact]);
    return { ...check, facts: distinct(now) };
  }
  return check.kind === "answer_excludes" ? excluding(check, [...facts.values()].flat(), [...facts.keys()]) : check;
}

/** Which facts of the task come from which hole of its answer, with what those holes say now; false where some stale fact has no place. */
function mapFacts(task: Task, right: FinishedTrial, before: GradeEnv | undefined, into: Map<Fact, Fact[]>): boolean {
  const said = requiredFacts(task.checks);
  const now = holes(task.script.answer).map((hole) => valuesOf(hole, right));
  const old = before && played(reviewKit(before), task);
  const then = old && holes(task.script.answer).map((hole) => valuesOf(hole, old));
  const places = said.map((fact, i) => {
    const known = then?.findIndex(({ values }) => values.some((value) => same(value, fact.value)));
    if (known !== undefined && known >= 0) return known;
    if (now.length === 1) return 0;
    return now.length === said.length && now.every(({ values }) => values.length === 1) ? i : -1;
  });
  const given = new Set<number>();
  for (const [i, fact] of said.entries()) {
    const hole = now[places[i] ?? -1];
    if (!hole) continue;
    const first = !given.has(places[i]!);
    given.add(places[i]!);
    // A list's facts are all given at the first of them: there may be more or fewer now.
    into.set(fact, first ? hole.values.map((value) => ({ ...factOf(value, hole.name), kind: fact.kind })) : []);
  }
  return [...into.values()].flat().length > 0;
}

function valuesOf(hole: ReturnType<typeof holes>[number], trial: FinishedTrial): { values: Scalar[]; name: string } {
  const read = readPath((trial.calls[hole.n - 1]?.answer ?? null) as Json, hole.path);
  const values = hole.of ? [figure(hole.of, read)] : read;
  const scalars = values.filter((v): v is Scalar => v !== null && typeof v !== "object");
  return { values: scalars, name: hole.path.split(".").at(-1)?.replace(/\[.*$/, "") ?? "" };
}

function same(a: Scalar, b: Scalar): boolean {
  return a === b || (typeof a === "number" && typeof b === "number" && Math.abs(a - b) < 0.005);
}

function distinct(facts: readonly Fact[]): Fact[] {
  return facts.filter((fact, i) => facts.findIndex((other) => same(other.value, fact.value)) === i);
}

/** What an answer must not hold once `right` is required; undefined when nothing is left to exclude. */
export function excluding(
  check: Extract<Check, { kind: "answer_excludes" }>,
  right: readonly Fact[],
  stale: readonly Fact[],
): Check | undefined {
  const wrong = (facts: readonly Fact[]) => facts.filter((fact) => !right.some((now) => same(now.value, fact.value)));
  const kept = wrong(check.facts);
  const facts = kept.length > 0 ? kept : wrong(stale);
  if (facts.length === 0) return undefined;
  if (!check.others) return { ...check, facts };
  const except = [...new Set([...(check.others.except ?? []), ...right.map((fact) => fact.value)])];
  return { ...check, facts, others: { ...check.others, except } };
}

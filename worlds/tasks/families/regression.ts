import type { JsonObject } from "../../json.ts";
import { withStart } from "../../starts.ts";
import { ownFree, requiredOf } from "../changes.ts";
import { sameData } from "../checks/data.ts";
import { changed, excludeOthers, finish } from "../draft.ts";
import { type GradeEnv, grade } from "../grading/grade.ts";
import { playLoosely, reviewKit } from "../grading/variation.ts";
import { factOf } from "../kinds.ts";
import type { Kit, RowRead } from "../kit.ts";
import type { Leaf } from "../leaves.ts";
import type { Check, Fact, FinishedTrial, Task } from "../schema.ts";
import { ScriptError } from "../script.ts";
import { isShared, mustRead } from "../seen.ts";
import { playScript } from "../trial.ts";
import { voiceOf } from "../words/phrases.ts";

/** What would have been right, as a person confirmed it. Calls may refer to earlier results as `$n.path`. */
export type RightOutcome =
  /** These calls change what was to be changed. */
  | { readonly kind: "change"; readonly calls: Task["script"]["calls"] }
  /** These calls find what the answer has to say. */
  | {
      readonly kind: "answer";
      readonly calls: Task["script"]["calls"];
      readonly answer: string;
      readonly facts: readonly (Fact | string | number)[];
    }
  /** There is nothing to be found, as these calls show. */
  | { readonly kind: "no_data"; readonly calls: Task["script"]["calls"] }
  | { readonly kind: "refuse"; readonly calls: Task["script"]["calls"] }
  | { readonly kind: "ask"; readonly about: readonly string[] };

/** A trial that went wrong: what was asked, what was done and said, and what would have been right. */
export interface ConfirmedFailure {
  readonly request: string;
  readonly turns?: readonly string[];
  readonly failed: {
    readonly calls: readonly { readonly tool: string; readonly args: JsonObject }[];
    readonly answer: string;
  };
  readonly right: RightOutcome;
  /** What went wrong, in the words of the root causes. */
  readonly behaviour?: string;
  /** The start that its task began with, where that is not the drawn state. */
  readonly start?: string | undefined;
}

/** Why a failure gives no task. */
export type NoRegression = "leads_nowhere" | "changes_nothing" | "changes_something" | "not_met" | "failure_passes";

/**
 * A task from a failure: the request as it was made, the confirmed outcome as script and key, and checks that the
 * failing trial, played again, does not meet. Says why where there is none: the right calls lead nowhere, change
 * nothing that should change, or the checks let the failing trial pass.
 */
export function regressionTask(on: GradeEnv, failure: ConfirmedFailure): Task | NoRegression {
  const env = withStart(on, failure);
  const useCase =
    failure.behaviour === undefined ? "a failure" : `a failure: ${failure.behaviour.replaceAll("_", " ")}`;
  const task = written(env, failure, useCase);
  if (typeof task === "string") return task;
  return grade(task, playedAgain(env, failure, task.turns.length + 1), env).end === "failed" ? task : "failure_passes";
}

/** A request in somebody's own words, with what would be right. */
export type StatedTask = Pick<ConfirmedFailure, "request" | "turns" | "right">;

/** A task of a person's own, its script and checks written from what is right; says why where there is none. */
export function statedTask(env: GradeEnv, stated: StatedTask): Task | NoRegression {
  const task = written(env, stated, "as stated");
  return typeof task === "string" ? task : changed(task, { tier: "human" });
}

function written(
  env: GradeEnv,
  failure: StatedTask & Partial<Pick<ConfirmedFailure, "failed" | "start">>,
  useCase: string,
): Task | NoRegression {
  const kit = reviewKit(env);
  const made = parts(env, failure);
  if (typeof made === "string") return made;
  const task = finish({
    family: "regression",
    operation: made.script.calls.at(-1)?.tool ?? failure.failed?.calls.at(-1)?.tool ?? "",
    object: made.object,
    condition:
      failure.right.kind === "no_data"
        ? "absent"
        : failure.right.kind === "refuse" || failure.right.kind === "ask"
          ? "contradictory"
          : "present",
    difficulty: made.script.calls.length > 2 ? "hard" : made.script.calls.length > 1 ? "medium" : "easy",
    useCase,
    // A person's own words have no register of ours: the plain one is nearest.
    voice: voiceOf(0),
    start: failure.start,
    request: failure.request,
    turns: failure.turns ?? [],
    script: made.script,
    checks: made.checks,
  });
  const turns = task.turns.length + 1;
  return grade(task, playScript(kit.fork(), task.script, turns), env).end === "met" ? task : "not_met";
}

function playedAgain(env: GradeEnv, { failed }: ConfirmedFailure, turns: number): FinishedTrial {
  const world = reviewKit(env).fork();
  const calls = playLoosely(world, [...failed.calls]);
  const waiting = Array.from({ length: turns - 1 }, () => ({ text: "" }));
  return { calls, answers: [...waiting, { text: failed.answer }], diff: world.diff() };
}

interface Parts {
  readonly script: Task["script"];
  readonly checks: readonly Check[];
  readonly object: string;
}

function parts(env: GradeEnv, { request, right }: StatedTask): Parts | NoRegression {
  const kit = reviewKit(env);
  const calls = right.kind === "ask" ? [] : [...right.calls];
  let trial: FinishedTrial;
  try {
    trial = playScript(kit.fork(), { calls, answer: right.kind === "answer" ? right.answer : "-", class: "answered" });
  } catch (error) {
    if (error instanceof ScriptError) return "leads_nowhere";
    throw error;
  }
  if (right.kind === "change") return changing(env, right, trial);
  if (trial.diff.length > 0) return "changes_something";
  const unchanged: Check = { kind: "no_state_change" };
  const object = calls.at(-1)?.tool ?? "";
  switch (right.kind) {
    case "answer": {
      const facts = right.facts.map((fact) => (typeof fact === "object" ? fact : factOf(asAnswered(fact, trial), "")));
      return {
        script: { calls, answer: right.answer, class: "answered" },
        checks: [
          { kind: "answer_includes", facts },
          ...facts.flatMap((fact) => notOthers(kit, trial, fact, request)),
          ...facts.flatMap((fact) => sharedBy(kit, trial, fact)).slice(0, 1),
          { kind: "answer_class", class: "answered" },
          unchanged,
        ],
        object,
      };
    }
    case "no_data":
      return {
        script: { calls, answer: "I could not find any record of that.", class: "said_no_data" },
        checks: [{ kind: "answer_class", class: "said_no_data" }, unchanged],
        object,
      };
    case "refuse":
      return {
        script: { calls, answer: "I'm sorry, but I can't do that.", class: "refused" },
        checks: [{ kind: "answer_class", class: "refused" }, unchanged],
        object,
      };
    case "ask": {
      const [first = "one"] = right.about;
      return {
        script: { calls, answer: `Which ${first} do you mean? Please tell me the ${first}.`, class: "none" },
        checks: [{ kind: "asks", about: [...right.about] }, unchanged],
        object,
      };
    }
  }
}

/** A number that was written as text, where the calls answer the number and not the text. */
function asAnswered(fact: string | number, { calls }: FinishedTrial): string | number {
  const number = Number(fact);
  if (typeof fact === "number" || String(number) !== fact) return fact;
  return JSON.stringify(calls.map(({ answer }) => answer)).includes(JSON.stringify(fact)) ? fact : number;
}

/** The check that the row was read, where another row says the same: then the words alone do not tell what was looked at. */
function sharedBy(kit: Kit, trial: FinishedTrial, fact: Fact): Check[] {
  const found = readOf(kit, trial, fact);
  return found && isShared(kit, found.reading, found.leaf.generic, fact) ? [mustRead(kit, found.reading, [fact])] : [];
}

/** Where a fact was read from a row; undefined where it was not. */
function readOf(kit: Kit, trial: FinishedTrial, fact: Fact): { reading: RowRead; leaf: Leaf } | undefined {
  for (const call of trial.calls) {
    for (const binding of kit.bindings.filter(({ tool, gives }) => tool === call.tool && gives === "row")) {
      const reading = kit.reads(binding).find(({ args }) => sameData(args, call.args));
      const leaf = reading?.leaves.find(({ value }) => sameData(value, fact.value));
      if (reading && leaf) return { reading, leaf };
    }
  }
  return undefined;
}

/** The check that an answer does not say other rows' values of what a fact was read from; none where the fact was not read from a row. */
export function notOthers(kit: Kit, trial: FinishedTrial, fact: Fact, request: string): Check[] {
  for (const call of trial.calls) {
    for (const binding of kit.bindings.filter(({ tool, gives }) => tool === call.tool && gives === "row")) {
      const reading = kit.reads(binding).find(({ args }) => sameData(args, call.args));
      const leaf = reading?.leaves.find(({ value }) => sameData(value, fact.value));
      if (!reading || !leaf) continue;
      const own = reading.leaves.map(({ value }) => value);
      const named = { ...fact, kind: factOf(leaf.value ?? "", leaf.name).kind };
      const check = excludeOthers(kit, binding, leaf, own, [named], request);
      if (check) return [check];
    }
  }
  return [];
}

function changing(
  env: GradeEnv,
  right: Extract<RightOutcome, { kind: "change" }>,
  trial: FinishedTrial,
): Parts | NoRegression {
  const kit = reviewKit(env);
  const [one = [], two = []] = [kit.fork(), kit.otherwise()].map((world) => {
    playLoosely(world, [...right.calls]);
    return world.diff();
  });
  if (one.length === 0 || one.length !== two.length) return "changes_nothing";
  return {
    script: { calls: [...right.calls], answer: "Done: it has been made as you asked.", class: "answered" },
    checks: [
      { kind: "state", changes: ownFree(kit.bundle, requiredOf(one, two)) },
      { kind: "answer_class", class: "answered" },
    ],
    object: trial.diff[0]?.table ?? "",
  };
}

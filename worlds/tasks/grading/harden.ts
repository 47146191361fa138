import { withStart } from "../../starts.ts";
import { requiredFacts } from "../checks/fact-checks.ts";
import { columnValues } from "../checks/others.ts";
import { notOthers } from "../families/regression.ts";
import type { Check, FinishedTrial, Task } from "../schema.ts";
import { ScriptError } from "../script.ts";
import { type GradeEnv, gradeMade } from "./grade.ts";
import { lastText, reference, reviewKit, saying } from "./variation.ts";

/** One answer that a task was tried with, and how it ends with its key as it was and as it would be. */
export interface BoardRow {
  readonly name: string;
  readonly right: boolean;
  readonly before: "met" | "failed" | "invalid";
  readonly after: "met" | "failed" | "invalid";
}

/** What came of holding a task's answer to its own row: its key rejects other rows' values already, does so now, or cannot. */
export type Hardened =
  | { readonly kind: "stands"; readonly board: BoardRow[] }
  | { readonly kind: "hardened"; readonly task: Task; readonly board: BoardRow[] }
  | {
      readonly kind: "left";
      readonly reason: "leads_nowhere" | "no_facts" | "no_other_rows" | "not_rejected";
      readonly board: BoardRow[];
    };

type Excludes = Extract<Check, { kind: "answer_excludes" }>;

/**
 * Adds to a task's checks what its answer must not say: the values that other rows of the holding table have where the
 * right one was read. Request, script and all other checks stay. The key is tried on the right answer, which it must
 * meet, and on five wrong ones, which it must reject. Pure.
 */
export function hardenTask(task: Task, on: GradeEnv): Hardened {
  const env = withStart(on, task);
  const kit = reviewKit(env);
  let right: FinishedTrial;
  try {
    right = reference(kit, task);
  } catch (error) {
    if (error instanceof ScriptError) return { kind: "left", reason: "leads_nowhere", board: [] };
    throw error;
  }
  const facts = requiredFacts(task.checks);
  if (facts.length === 0) return { kind: "left", reason: "no_facts", board: [] };
  const made = facts.flatMap((fact) => notOthers(kit, right, fact, task.request));
  const known = task.checks.filter((check): check is Excludes => check.kind === "answer_excludes");
  const excludes = [...made.filter((check): check is Excludes => check.kind === "answer_excludes"), ...known];
  const others = excludes.flatMap((check) => wrongValues(check, env));
  if (others.length === 0) return { kind: "left", reason: "no_other_rows", board: [] };
  const trials = tried(task, right, others);
  const ends = (checks: Task["checks"]) => trials.map((made) => gradeMade({ ...task, checks }, made, env).end);
  const next = [...task.checks, ...made];
  const [before, after] = [ends(task.checks), ends(next)];
  const board = trials.map(({ name, right: isRight }, i) => ({
    name,
    right: isRight,
    before: before[i]!,
    after: after[i]!,
  }));
  const holds = (end: "before" | "after") => board.every((row) => row[end] === (row.right ? "met" : "failed"));
  if (holds("before")) return { kind: "stands", board };
  return holds("after")
    ? { kind: "hardened", task: { ...task, checks: next }, board }
    : { kind: "left", reason: "not_rejected", board };
}

/** Values that a check says are other rows'. */
function wrongValues(check: Excludes, env: GradeEnv): string[] {
  if (!check.others) return check.facts.map(({ value }) => String(value));
  const except = new Set((check.others.except ?? []).map(String));
  const values = columnValues(env.base, check.others).map(String);
  const usable = values.filter((value) => !except.has(value) && /[\p{L}\p{N}]/u.test(value));
  // The fact that the check names is one that certainly counts as another row's.
  return [...new Set([...check.facts.map(({ value }) => String(value)), ...usable])];
}

const SPRAYED = 400;

function tried(task: Task, right: FinishedTrial, others: readonly string[]) {
  const said = lastText(right);
  const [one = ""] = others;
  const saysIt = (text: string): FinishedTrial => ({ ...right, answers: saying(task, text, "answered") });
  const wrong = (name: string, trial: FinishedTrial) => ({ name, right: false, trial });
  return [
    { name: "the right answer", right: true, trial: right },
    wrong("the right answer and another row's value", saysIt(`${said} ${one}`)),
    wrong("the right answer and several rows' values", saysIt(`${said} ${others.slice(0, 5).join(", ")}`)),
    wrong("every value of the column", saysIt(others.slice(0, SPRAYED).join(", "))),
    wrong("another row's value alone", saysIt(one)),
    wrong("says there is no data", {
      ...right,
      answers: saying(task, "I could not find any record of that.", "said_no_data"),
    }),
  ];
}

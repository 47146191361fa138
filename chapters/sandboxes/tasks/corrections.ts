import { z } from "zod";
import { escapePattern } from "../../../worlds/pattern.ts";
import { asksForFacts } from "../../../worlds/tasks/checks/fact-checks.ts";
import { excluding } from "../../../worlds/tasks/grading/rekey.ts";
import { kindOf } from "../../../worlds/tasks/kinds.ts";
import type { Check, Fact, Task } from "../../../worlds/tasks/schema.ts";
import { loadEnvironment } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict, unprocessable } from "../../errors.ts";
import { byField, words } from "../../fields.ts";
import { CORRECTED, keptHold } from "../authoring/author-environment.ts";
import { withTask } from "../authoring/author-tasks.ts";
import { type EnvironmentDoc, liveEnvironment } from "../environments/environment-records.ts";
import { refuseWhileLive } from "../environments/live-work.ts";
import { revise } from "../environments/revise.ts";
import { envRef, graderFields, taskRef } from "../fields.ts";
import { judgeTasks, reviewed } from "../review/review-tasks.ts";
import { environmentTasks, findTask, statusCounts, type TaskDoc } from "./task-records.ts";

/** What `environment_review_correct` takes. */
export const CorrectInput = z.object({
  ...envRef,
  index: z.number().int().min(0).describe("The task's index in its environment, from 0."),
  fact: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Which of its expected facts, from 0; needed where there are several."),
  fact_text: words(2000).optional().describe("The fact's value as it stands now, instead of its number."),
  literal: z
    .union([words(2000), z.number(), z.boolean()])
    .optional()
    .describe("What the fact really is; as it stands when absent."),
  aliases: z.array(words(2000)).max(50).optional().describe("Other ways to say it."),
  note: z.string().max(2000).optional(),
  ...graderFields,
});
export type CorrectInput = z.output<typeof CorrectInput>;

/**
 * A person says what a task's expected fact really is. The task is certified anew with it; where the world does not
 * bear it out the task is held, so that a key someone doubts never counts. A revision keeps the key as it was.
 */
export async function correctTask(ctx: Ctx, input: CorrectInput) {
  const { environment, row } = await changeable(ctx, input.env_id, input.index);
  const { check, fact, index } = findFact(row.task, input);
  if (input.literal === undefined && input.aliases === undefined)
    throw badField("literal", "say what the fact is, or how else it may be said");
  const now = corrected(fact, input);
  const after = await certified(ctx, environment, row, withFact(row.task, check, fact, now));
  const settled: TaskDoc = after.status === "refused" ? held(after, actor(ctx, input.grader)) : keptHold(row, after);
  const { revision } = await revise(ctx, environment, {
    act: "correct",
    by: input.grader,
    reason: input.note,
    changed: [{ before: row, after: settled }],
  });
  return {
    environment: environment.id,
    index: input.index,
    fact_index: index,
    fact: now,
    status: settled.status,
    ...(settled.reason === undefined ? {} : { reason: settled.reason }),
    revision: revision.id,
    counts: statusCounts(await environmentTasks(ctx, environment.id)),
    model_calls: 0,
    tier: input.grader_kind === "model" ? ("llm-derived" as const) : ("human" as const),
  };
}

async function changeable(
  ctx: Ctx,
  env: string,
  index: number,
): Promise<{ environment: EnvironmentDoc; row: TaskDoc }> {
  const environment = await liveEnvironment(ctx, env);
  const row = await findTask(ctx, environment.id, index);
  if (row.status === "retired")
    throw conflict("The task is retired; restore it first.", { by: "environment_tasks_restore" });
  await refuseWhileLive(ctx, environment);
  return { environment, row };
}

async function certified(ctx: Ctx, environment: EnvironmentDoc, row: TaskDoc, task: Task): Promise<TaskDoc> {
  const draft = withTask(row, task);
  const [review] = await judgeTasks(ctx, await loadEnvironment(ctx, environment), [draft]);
  return reviewed(draft, review!, true, ctx.now());
}

function held(row: TaskDoc, by: string): TaskDoc {
  return {
    ...row,
    status: "held",
    held_by: by,
    reason: `${CORRECTED}${row.reason}`,
  };
}

/** The fact that is meant, counted over all of the task's expected facts: by its number, by its words, or the only one. */
function findFact(task: Task, { fact, fact_text }: CorrectInput): { check: Check; fact: Fact; index: number } {
  const all = task.checks.flatMap((check) =>
    asksForFacts(check) ? check.facts.map((one) => ({ check, fact: one })) : [],
  );
  if (all.length === 0) throw conflict("No check of this task expects a fact.", { by: "environment_task_checks" });
  if (fact === undefined && fact_text === undefined && all.length > 1)
    throw badField("fact", `say which of the ${all.length} facts is meant`);
  const index = fact_text === undefined ? (fact ?? 0) : all.findIndex((one) => String(one.fact.value) === fact_text);
  const found = all[index];
  if (!found) throw badField(fact_text === undefined ? "fact" : "fact_text", "the task expects no such fact");
  return { ...found, index };
}

function corrected(fact: Fact, { literal, aliases }: CorrectInput): Fact {
  const value = literal ?? fact.value;
  const kind = typeof value === typeof fact.value ? fact.kind : kindOf(value, "");
  const said = aliases ?? (literal === undefined ? fact.aliases : undefined);
  return { value, kind, ...(said === undefined ? {} : { aliases: [...said] }) };
}

function withFact(task: Task, check: Check, fact: Fact, now: Fact): Task {
  const checks = task.checks.flatMap((one) => {
    if (one.kind === "answer_excludes") return excluding(one, [now], [fact]) ?? [];
    if (one !== check || !asksForFacts(one)) return one;
    return { ...one, facts: one.facts.map((each) => (each === fact ? now : each)) };
  });
  const answer = withReplacedValue(task.script.answer, String(fact.value), String(now.value));
  return { ...task, checks, script: { ...task.script, answer } };
}

/** A script's answer with one value for another, what is read from results left alone. */
function withReplacedValue(answer: string, was: string, is: string): string {
  const whole = new RegExp(`(?<![\\w.])${escapePattern(was)}(?!\\w|\\.\\d)`, "g");
  return answer
    .split(/(\{[^{}]*\})/)
    .map((part) => (part.startsWith("{") ? part : part.replace(whole, () => is)))
    .join("");
}

/** What `environment_task_turns` takes. */
export const TurnsInput = z.object({
  ...taskRef,
  turns: z.array(words(10_000)).max(50),
  note: z.string().max(2000).optional(),
  ...byField,
});
export type TurnsInput = z.output<typeof TurnsInput>;

/** Sets a task's scripted follow-up turns, played in order. Turns that fail the review are refused and change nothing. */
export async function setTurns(ctx: Ctx, input: TurnsInput) {
  const { environment, row } = await changeable(ctx, input.env_id, input.index);
  const answer = {
    environment: environment.id,
    index: input.index,
    turns: [...input.turns],
    turns_kind: "scripted" as const,
    turns_tier: "human" as const,
    by: actor(ctx, input.by),
  };
  if (JSON.stringify(row.task.turns) === JSON.stringify(input.turns)) return { ...answer, revision: null };
  const after = await certified(ctx, environment, row, { ...row.task, turns: [...input.turns] });
  if (after.status === "refused") {
    const failed = after.verdicts.filter(({ name, passed }) => !passed && name !== "natural").map(({ name }) => name);
    throw unprocessable(`With these turns the task does not pass review: ${failed.join(", ")}.`);
  }
  const { revision } = await revise(ctx, environment, {
    act: "turns",
    by: input.by,
    reason: input.note,
    changed: [{ before: row, after: keptHold(row, after) }],
  });
  return { ...answer, revision: revision.id };
}

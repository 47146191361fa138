import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { type AppError, badField, badRequest } from "../errors.ts";
import { byField, orgRef } from "../fields.ts";
import { everyRow } from "../page.ts";
import { TaskRecord } from "../records/sandboxes/sandboxes.ts";
import { changePreferences, type JudgeChoice, readPreferences } from "./preferences.ts";

const Source = z.enum(["scorer", "org", "default"]);

const Override = z.object({
  scorer: z.string().nullable().describe("The judged scorer; null for the org's own choice."),
  model: z.string(),
  by: z.string(),
  at: z.number(),
});

/** Which model decides judged checks, where that comes from, and what may be chosen. `model` is null where none may judge. */
export const JudgeView = z.object({
  model: z.string().nullable(),
  source: z.enum(["org", "default"]),
  scorers: z.array(z.object({ scorer: z.string(), model: z.string().nullable(), source: Source })),
  overrides: z.array(Override),
  offered: z.array(z.string()).describe("The exact strings that may be chosen, the default first."),
  note: z.string(),
});

/** The judge as it will be from the next run on. */
export async function getJudge(ctx: Ctx) {
  const { judge } = await readPreferences(ctx);
  const offered = offeredModels(ctx);
  const own = standing(judge?.org, offered);
  const named = await judgedScorers(ctx);
  const scorers = [...new Set([...named, ...Object.keys(judge?.scorers ?? {})])].sort();
  return {
    org: ctx.org.tag,
    judge: {
      model: own?.model ?? offered[0] ?? null,
      source: own ? ("org" as const) : ("default" as const),
      scorers: scorers.map((scorer) => {
        const chosen = standing(judge?.scorers[scorer], offered);
        if (chosen) return { scorer, model: chosen.model, source: "scorer" as const };
        return {
          scorer,
          model: own?.model ?? offered[0] ?? null,
          source: own ? ("org" as const) : ("default" as const),
        };
      }),
      overrides: [
        ...(judge?.org ? [{ scorer: null, ...judge.org }] : []),
        ...Object.entries(judge?.scorers ?? {}).map(([scorer, choice]) => ({ scorer, ...choice })),
      ],
      offered,
      note:
        offered.length === 0
          ? "No model may judge here, so judged checks are not decided. The operator can set models (SVC_MODELS)."
          : "Applies from the next run. A choice whose model is no longer offered does not count until it is again.",
    },
  };
}

/** What `judge_put` takes. */
export const PutInput = z.object({
  ...orgRef,
  model: z.string().min(1).max(200).nullable().describe("One that judge_get offers; null for the default."),
  scorer: z.string().min(1).max(1000).optional().describe("A judged scorer, by its name in judge_get."),
  ...byField,
});
export type PutInput = z.output<typeof PutInput>;

/** Chooses the org's judge, or one scorer's own; null returns it to the default, or to the org's. */
export async function putJudge(ctx: Ctx, input: PutInput) {
  const { model, scorer } = input;
  const offered = offeredModels(ctx);
  if (model !== null && !offered.includes(model)) throw notOffered(offered);
  const { judge: before } = await readPreferences(ctx);
  if (scorer !== undefined && before?.scorers[scorer] === undefined && !(await judgedScorers(ctx)).includes(scorer))
    throw badField("scorer", "no task of the org has a judged check of this name");
  const by = actor(ctx, input.by);
  const choice = model === null ? undefined : { model, by, at: ctx.now() };
  await changePreferences(ctx, (doc) => {
    const { org, scorers = {} } = doc.judge ?? {};
    if (scorer === undefined) return { ...doc, judge: { scorers, ...(choice ? { org: choice } : {}) } };
    const { [scorer]: _was, ...others } = scorers;
    return { ...doc, judge: { ...(org ? { org } : {}), scorers: choice ? { ...others, [scorer]: choice } : others } };
  });
  // A scorer's name is text of a task, so the line says only whether it was one.
  await auditAct(
    ctx,
    model === null ? "judge_cleared" : "judge_set",
    { of: scorer === undefined ? "org" : "scorer" },
    by,
  );
  return { ...(await getJudge(ctx)), cleared: model === null };
}

/** The model that decides a judged check, or undefined where none may: what runs ask when they start. */
export async function judgeOf(ctx: Ctx, scorer: string): Promise<string | undefined> {
  const { judge } = await readPreferences(ctx);
  const offered = offeredModels(ctx);
  return (standing(judge?.scorers[scorer], offered) ?? standing(judge?.org, offered))?.model ?? offered[0];
}

function offeredModels(ctx: Ctx): string[] {
  return ctx.models.offered.map(({ model }) => model);
}

/** A choice counts while its model is offered. */
function standing(choice: JudgeChoice | undefined, offered: readonly string[]): JudgeChoice | undefined {
  return choice && offered.includes(choice.model) ? choice : undefined;
}

/** The list is the operator's own words, so the reason may hold it. */
function notOffered(offered: readonly string[]): AppError {
  const list = offered.length === 0 ? "no model is offered here" : `choose one of: ${offered.join(", ")}`;
  return badRequest(`This model may not judge; ${list}.`, {
    fields: [{ path: "model", message: list }],
  });
}

/** The criteria that tasks of the org leave to a judge, by name. */
async function judgedScorers(ctx: Ctx): Promise<string[]> {
  const names = new Set<string>();
  for await (const { task } of everyRow((page) => ctx.store.records.list(TaskRecord, page)))
    for (const check of task.checks) if (check.kind === "judged") names.add(check.criterion);
  return [...names];
}

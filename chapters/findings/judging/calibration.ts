import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badRequest, type FieldError, notFound, orNotFound } from "../../errors.ts";
import { byField, count, orgRef, recordId, words } from "../../fields.ts";
import { everyRow, type PageInput, pageOf } from "../../page.ts";
import { CalibrationSet, CalibrationVerdict } from "../../records/findings/findings.ts";
import { Run, type TrialRow } from "../../records/runs/runs.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { trialsOf } from "../../runs/trials/trial-rows.ts";
import {
  agreementOf,
  type CalibrationDoc,
  disagreementsOf,
  driftOf,
  kappaOf,
  repeatabilityOf,
  tierOfSet,
} from "./agreement.ts";

type Item = CalibrationDoc["items"][number];

/** The sets, newest first, each with how well the judge agrees with the person. Retired ones only when asked. */
export async function listCalibration(ctx: Ctx, input: PageInput & { readonly retired?: boolean | undefined }) {
  const page = await pageOf(
    (next) => ctx.store.records.list(CalibrationSet, next),
    input,
    (set) => input.retired === true || set.retired === undefined,
  );
  const sets = await Promise.all(page.items.map((set) => summary(ctx, set)));
  return { org: ctx.org.tag, sets, ...(page.next === undefined ? {} : { next: page.next }) };
}

/** One set with every labelled item. */
export async function getCalibration(ctx: Ctx, input: { readonly cid: string }) {
  const set = await findSet(ctx, input.cid);
  return { ...(await summary(ctx, set)), items: set.items };
}

/** What `calibration_post` takes. */
export const PostInput = z.object({
  ...orgRef,
  name: words(200),
  criterion: words(2_000).describe("The judged criterion as tasks have it, or the kind of check."),
  label: words(500).optional().describe("What was labelled, in words."),
  rubric: words(20_000).optional().describe("What the labellers were told."),
  judge: z
    .object({
      model: words(200).optional().describe("Its name."),
      prompt_version: words(200).optional().describe("Which wording of the prompt judged."),
    })
    .optional()
    .describe("The model that judged; none where code decided."),
  human: words(200).describe("Who labelled."),
  illustrative: z.boolean().optional().describe("Invented to show the form: it counts for no judge."),
  items: z
    .array(
      z
        .object({
          id: words(500).describe("Your own id for the item."),
          human: CalibrationVerdict.describe("The person's label."),
          judge: CalibrationVerdict.optional().describe("The judge's verdict; else `trial`."),
          again: z.array(CalibrationVerdict).max(50).optional().describe("The judge's later verdicts on the item."),
          note: words(5_000).optional(),
          trial: z
            .object({
              run: words(200),
              task: words(200),
              n: count.min(1).describe("Which trial of the task, from 1."),
              check: count.min(0).optional().describe("The check's place; the first of the criterion when absent."),
            })
            .strict()
            .optional()
            .describe("The stored trial whose check gave the verdict."),
        })
        .strict(),
    )
    .min(1)
    .max(5_000),
  ...byField,
});
export type PostInput = z.output<typeof PostInput>;

/** A labelled item as it is given: with the judge's verdict, or with the stored trial whose judged check says it. */
type GivenItem = PostInput["items"][number];

/** Stores judge verdicts beside a person's labels, whole or not at all, and says how well they agree. */
export async function postCalibration(ctx: Ctx, input: PostInput) {
  const read = new Map<string, Promise<TrialRow[]>>();
  const rows = await Promise.all(input.items.map((item, i) => itemOf(ctx, input, item, `items.${i}`, read)));
  const wrong = rows.flatMap((row) => ("message" in row ? [row] : []));
  const ids = input.items.map(({ id }) => id);
  ids.forEach((id, i) => {
    if (ids.indexOf(id) < i) wrong.push({ path: `items.${i}.id`, message: "stands twice" });
  });
  if (wrong.length > 0)
    throw badRequest("Some items cannot be compared; nothing was stored.", {
      fields: wrong.slice(0, 100),
    });
  const by = actor(ctx, input.by);
  const { name, criterion, label, rubric, human } = input;
  const { model, prompt_version } = input.judge ?? {};
  const set: CalibrationDoc = {
    id: ctx.id(CalibrationSet.prefix),
    created_at: ctx.now(),
    by,
    name,
    criterion,
    human,
    judge: { model: model ?? null, ...(prompt_version === undefined ? {} : { prompt_version }) },
    illustrative: input.illustrative ?? false,
    items: rows.flatMap((row) => ("message" in row ? [] : [row])),
    ...(label === undefined ? {} : { label }),
    ...(rubric === undefined ? {} : { rubric }),
  };
  await ctx.store.records.insert(CalibrationSet, set);
  await auditAct(ctx, "calibration_added", { set: set.id, items: set.items.length }, by);
  return summary(ctx, set);
}

async function itemOf(
  ctx: Ctx,
  { criterion }: PostInput,
  { id, human, judge, again, note, trial }: GivenItem,
  path: string,
  read: Map<string, Promise<TrialRow[]>>,
): Promise<Item | FieldError> {
  const rest = { again: [...(again ?? [])], ...(note === undefined ? {} : { note }) };
  if (!trial) {
    if (judge === undefined)
      return { path: `${path}.judge`, message: "give the judge's verdict, or the trial it is of" };
    return { id, human, judge, ...rest };
  }
  const at = `${path}.trial`;
  const run = await ctx.store.records.get(Run, trial.run);
  if (!run) return { path: at, message: "the org has no run of this id" };
  const trials = read.get(run.id) ?? trialsOf(ctx, run.id);
  read.set(run.id, trials);
  const row = (await trials).find(({ task, n }) => task === trial.task && n === trial.n);
  if (!row) return { path: at, message: "the run has no such trial that counts" };
  const check = trial.check ?? (await checkOf(ctx, row.task, criterion));
  const said = row.checks[check]?.verdict;
  if (said === undefined) return { path: at, message: "the trial has no check of this criterion" };
  if (said === "not_decided") return { path: at, message: "the judge did not decide this check" };
  if (judge !== undefined && judge !== said)
    return { path: `${path}.judge`, message: "is not what the trial has on record" };
  return { id, human, judge: said, ...rest, trial: { run: run.id, task: row.task, n: row.n, check } };
}

/** The place of the first check of a criterion among a task's checks; -1 where it has none. */
async function checkOf(ctx: Ctx, task: string, criterion: string): Promise<number> {
  const doc = await ctx.store.records.get(TaskRecord, task);
  return (doc?.task.checks ?? []).findIndex((check) =>
    check.kind === "judged" ? check.criterion === criterion : check.kind === criterion,
  );
}

export const setRef = { ...orgRef, cid: recordId("calibration set") };

/** What `calibration_patch` takes. */
export const PatchInput = z.object({
  ...setRef,
  retired: z
    .object({ reason: words(1_000) })
    .strict()
    .nullable()
    .describe("null puts the set back."),
  ...byField,
});
export type PatchInput = z.output<typeof PatchInput>;

/** Takes a set off the panel, or puts it back. Nothing else of it is ever changed; one that is retired keeps its first mark. */
export async function patchCalibration(ctx: Ctx, input: PatchInput) {
  const by = actor(ctx, input.by);
  const before = await findSet(ctx, input.cid);
  const set = await ctx.store.records.update(CalibrationSet, before.id, (doc) => {
    const { retired, ...rest } = doc;
    if (input.retired === null) return rest;
    return { ...rest, retired: retired ?? { reason: input.retired.reason, by, at: ctx.now() } };
  });
  if (!set) throw notFound("calibration set");
  if ((set.retired === undefined) !== (before.retired === undefined))
    await auditAct(ctx, set.retired ? "calibration_retired" : "calibration_restored", { set: set.id }, by);
  return { ...(await summary(ctx, set)), items: set.items };
}

async function findSet(ctx: Ctx, id: string): Promise<CalibrationDoc> {
  return orNotFound(await ctx.store.records.get(CalibrationSet, id), "calibration set");
}

async function summary(ctx: Ctx, set: CalibrationDoc) {
  const { items, retired, rubric, label, ...rest } = set;
  return {
    ...rest,
    label: label ?? `${set.criterion}: met or not met`,
    rubric: rubric ?? null,
    n: items.length,
    agreement: agreementOf(items),
    kappa: kappaOf(items),
    disagreements: disagreementsOf(items),
    drift: driftOf(items, await setBefore(ctx, set)),
    repeatability: repeatabilityOf(items),
    retired: retired ?? null,
    tier: tierOfSet(set),
  };
}

/** The set before this one of the same criterion and judge that stands and is no illustration. */
async function setBefore(ctx: Ctx, set: CalibrationDoc): Promise<CalibrationDoc | undefined> {
  for await (const other of everyRow((page) =>
    ctx.store.records.list(CalibrationSet, { ...page, where: { criterion: set.criterion } }),
  )) {
    const earlier = other.created_at <= set.created_at && other.id < set.id;
    if (earlier && counts(other) && other.judge.model === set.judge.model) return other;
  }
  return undefined;
}

/** Whether a set says something of a judge: it stands, and nobody invented it. */
function counts({ retired, illustrative }: CalibrationDoc): boolean {
  return retired === undefined && !illustrative;
}

/** The newest set of each criterion that counts. */
export async function standingSets(ctx: Ctx): Promise<ReadonlyMap<string, CalibrationDoc>> {
  const found = new Map<string, CalibrationDoc>();
  for await (const set of everyRow((page) => ctx.store.records.list(CalibrationSet, page)))
    if (counts(set) && !found.has(set.criterion)) found.set(set.criterion, set);
  return found;
}

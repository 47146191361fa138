import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badRequest, unprocessable } from "../../errors.ts";
import { count, orgRef } from "../../fields.ts";
import { changePreferences, readPreferences } from "../../organization/preferences.ts";
import { everyRow, type PageInput } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { DEFAULT_SURFACE, Evidence } from "../../records/evidence/evidence.ts";
import { Label, labelId, Polarity } from "../../records/evidence/label.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";

type LabelDoc = Doc<typeof Label>;

interface Given {
  readonly trace: string;
  readonly polarity: Polarity;
  readonly correction?: string | undefined;
}

/** How many labels of one stream are of each polarity, and how many say what should have been done. */
export const StreamCounts = z.object({ positive: count, negative: count, corrected: count });

export const one = {
  trace: z.string().min(1).max(200).describe("The trace's id."),
  polarity: Polarity.describe("`positive`: it went right; `negative`: it went wrong."),
  correction: z.string().min(1).max(10_000).optional().describe("What the agent should have done or said."),
};

/** What `labels_post` takes. */
export const PostInput = z.object({
  ...orgRef,
  surface: z.string().min(1).max(100).optional(),
  labels: z.array(z.strictObject(one)).min(1).max(1_000).optional(),
  trace: one.trace.optional(),
  polarity: one.polarity.optional(),
  correction: one.correction,
});
export type PostInput = z.output<typeof PostInput>;

/**
 * Takes verdicts on traces from outside, by trace id: all of them or, where one names a trace that is not here, none. A
 * trace's newer label stands in place of the one before. Tasks written from now on are mined by them.
 */
export async function postLabels(ctx: Ctx, input: PostInput) {
  // Of a trace that is named twice the last word stands.
  const given = [...new Map(givenOf(input).map((label) => [label.trace, label])).values()];
  const now = ctx.now();
  const docs: LabelDoc[] = [];
  const unknown: number[] = [];
  for (const [i, { trace, polarity, correction }] of given.entries()) {
    const row = await ctx.store.traces.get(trace);
    const evidence = row && (await ctx.store.records.get(Evidence, row.evidence));
    if (!evidence) {
      unknown.push(i);
      continue;
    }
    docs.push({
      id: labelId(trace),
      created_at: now,
      updated_at: now,
      by: ctx.caller.name,
      trace,
      surface: input.surface ?? evidence.surface ?? DEFAULT_SURFACE,
      polarity,
      ...(correction === undefined ? {} : { correction }),
      stream: evidence.provenance,
    });
  }
  if (unknown.length > 0)
    throw unprocessable("Some labels name traces that are not here; none was stored.", {
      fields: unknown.map((i) => ({
        path: input.labels ? `labels.${i}.trace` : "trace",
        message: "names no trace of this org",
      })),
    });
  const ids = docs.map(({ id }) => id);
  const before = new Map((await ctx.store.records.getMany(Label, ids)).map((doc) => [doc.id, doc]));
  await ctx.store.records.apply(
    docs.map((doc) => ({
      op: "put",
      kind: Label,
      doc: { ...doc, created_at: before.get(doc.id)?.created_at ?? doc.created_at },
    })),
  );
  const replaced = before.size;
  await auditAct(ctx, "labels_stored", { labels: docs.length });
  return {
    org: ctx.org.tag,
    stored: docs.length,
    replaced,
    labels: docs.map((doc) => ({ id: doc.id, trace: doc.trace })),
    tier: "human" as const,
  };
}

function givenOf({ labels, trace, polarity, correction }: PostInput): readonly Given[] {
  if (labels !== undefined && trace === undefined) return labels;
  if (labels === undefined && trace !== undefined && polarity !== undefined) return [{ trace, polarity, correction }];
  throw badRequest("Give labels as a list, or one label's trace and polarity.", {
    fields: [{ path: "labels", message: "is needed, or trace and polarity in its place" }],
  });
}

/** Labels newest first without their words, counts by stream, and whether every right production trace has its task. */
export async function listLabels(ctx: Ctx, input: PageInput & { readonly surface?: string | undefined }) {
  const where = input.surface === undefined ? {} : { where: { surface: input.surface } };
  const page = await ctx.store.records.list(Label, { ...input, ...where });
  const tasks = await minedTasks(ctx);
  const labels = await Promise.all(
    page.items.map(async (label) => {
      const task = await taskOf(ctx, label, tasks);
      return {
        id: label.id,
        trace: label.trace,
        kind: label.polarity,
        stream: label.stream,
        has_correction: label.correction !== undefined,
        became: task ? { task: task.id, environment: task.environment, status: task.status } : null,
        at: label.updated_at,
        by: label.by,
      };
    }),
  );
  const streams: Record<string, z.infer<typeof StreamCounts>> = {};
  const missing: string[] = [];
  let right = 0;
  for await (const label of everyRow((next) => ctx.store.records.list(Label, { ...next, ...where }))) {
    const row = streams[label.stream] ?? { positive: 0, negative: 0, corrected: 0 };
    streams[label.stream] = row;
    row[label.polarity] += 1;
    if (label.correction !== undefined) row.corrected += 1;
    if (label.stream !== "production" || label.polarity !== "positive") continue;
    right += 1;
    if ((await taskOf(ctx, label, tasks))?.status !== "certified") missing.push(label.trace);
  }
  return {
    org: ctx.org.tag,
    labels,
    streams,
    production_only: (await labelsPolicy(ctx)).production_only,
    guard: { labelled: right, standing: right - missing.length, missing: missing.slice(0, 100) },
    tier: "deterministic" as const,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

type MinedTasks = ReadonlyMap<string, Doc<typeof TaskRecord>>;

/** The org's mined tasks by what the user asked. */
async function minedTasks(ctx: Ctx): Promise<MinedTasks> {
  const found = new Map<string, Doc<typeof TaskRecord>>();
  for await (const row of everyRow((page) => ctx.store.records.list(TaskRecord, page)))
    if (row.task.family === "mined") found.set(row.task.request, row);
  return found;
}

async function taskOf(ctx: Ctx, { trace }: LabelDoc, tasks: MinedTasks) {
  if (tasks.size === 0) return undefined;
  const row = await ctx.store.traces.get(trace);
  return row && tasks.get(row.trace.request);
}

/** How labels change what is mined: by trace id a reward of 1 or 0, and whether only production counts. */
export async function labelling(ctx: Ctx) {
  const rewards = new Map<string, number>();
  for await (const { trace, polarity } of everyRow((page) => ctx.store.records.list(Label, page)))
    rewards.set(trace, polarity === "positive" ? 1 : 0);
  return { rewards, productionOnly: (await labelsPolicy(ctx)).production_only };
}

/** Whether the org wants its datasets from production alone, who said so and when. */
export async function labelsPolicy(ctx: Ctx) {
  const { labels } = await readPreferences(ctx);
  return {
    org: ctx.org.tag,
    production_only: labels?.production_only ?? false,
    set_by: labels?.by ?? null,
    set_at: labels?.at ?? null,
    tier: "human" as const,
  };
}

/** Sets whether tasks are mined from production traces alone, from the next writing on. */
export async function putLabelsPolicy(
  ctx: Ctx,
  input: { readonly production_only: boolean; readonly by?: string | undefined },
) {
  const by = actor(ctx, input.by);
  const { production_only } = input;
  await changePreferences(ctx, (doc) => ({ ...doc, labels: { production_only, by, at: ctx.now() } }));
  await auditAct(ctx, "labels_policy_set", { production_only }, by);
  return labelsPolicy(ctx);
}

import { z } from "zod";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { countOf } from "../count-of.ts";
import { AppError, conflict } from "../errors.ts";
import type { DatasetTool } from "../ports/vendors.ts";
import { TaskRecord } from "../records/sandboxes/sandboxes.ts";
import { tracingTool } from "../sources/tracing-tool.ts";
import { datasetNames, datasetRecord } from "./dataset-records.ts";
import { type ExportedTasks, exportedTasks } from "./tasks.ts";

/** Items on their way at once. */
const AT_ONCE = 8;

/** How the sending of one environment went: `items` stand there, `archived` were taken off, the rest is the error's. */
export const Published = z.object({
  name: z.string(),
  environment: z.string(),
  items: z.number().int().describe("Items that stand there now."),
  archived: z.number().int(),
  failed: z.number().int().describe("Items that were not sent."),
  error: z.string().optional(),
  reason: z.string().optional(),
});
export type Published = z.infer<typeof Published>;

interface Sending {
  readonly published: Published;
  readonly refusal: AppError | undefined;
}

/** One request that changes a dataset. */
interface Write {
  readonly counts: "items" | "archived";
  readonly make: () => Promise<void>;
}

/**
 * Sends every environment to the org's dataset tool, as the dataset of its name with an item per certified task; what is
 * certified no more is archived there. Items go by the task's id, so that doing it again changes nothing. What fails is
 * told per dataset, and where the tool asks to be called less the rest waits for the next call.
 */
export async function publishDatasets(ctx: Ctx) {
  const found = await tracingTool(ctx);
  if ("refusal" in found) throw conflict(found.refusal);
  const { source, tool } = found;
  const nameOf = await datasetNames(ctx);
  const datasets: Published[] = [];
  let wait: number | undefined;
  for await (const one of exportedTasks(ctx, {})) {
    ctx.signal.throwIfAborted();
    const name = nameOf(one.environment);
    if (wait !== undefined) {
      datasets.push(left(name, one));
      continue;
    }
    const { published, refusal } = await publish(ctx, tool, name, one);
    datasets.push(published);
    wait = refusal?.code === "rate_limited" ? (refusal.details.retryAfter ?? 60) : undefined;
    ctx.progress(datasets.length, undefined, "datasets sent");
  }
  const sum = (count: (row: Published) => number) => datasets.reduce((total, row) => total + count(row), 0);
  const totals = {
    items: sum((row) => row.items),
    archived: sum((row) => row.archived),
    failed: sum((row) => row.failed),
  };
  await auditAct(ctx, "datasets_published", { source: source.id, datasets: datasets.length, ...totals });
  return {
    org: ctx.org.tag,
    source: source.id,
    datasets,
    ...totals,
    ...(wait === undefined ? {} : { retry_after: wait }),
    tier: "deterministic" as const,
  };
}

async function publish(ctx: Ctx, tool: DatasetTool, name: string, one: ExportedTasks): Promise<Sending> {
  const { environment, tasks } = one;
  const { datasets } = ctx.vendors;
  const writes: Write[] = tasks.map((task) => {
    const { tags, metadata, ...record } = datasetRecord(environment, task);
    const item = { ...record, metadata: { ...metadata, tags } };
    return { counts: "items", make: () => datasets.putItem(tool, name, item, ctx.signal) };
  });
  try {
    const metadata = { environment: environment.id, revision: environment.revision, tier: "deterministic" };
    const description = `${countOf(tasks.length, "certified task")} of ${environment.label}.`;
    await datasets.put(tool, { name, description, metadata }, ctx.signal);
    const kept = new Set(tasks.map(({ id }) => id));
    for (const id of await datasets.items(tool, name, ctx.signal))
      if (id.startsWith(`${TaskRecord.prefix}_`) && !kept.has(id))
        writes.push({ counts: "archived", make: () => datasets.archive(tool, name, id, ctx.signal) });
  } catch (error) {
    const { code, reason } = refusalOf(ctx, error);
    return { published: { ...left(name, one), error: code, reason }, refusal: refusalOf(ctx, error) };
  }
  const done = { items: 0, archived: 0 };
  let made = 0;
  let refusal: AppError | undefined;
  for (let at = 0; at < writes.length && refusal?.code !== "rate_limited"; at += AT_ONCE) {
    const part = writes.slice(at, at + AT_ONCE);
    for (const [i, end] of (await Promise.allSettled(part.map((write) => write.make()))).entries()) {
      if (end.status === "rejected") {
        const next = refusalOf(ctx, end.reason);
        refusal = refusal?.code === "rate_limited" ? refusal : next;
        continue;
      }
      done[part[i]?.counts ?? "items"] += 1;
      made += 1;
    }
  }
  const told = refusal && { error: refusal.code, reason: refusal.reason };
  return { published: { name, environment: environment.id, ...done, failed: writes.length - made, ...told }, refusal };
}

/** What the tool refused; all else that went wrong is no answer of its. */
function refusalOf(ctx: Ctx, error: unknown): AppError {
  ctx.signal.throwIfAborted();
  if (error instanceof AppError) return error;
  throw error;
}

/** A dataset of which nothing was sent. */
function left(name: string, { environment, tasks }: ExportedTasks): Published {
  return { name, environment: environment.id, items: 0, archived: 0, failed: tasks.length };
}

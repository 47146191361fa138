import { z } from "zod";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import { FileAnswer } from "../reply.ts";
import { findGroup } from "../runs/group-data.ts";
import { Run } from "../runs/schema.ts";
import { loadEnvironment } from "../sandboxes/blobs.ts";
import type { TaskDoc } from "../sandboxes/task-records.ts";
import { Tier } from "../tier.ts";
import { type ExportedTasks, exportedTasks } from "./tasks.ts";
import { encoded, type ZipFile, zipped } from "./zip.ts";

/** What narrows an export of worlds. */
export const WorldsExport = z.object({
  environment: z.string().optional(),
  group: z.string().optional(),
  tier: Tier.optional(),
  format: z.enum(["ndjson", "zip"]).optional(),
});
type WorldsExport = z.infer<typeof WorldsExport>;

/**
 * Every world of the org with its certified tasks of one tier: as lines (a `world`, its `row`s, its `task`s, each naming
 * its environment), or as a zip with a folder per environment. A group narrows it to that group's environments and tasks.
 */
export async function exportWorlds(ctx: Ctx, input: WorldsExport): Promise<FileAnswer> {
  const { format = "ndjson", tier = "deterministic" } = input;
  const only = input.group === undefined ? undefined : await tasksOf(ctx, input.group);
  const chosen: ExportedTasks[] = [];
  for await (const { environment, tasks } of exportedTasks(ctx, { environment: input.environment })) {
    if (only && !only.environments.has(environment.id)) continue;
    const kept = tasks.filter((task) => task.task.tier === tier && (only === undefined || only.tasks.has(task.id)));
    chosen.push({ environment, tasks: kept });
  }
  if (chosen.length === 0) throw new AppError("conflict", "There is no environment in what was asked for.");
  const data = {
    org: ctx.org.tag,
    tier,
    environments: chosen.length,
    tasks: chosen.reduce((sum, { tasks }) => sum + tasks.length, 0),
  };
  const name = `${ctx.org.tag}-worlds`;
  if (format === "zip")
    return new FileAnswer(`${name}.zip`, "application/zip", zipped(files(ctx, chosen), ctx.now()), data);
  return new FileAnswer(`${name}.ndjson`, "application/x-ndjson", encoded(lines(ctx, chosen)), data);
}

async function tasksOf(ctx: Ctx, group: string) {
  const { runs } = await findGroup(ctx, group);
  const docs = await ctx.store.records.getMany(
    Run,
    runs.map(({ run }) => run),
  );
  return {
    environments: new Set(docs.map((run) => run.environment)),
    tasks: new Set(docs.flatMap((run) => run.tasks.map((task) => task.id))),
  };
}

async function worldOf(ctx: Ctx, { environment }: ExportedTasks) {
  const { bundle, base } = await loadEnvironment(ctx, environment);
  const { id, label, surface, hypothesis, seed, base_blob } = environment;
  return {
    world: {
      environment: id,
      label,
      surface,
      hypothesis,
      seed,
      base: base_blob,
      tables: bundle.tables,
      tools: bundle.tools,
    },
    rows: Object.entries(base.tables).flatMap(([table, rows]) =>
      Object.entries(rows).map(([key, row]) => ({ environment: id, table, key, row })),
    ),
  };
}

function taskOf(environment: string, { id, digest, task }: TaskDoc) {
  const { id: _own, ...terms } = task;
  return { environment, id, digest, ...terms };
}

async function* lines(ctx: Ctx, chosen: readonly ExportedTasks[]): AsyncGenerator<string> {
  for (const one of chosen) {
    const { world, rows } = await worldOf(ctx, one);
    yield line({ kind: "world", ...world });
    for (const row of rows) yield line({ kind: "row", ...row });
    for (const task of one.tasks) yield line({ kind: "task", ...taskOf(one.environment.id, task) });
  }
}

async function* files(ctx: Ctx, chosen: readonly ExportedTasks[]): AsyncGenerator<ZipFile> {
  for (const one of chosen) {
    const { world, rows } = await worldOf(ctx, one);
    const place = one.environment.id;
    yield { name: `${place}/world.json`, content: JSON.stringify(world, null, 1) };
    yield { name: `${place}/rows.ndjson`, content: encoded(rows.map(line)) };
    yield {
      name: `${place}/tasks.ndjson`,
      content: encoded(one.tasks.map((task) => line(taskOf(place, task)))),
    };
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

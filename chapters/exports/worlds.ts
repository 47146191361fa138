import { z } from "zod";
import type { BaseState } from "../../worlds/bundle.ts";
import { loadEnvironment } from "../blobs.ts";
import type { Ctx } from "../context.ts";
import { conflict } from "../errors.ts";
import { Run } from "../records/runs/runs.ts";
import { FileAnswer } from "../reply.ts";
import { findGroup } from "../runs/groups/group-data.ts";
import type { TaskDoc } from "../sandboxes/tasks/task-records.ts";
import { Tier } from "../tier.ts";
import { encoded, type ZipFile, zipped } from "../zip.ts";
import { type ChosenTasks, chosenTasks } from "./tasks.ts";

/** What narrows an export of worlds. */
export const WorldsExport = z.object({
  environment: z.string().optional(),
  group: z.string().optional(),
  tier: Tier.optional().describe("Only tasks that code (the default), a person or a model wrote."),
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
  const kept = ({ id, task }: TaskDoc) => task.tier === tier && (only === undefined || only.tasks.has(id));
  const all = await chosenTasks(ctx, { environment: input.environment }, kept);
  const chosen = all.filter(({ environment }) => only === undefined || only.environments.has(environment.id));
  if (chosen.length === 0) throw conflict("Nothing that was requested has an environment.", { by: "surfaces_list" });
  const data = {
    org: ctx.org.tag,
    tier,
    environments: chosen.length,
    tasks: chosen.reduce((sum, { count }) => sum + count, 0),
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

async function worldOf(ctx: Ctx, { environment }: ChosenTasks) {
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
    base,
  };
}

/** Every row of a drawn state, one after the other. */
function* rowsOf(environment: string, base: BaseState) {
  for (const [table, rows] of Object.entries(base.tables))
    for (const [key, row] of Object.entries(rows)) yield { environment, table, key, row };
}

function* rowLines(environment: string, base: BaseState): Generator<string> {
  for (const row of rowsOf(environment, base)) yield line(row);
}

function taskOf(environment: string, { id, digest, task }: TaskDoc) {
  const { id: _own, ...terms } = task;
  return { environment, id, digest, ...terms };
}

async function* lines(ctx: Ctx, chosen: readonly ChosenTasks[]): AsyncGenerator<string> {
  for (const one of chosen) {
    const { world, base } = await worldOf(ctx, one);
    yield line({ kind: "world", ...world });
    for (const row of rowsOf(one.environment.id, base)) yield line({ kind: "row", ...row });
    for (const task of await one.read()) yield line({ kind: "task", ...taskOf(one.environment.id, task) });
  }
}

async function* files(ctx: Ctx, chosen: readonly ChosenTasks[]): AsyncGenerator<ZipFile> {
  for (const one of chosen) {
    const { world, base } = await worldOf(ctx, one);
    const place = one.environment.id;
    yield { name: `${place}/world.json`, content: JSON.stringify(world, null, 1) };
    yield { name: `${place}/rows.ndjson`, content: encoded(rowLines(place, base)) };
    yield {
      name: `${place}/tasks.ndjson`,
      content: encoded((await one.read()).map((task) => line(taskOf(place, task)))),
    };
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

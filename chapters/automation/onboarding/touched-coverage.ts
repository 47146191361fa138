import { z } from "zod";
import { batchesOf } from "../../agents/agent-batches.ts";
import { versionLabel } from "../../agents/fields.ts";
import type { TouchedTool } from "../../agents/writes/touched-tools.ts";
import { callsAny, touchedTools } from "../../agents/writes/touched-tools.ts";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { orgRef, recordId, words } from "../../fields.ts";
import { findAgent, findVersion } from "../../find-agent.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Surface } from "../../records/sandboxes/sandboxes.ts";
import { type TaskSet, taskSet } from "../../runs/start/task-set.ts";

/** Tasks that a touched tool is to be called by. */
const ENOUGH = 3;
/** Tasks that are named per tool; the count is of all. */
const NAMED = 20;

/** What `touched_coverage` takes. */
export const CoverageInput = z.object({
  ...orgRef,
  aid: recordId("agent, or its name"),
  version: versionLabel.optional().describe("The changed version; the newest that is not retired when absent."),
  tools: z.array(words(200)).min(1).max(200).optional().describe("The touched tools, by name."),
  set: words(200).optional().describe("full, ci-N, smoke-N or a held set's group; every certified task when absent."),
  group: words(200).optional().describe("A run group whose trials count too."),
});
export type CoverageInput = z.output<typeof CoverageInput>;

/**
 * Which tools a version touches, how many tasks of a set call each, which calls production made of each, and for tools
 * with fewer than three tasks what to generate at what price. A tool that was named and that nobody has is told.
 * Nothing runs and nothing is written.
 */
export async function touchedCoverage(ctx: Ctx, input: CoverageInput) {
  const agent = await findAgent(ctx, input.aid);
  const version = findVersion(agent, input.version);
  const served = await servedTools(ctx);
  const touched = await touchedTools(ctx, version, input.tools, new Set(served.keys()));
  const set = await taskSet(ctx, input);
  const production = await productionCalls(ctx, agent.id, new Set(touched.map(({ tool }) => tool)));
  const perTrial = await usdPerTrial(ctx, set);
  const tools = touched.map((row) => {
    const own = coverageOf(row.tool, set);
    const called = production?.tools.has(row.tool) ?? false;
    const unknown = row.how === "named" && !served.has(row.tool) && !called && own.tasks === 0;
    const gap = row.how === "removed" || unknown ? 0 : Math.max(0, ENOUGH - own.tasks);
    const surface = served.get(row.tool);
    return {
      tool: row.tool,
      how: row.how,
      surface: surface?.name ?? null,
      ...(unknown ? { unknown } : {}),
      ...own,
      ...(production === undefined ? {} : { production: production.tools.get(row.tool) ?? { calls: 0, sessions: 0 } }),
      gap,
      // Where a tool is only ever called on the way to another, no task can be asked for by it.
      ...(isOnTheWay(row.tool, set) ? {} : planOf(row, gap, surface, perTrial)),
    };
  });
  const planned = tools.reduce((sum, { plan }) => sum + (plan?.body.tasks ?? 0), 0);
  return {
    org: ctx.org.tag,
    agent: agent.id,
    version: version.version,
    set: { kind: set.kind, name: set.name, tasks: set.tasks.length, trials: set.trials?.length ?? null },
    enough: ENOUGH,
    tools,
    gap: tools.reduce((sum, { gap }) => sum + gap, 0),
    planned,
    ...(production === undefined ? {} : { production: { batches: production.batches, traces: production.traces } }),
    price: priceOf(planned, perTrial),
    tier: "deterministic" as const,
  };
}

/** Every tool that a live surface serves now, with the first such surface. */
async function servedTools(ctx: Ctx): Promise<Map<string, Doc<typeof Surface>>> {
  const served = new Map<string, Doc<typeof Surface>>();
  for await (const surface of everyRow((page) => ctx.store.records.list(Surface, { ...page, order: "oldest" }))) {
    if (surface.retired_at !== undefined || surface.superseded_by !== undefined || surface.bundle === undefined)
      continue;
    const { bundle } = await loadBundle(ctx, surface.bundle);
    for (const { name } of bundle.tools) if (!served.has(name)) served.set(name, surface);
  }
  return served;
}

/** Tasks of the set whose script, or a trial of whom, calls a tool. */
function coverageOf(tool: string, { tasks, trials }: TaskSet) {
  const only = new Set([tool]);
  const scripted = new Set(tasks.flatMap(({ id, task }) => (callsAny(task, only) ? [id] : [])));
  const tried = new Set(
    (trials ?? []).filter(({ trial }) => trial.calls.some((call) => call.tool === tool)).map(({ task }) => task),
  );
  const either = tasks.filter((row) => scripted.has(row.id) || tried.has(row.id));
  return {
    tasks: either.length,
    by_script: scripted.size,
    ...(trials === undefined ? {} : { by_trials: tasks.filter(({ id }) => tried.has(id)).length }),
    called_by: either.slice(0, NAMED).map(({ id, environment, index }) => ({ task: id, environment, index })),
  };
}

/** Whether tasks of the set call a tool, and none of them is about it. */
function isOnTheWay(tool: string, { tasks }: TaskSet): boolean {
  const calling = tasks.filter(({ task }) => callsAny(task, new Set([tool])));
  return calling.length > 0 && calling.every(({ task }) => task.cell.operation !== tool);
}

/** Traces between two looks at who else waits for this thread. */
const AT_A_TIME = 50;

/** How often production's agents called a tool, and in how many sessions. */
export const ProductionCalls = z.object({ calls: z.number().int(), sessions: z.number().int() });

/** Production's calls of these tools; undefined where no production trace is stored. */
async function productionCalls(ctx: Ctx, agent: string, wanted: ReadonlySet<string>) {
  const { own } = await batchesOf(ctx, agent);
  const batches = own.filter(({ provenance }) => provenance === "production").map(({ id }) => id);
  if (batches.length === 0) return undefined;
  const tools = new Map<string, z.infer<typeof ProductionCalls>>();
  let traces = 0;
  for await (const { trace } of ctx.store.traces.stream(batches)) {
    ctx.signal.throwIfAborted();
    if (++traces % AT_A_TIME === 0) await new Promise((resolve) => setImmediate(resolve));
    const here = new Set<string>();
    for (const { tool } of trace.calls) {
      if (!wanted.has(tool)) continue;
      const sums = tools.get(tool) ?? { calls: 0, sessions: 0 };
      sums.calls += 1;
      if (!here.has(tool)) sums.sessions += 1;
      here.add(tool);
      tools.set(tool, sums);
    }
  }
  return { batches: batches.length, traces, tools };
}

/** What the ledger says that a trial of the group cost, US dollars; undefined where it wrote nothing down. */
async function usdPerTrial(ctx: Ctx, { runs, trials }: TaskSet): Promise<number | undefined> {
  const n = trials?.length ?? 0;
  if (n === 0) return undefined;
  const jobs = new Set(runs);
  const since = Math.min(...(trials ?? []).map(({ started_at }) => started_at)) - 1;
  let micro = 0;
  let rows = 0;
  for await (const row of everyRow((page) => ctx.store.ledger.list(since, page))) {
    if (row.job === null || !jobs.has(row.job)) continue;
    micro += row.micro_usd;
    rows += 1;
  }
  return rows === 0 ? undefined : micro / n / 1e6;
}

/** One call that writes a tool's missing tasks; none where nothing is missing, or no surface serves the tool. */
function planOf(
  { tool }: TouchedTool,
  gap: number,
  surface: Doc<typeof Surface> | undefined,
  perTrial: number | undefined,
) {
  if (gap === 0 || surface === undefined) return {};
  const body = { surface: surface.name, selection: { operation: [tool] }, tasks: gap, label: `${tool} coverage` };
  return { plan: { operation: "generate_environments" as const, body, price: priceOf(gap, perTrial) } };
}

/** Writing by rule asks no model; what trying the tasks once costs is what trials have cost, where that was measured. */
function priceOf(tasks: number, perTrial: number | undefined) {
  return {
    write_usd: 0,
    model_calls: 0,
    ...(perTrial === undefined ? {} : { try_once_usd: perTrial * tasks }),
    tier: "deterministic" as const,
  };
}

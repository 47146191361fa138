import { z } from "zod";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { beginning } from "../../../worlds/starts.ts";
import type { FinishedTrial, Task } from "../../../worlds/tasks/schema.ts";
import { createWorld } from "../../../worlds/world.ts";
import { versionLabel } from "../../agents/fields.ts";
import { launchedVersion } from "../../agents/versions/ready-version.ts";
import { toolEffects } from "../../agents/writes/tool-effects.ts";
import { writesOf } from "../../agents/writes/write-paths.ts";
import { auditAct } from "../../audit.ts";
import { loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { DEFAULT_TIMEOUT_S, orgRef, recordId } from "../../fields.ts";
import { findAgent } from "../../find-agent.ts";
import { type JobCtx, job } from "../../job.ts";
import { theSurface } from "../../ontology/surfaces.ts";
import { everyRow, type PageInput } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { AgentDiscovery, DiscoveredTask } from "../../records/agents/discovery.ts";
import { Environment, TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { finishTrial } from "../../runs/play/finish-trial.ts";
import { counts, sample } from "../../runs/start/select-tasks.ts";
import { type EnvironmentDoc, findEnvironment } from "../../sandboxes/environments/environment-records.ts";
import { liveSurface } from "../../sandboxes/surfaces/surfaces.ts";
import { environmentTasks, type TaskDoc } from "../../sandboxes/tasks/task-records.ts";
import { type Tried, tryTasks } from "./try-tasks.ts";

type DiscoveryDoc = Doc<typeof AgentDiscovery>;
type WorldSource = { readonly bundle: Bundle; readonly base: BaseState; readonly seed: string };

const DiscoverInput = z.object({
  agent: z.string(),
  version: z.string(),
  surface: z.string(),
  environment: z.string(),
  tasks: z.array(z.string()).min(1),
});
type DiscoverInput = z.infer<typeof DiscoverInput>;

/** Asks a version a few tasks in worlds of a surface and stores which operations it used and who answered each. */
export const discoverJob = job<DiscoverInput, DiscoveryDoc>({
  kind: "agent_discover",
  input: DiscoverInput,
  key: ({ agent, version, environment }) => `${agent}:${version}:${environment}`,
  attempts: 3,
  ends: "cancel",
  concurrency: 2,
  run: discover,
});

async function discover(ctx: JobCtx, input: DiscoverInput): Promise<DiscoveryDoc> {
  const environment = await findEnvironment(ctx, input.environment);
  const worldSource: WorldSource = { ...(await loadEnvironment(ctx, environment)), seed: environment.seed };
  const docs = await ctx.store.records.getMany(TaskRecord, input.tasks);
  const byId = new Map(docs.map((doc) => [doc.id, doc]));
  const { agent, version } = input;
  const tasks = docs.map(({ id, task }) => ({ id, task }));
  const seen = await tryTasks(
    ctx,
    { agent, version, environment, tasks, timeoutSeconds: DEFAULT_TIMEOUT_S },
    DiscoveredTask,
    (tried) => seenOf(worldSource, byId.get(tried.id) as TaskDoc, tried),
  );
  const discovery: DiscoveryDoc = {
    id: ctx.id(AgentDiscovery.prefix),
    created_at: ctx.now(),
    by: ctx.caller.name,
    agent,
    version,
    surface: input.surface,
    environment: environment.id,
    bundle: environment.bundle,
    tasks: seen,
    ...summed(worldSource.bundle, seen),
    tier: "deterministic",
  };
  await ctx.store.records.insert(AgentDiscovery, discovery);
  await ctx.job.audit("discovered", { discovery: discovery.id, operations: discovery.operations.length });
  return discovery;
}

function seenOf(worldSource: WorldSource, doc: TaskDoc, { task, played, connected }: Tried): DiscoveredTask {
  const { trial, cause = null, ms } = played;
  const effectOf = toolEffects(worldSource.bundle);
  const writes = writesOf(
    { calls: trial.calls.map(({ answer, changed: _, ...call }) => ({ ...call, result: answer })) },
    effectOf,
  );
  const servers = answeredBy(worldSource, task, trial.calls);
  const topic = task.cell.use_case;
  return {
    task: doc.id,
    index: doc.index,
    family: task.family,
    ...(topic === undefined ? {} : { topic }),
    tools: [
      ...Map.groupBy(
        trial.calls.map((call, i) => ({ call, by: servers[i] })),
        ({ call }) => call.tool,
      ),
    ].map(([tool, own]) => ({
      tool,
      effect: effectOf(tool).effect,
      calls: own.length,
      errors: own.filter(({ call }) => call.is_error).length,
      answered_by: tallied(own.map(({ by }) => by)),
    })),
    writes: writes.length,
    unread_writes: writes.filter(({ row }) => row === "unread").length,
    answer_class: finishTrial(task, worldSource, played).answer_class,
    asked: /\?\s*$/.test(trial.answers.at(-1)?.text ?? ""),
    cause,
    connected,
    ms,
  };
}

type Server = keyof z.infer<typeof AgentDiscovery.schema>["operations"][number]["answered_by"];

/** What answered each call: the calls made again in their order on the same drawn state, which answers them alike. */
function answeredBy({ bundle, base, seed }: WorldSource, task: Task, calls: FinishedTrial["calls"]): Server[] {
  const world = createWorld(bundle, beginning(base, task.start), { seed });
  return calls.map(({ tool, args }) => world.call(tool, args as never).servedBy);
}

function tallied(servers: readonly (Server | undefined)[]) {
  const by = { behaviour: 0, recorded: 0, gap: 0, schema: 0 };
  for (const server of servers) if (server) by[server] += 1;
  return by;
}

/** What the tasks show together. Pure. */
function summed(
  bundle: Bundle,
  tasks: readonly DiscoveredTask[],
): Pick<DiscoveryDoc, "operations" | "unused" | "topics" | "behaviour"> {
  const uses = Map.groupBy(
    tasks.flatMap(({ tools }) => tools),
    ({ tool }) => tool,
  );
  const operations = [...uses]
    .map(([tool, own]) => ({
      tool,
      effect: own[0]?.effect ?? ("read" as const),
      calls: total(own.map(({ calls }) => calls)),
      errors: total(own.map(({ errors }) => errors)),
      tasks: own.length,
      answered_by: {
        behaviour: total(own.map(({ answered_by }) => answered_by.behaviour)),
        recorded: total(own.map(({ answered_by }) => answered_by.recorded)),
        gap: total(own.map(({ answered_by }) => answered_by.gap)),
        schema: total(own.map(({ answered_by }) => answered_by.schema)),
      },
    }))
    .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
  const topics = Map.groupBy(
    tasks.filter(({ topic }) => topic !== undefined),
    ({ topic }) => topic as string,
  );
  const ofClass = (wanted: DiscoveredTask["answer_class"]) =>
    tasks.filter(({ answer_class }) => answer_class === wanted).length;
  return {
    operations,
    unused: bundle.tools.map(({ name }) => name).filter((name) => !uses.has(name)),
    topics: [...topics]
      .map(([topic, own]) => ({
        topic,
        tasks: own.length,
        answered: own.filter(({ answer_class }) => answer_class === "answered").length,
      }))
      .sort((a, b) => b.tasks - a.tasks || (a.topic < b.topic ? -1 : 1)),
    behaviour: {
      answered: ofClass("answered"),
      said_no_data: ofClass("said_no_data"),
      refused: ofClass("refused"),
      asked: tasks.filter(({ asked }) => asked).length,
      silent: ofClass("none"),
      broken_off: tasks.filter(({ cause }) => cause !== null).length,
      most_calls: Math.max(0, ...tasks.map(({ tools }) => total(tools.map(({ calls }) => calls)))),
      writes: total(tasks.map(({ writes }) => writes)),
      unread_writes: total(tasks.map(({ unread_writes }) => unread_writes)),
    },
  };
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

export const ref = { ...orgRef, aid: recordId("agent, or its name") };

/** What `agent_discover` takes. */
export const StartInput = z.object({
  ...ref,
  version: versionLabel.optional().describe("Which version; the newest that is not retired when absent."),
  surface: z.string().min(1).max(200).optional().describe("A surface by name or id; the org's only one when absent."),
  tasks: z
    .number()
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe("How many tasks, over all families in turn; 5 when absent."),
});
export type StartInput = z.output<typeof StartInput>;

const DEFAULT_TASKS = 5;

/** Starts a discovery on the surface named, or the org's only one, or answers the one that runs. */
export async function startDiscovery(ctx: Ctx, input: StartInput) {
  const { agent, version } = await launchedVersion(ctx, input.aid, input.version);
  const surface = liveSurface(await theSurface(ctx, input.surface));
  const found = await environmentWithTasks(ctx, surface.id);
  if (!found)
    throw conflict("The surface has no environment with a certified task; run its pipeline first.", {
      by: "pipeline_post",
    });
  const tasks = sample(found.tasks, `smoke-${input.tasks ?? DEFAULT_TASKS}`);
  const handle = await ctx.jobs.start(discoverJob, {
    agent: agent.id,
    version: version.version,
    surface: surface.id,
    environment: found.environment.id,
    tasks: tasks.map(({ id }) => id),
  });
  await auditAct(ctx, "agent_discovered", { agent: agent.id, job: handle.job });
  return {
    ...handle,
    agent: agent.id,
    version: version.version,
    surface: surface.name,
    environment: found.environment.id,
    tasks: tasks.length,
    stages: ["start", "ask", "read"],
    note: "Asks a few tasks and grades none; agent_discoveries says which operations it used and who answered each.",
  };
}

/** The newest live environment of a surface that has certified tasks, with these. */
async function environmentWithTasks(
  ctx: Ctx,
  surface: string,
): Promise<{ environment: EnvironmentDoc; tasks: TaskDoc[] } | undefined> {
  for await (const environment of everyRow((page) =>
    ctx.store.records.list(Environment, { ...page, where: { surface } }),
  )) {
    if (environment.retired_at !== undefined) continue;
    const tasks = (await environmentTasks(ctx, environment.id)).filter((task) => counts(task, false));
    if (tasks.length > 0) return { environment, tasks };
  }
  return undefined;
}

/** An agent's discoveries, newest first. */
export async function listDiscoveries(ctx: Ctx, input: { readonly aid: string } & PageInput) {
  const agent = await findAgent(ctx, input.aid);
  const { limit, cursor } = input;
  const page = await ctx.store.records.list(AgentDiscovery, { limit, cursor, where: { agent: agent.id } });
  return { agent: agent.id, discoveries: page.items, ...(page.next === undefined ? {} : { next: page.next }) };
}

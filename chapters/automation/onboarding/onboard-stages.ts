import { versionBundle } from "../../agents/versions/surface-bundle.ts";
import { loadBundle, loadEnvironment } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict, unprocessable } from "../../errors.ts";
import { findAgent, findVersion } from "../../find-agent.ts";
import type { JobCtx, JobHandle } from "../../job.ts";
import { confidenceBands } from "../../organization/confidence.ts";
import type { OnboardPlan, Stage, StageOutput } from "../../records/agents/onboarding.ts";
import { AgentProbe } from "../../records/agents/probe.ts";
import { BundleRecord, TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { Reply } from "../../reply.ts";
import { compareGroups } from "../../runs/compare/compare.ts";
import { findGroup, groupData, groupState } from "../../runs/groups/group-data.ts";
import { counts, sample } from "../../runs/start/select-tasks.ts";
import { startRun } from "../../runs/start/start-run.ts";
import { tallyOf } from "../../runs/trials/trial-rows.ts";
import { findEnvironment } from "../../sandboxes/environments/environment-records.ts";
import { reviewTasks } from "../../sandboxes/tasks/compute-tasks.ts";
import { environmentTasks, type TaskDoc } from "../../sandboxes/tasks/task-records.ts";
import { startPipeline } from "../run-pipeline.ts";
import { probeJob, smokeJob } from "./probe.ts";
import { untilEnded } from "./wait-for-job.ts";

/** Starts the job that a stage waits for, or answers the one that an earlier attempt started. */
export type Made = (start: () => Promise<string>) => Promise<string>;

type Outputs = Partial<Record<Stage["name"], StageOutput>>;

/** One stage: whether it is due and on what it depends, how it is made, and whether an earlier one's output still stands. */
export interface OnboardStage {
  readonly name: Stage["name"];
  readonly due: (
    before: Outputs,
  ) => Promise<{ readonly kind: string; readonly inputs: unknown } | { readonly not_due: string }>;
  readonly make: (before: Outputs, made: Made) => Promise<StageOutput>;
  readonly stands: (output: StageOutput) => Promise<boolean>;
}

const always = async () => true;

/** The stages of an onboarding, in order. */
export function stagesOf(ctx: JobCtx, plan: OnboardPlan): OnboardStage[] {
  const { agent, version, against } = plan;
  return [
    asking(ctx, plan, "probe"),
    asking(ctx, plan, "smoke"),
    building(ctx, plan),
    choosing(ctx, plan),
    {
      ...running(ctx, plan, "against", against ?? ""),
      ...(against === null ? { due: async () => ({ not_due: "No version was connected before this one." }) } : {}),
    },
    running(ctx, plan, "run", version),
    {
      name: "compare",
      due: async ({ against: a, run: b }) =>
        a?.group === undefined
          ? { not_due: "There is no run to compare with." }
          : { kind: "compare", inputs: [agent, a.group, b?.group, await confidenceBands(ctx)] },
      make: (before) => compared(ctx, before),
      stands: always,
    },
  ];
}

/** `probe` and `smoke`: a version that does not answer comes no further; how it does is the run's business. */
function asking(ctx: JobCtx, { agent, version }: OnboardPlan, name: "probe" | "smoke"): OnboardStage {
  const asked = name === "probe" ? probeJob : smokeJob;
  return {
    name,
    due: async () => {
      const { target } = findVersion(await findAgent(ctx, agent), version);
      return target.kind === "surface"
        ? { not_due: "A tool server is driven by a harness: there is no agent to ask." }
        : { kind: name, inputs: [agent, version, target] };
    },
    make: async (_before, made) => {
      const child = await made(async () =>
        idOf(await ctx.jobs.start(asked, { agent, version }, { parent: ctx.job.id })),
      );
      const probe = AgentProbe.schema.safeParse((await landed(ctx, child, "cancelled")).result).data;
      if (!probe) throw new Error("a probe landed without its result");
      if (!probe.answered)
        throw unprocessable(
          name === "probe"
            ? "The version did not answer the probe; its record says how it ended. Mend it and add a version."
            : "The version did not answer the smoke test; its record says how it ended. Mend it and add a version.",
          { names: [probe.id] },
        );
      const { id, answered, graded } = probe;
      return { probe: id, answered, ...(graded === undefined ? {} : { end: graded.end }) };
    },
    stands: async ({ probe, answered }) =>
      answered === true && probe !== undefined && (await ctx.store.records.get(AgentProbe, probe)) !== undefined,
  };
}

function building(ctx: JobCtx, { build, environments }: OnboardPlan): OnboardStage {
  return {
    name: "build",
    due: async () =>
      build === null
        ? { not_due: "The surface has environments already." }
        : { kind: "build", inputs: [build, environments] },
    make: async (_before, made) => {
      const child = await made(async () => idOf(await startPipeline(ctx, { surface: build ?? undefined })));
      const { result } = await landed(ctx, child, "cancelled");
      const drawn = (result as { environments?: readonly { id: string }[] }).environments ?? [];
      return { environments: drawn.map(({ id }) => id) };
    },
    // The pipeline skips by itself what is unchanged.
    stands: async () => false,
  };
}

function choosing(ctx: JobCtx, plan: OnboardPlan): OnboardStage {
  const places = (before: Outputs) => (plan.build === null ? plan.environments : (before.build?.environments ?? []));
  return {
    name: "tasks",
    due: async (before) => ({
      kind: "tasks",
      inputs: [
        plan.agent,
        plan.version,
        plan.tasks,
        plan.allow_cannot,
        await Promise.all(places(before).map((id) => termsOf(ctx, id))),
      ],
    }),
    make: async (before) => {
      const shared = [];
      const cannot: string[] = [];
      for (const id of places(before)) {
        const certified = (await environmentTasks(ctx, id)).filter((task) => counts(task, false));
        const unmet = await unmeetable(ctx, plan, id, certified);
        cannot.push(...unmet);
        const eligible = plan.allow_cannot ? certified : certified.filter((task) => !unmet.has(task.id));
        const tasks = plan.tasks === null ? eligible : sample(eligible, `smoke-${plan.tasks}`);
        if (tasks.length > 0) shared.push({ environment: id, tasks: tasks.map((task) => task.id) });
      }
      if (shared.length === 0)
        throw unprocessable(
          cannot.length > 0
            ? "No certified task can be met with this version's tools; set allow_cannot to run them all the same."
            : "No environment has a certified task to share; have tasks generated and reviewed.",
        );
      return { shared, cannot };
    },
    stands: always,
  };
}

/** What the tasks of an environment depend on: its drawn rows, its tools and its certified tasks. */
async function termsOf(ctx: Ctx, id: string) {
  const { base_blob, bundle } = await findEnvironment(ctx, id);
  const certified = (await environmentTasks(ctx, id)).filter((task) => counts(task, false));
  return [id, base_blob, bundle, certified.map((task) => [task.id, task.digest])];
}

/** Tasks at a time that are tried on changed tools. */
const BATCH = 8;

/** Tasks whose own script does not meet them with the tools of a surface agent's version, by record. */
async function unmeetable(
  ctx: Ctx,
  { agent, version }: OnboardPlan,
  id: string,
  tasks: readonly TaskDoc[],
): Promise<ReadonlySet<string>> {
  const { target } = findVersion(await findAgent(ctx, agent), version);
  if (target.kind !== "surface" || target.declared === undefined) return new Set();
  const environment = await findEnvironment(ctx, id);
  const drawn = await ctx.store.records.get(BundleRecord, environment.bundle);
  if (!drawn)
    throw conflict("The environment's bundle is gone; draw the environment again.", { by: "surface_world_redraw" });
  const { bundle } = await loadBundle(ctx, (await versionBundle(ctx, target, drawn)).id);
  const { base } = await loadEnvironment(ctx, environment);
  const unmet = new Set<string>();
  for (let at = 0; at < tasks.length; at += BATCH) {
    const batch = tasks.slice(at, at + BATCH);
    const reviews = await ctx.compute.run(
      reviewTasks,
      { bundle, base, tasks: batch.map(({ task }) => task) },
      ctx.signal,
    );
    for (const [i, { verdicts }] of reviews.entries())
      if (verdicts.some(({ name, passed }) => name === "solvable" && !passed)) unmet.add(batch[i]?.id ?? "");
  }
  return unmet;
}

/** `against` and `run`: one kind of stage, so that a version that was run as new is not run again as the last one. */
function running(ctx: JobCtx, { agent }: OnboardPlan, name: "against" | "run", version: string): OnboardStage {
  return {
    name,
    due: async ({ tasks }) => {
      const { target } = findVersion(await findAgent(ctx, agent), version);
      const shared = tasks?.shared ?? [];
      const docs = await ctx.store.records.getMany(
        TaskRecord,
        shared.flatMap((row) => row.tasks),
      );
      const terms = await Promise.all(
        shared.map(async ({ environment }) => {
          const { base_blob, bundle } = await findEnvironment(ctx, environment);
          return [environment, base_blob, bundle];
        }),
      );
      return { kind: "run", inputs: [agent, version, target, terms, docs.map(({ id, digest }) => [id, digest])] };
    },
    make: async ({ tasks }, made) => {
      const group = await made(async () => {
        const answer = await startRun(ctx, {
          agent,
          agent_version: version,
          tasks_by_environment: Object.fromEntries((tasks?.shared ?? []).map((row) => [row.environment, row.tasks])),
        });
        return (answer instanceof Reply ? answer.body : answer).group;
      });
      await untilEnded(ctx, group, "stopped");
      if (!(await groupLanded(ctx, group)))
        throw unprocessable("The run of a version did not land; its group says why.", {
          names: [group],
        });
      const { met, failed } = await tallyOf(
        ctx,
        (await findGroup(ctx, group)).runs.map(({ run }) => run),
      );
      return { group, met, valid: met + failed };
    },
    stands: async ({ group }) => group !== undefined && (await groupLanded(ctx, group).catch(() => false)),
  };
}

async function groupLanded(ctx: Ctx, id: string): Promise<boolean> {
  return (await groupState(ctx, await findGroup(ctx, id))).status === "landed";
}

async function compared(ctx: Ctx, { against, run }: Outputs): Promise<StageOutput> {
  const [a, b, bands] = await Promise.all([
    groupData(ctx, against?.group ?? ""),
    groupData(ctx, run?.group ?? ""),
    confidenceBands(ctx),
  ]);
  const { verdict, confidence, worse, cannot_tell: untold } = compareGroups(a, b, bands);
  return {
    verdict,
    ...(untold === undefined ? { confidence } : {}),
    ...(worse === undefined ? {} : { worse }),
  };
}

const idOf = ({ job }: Pick<JobHandle, "job">): string => job;

/** A child job's row once it has landed; any other end is this one's own, with what to look at. */
async function landed(ctx: JobCtx, child: string, how: "stopped" | "cancelled") {
  const row = await untilEnded(ctx, child, how);
  if (row.status === "landed") return row;
  const why = row.note ?? `it is ${row.status}, and details name it.`;
  throw unprocessable(`A job that the onboarding waited for did not land: ${why}`, { names: [child] });
}

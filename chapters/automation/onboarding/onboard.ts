import { z } from "zod";
import { Declarations } from "../../../worlds/declare.ts";
import { versionLabel } from "../../agents/fields.ts";
import { startable } from "../../agents/versions/ready-version.ts";
import { addSurfaceVersion } from "../../agents/versions/surface-versions.ts";
import { newestVersion } from "../../agents/versions/versions.ts";
import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { badField, conflict } from "../../errors.ts";
import { byField, orgRef, recordId, words } from "../../fields.ts";
import { type AgentDoc, findAgent, findVersion, type VersionDoc } from "../../find-agent.ts";
import { certifiedTasks } from "../../ontology/live-tasks.ts";
import { everyRow } from "../../page.ts";
import { VersionOrigin } from "../../records/agents/agents.ts";
import { STAGES } from "../../records/agents/onboarding.ts";
import { DEFAULT_SURFACE } from "../../records/evidence/evidence.ts";
import { RunGroup } from "../../records/runs/runs.ts";
import { Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { groupState } from "../../runs/groups/group-data.ts";
import { liveEnvironment } from "../../sandboxes/environments/environment-records.ts";
import { declaresAnything } from "../../sandboxes/surfaces/declare-bundle.ts";
import { surfaceEvidence } from "../../sandboxes/surfaces/surface-evidence.ts";
import { findSurface, liveSurface, surfaceNamed } from "../../sandboxes/surfaces/surfaces.ts";
import { onboardingOf, onboardJob } from "./onboard-job.ts";

/** What a version is onboarded with; the declarations are a surface agent's. */
export const OnboardRequest = z.object({
  ...orgRef,
  aid: recordId("agent, or its name"),
  version: versionLabel
    .optional()
    .describe("The version to onboard (default: the newest); the label of declared tools."),
  against: versionLabel
    .optional()
    .describe("The version to compare with: by default main, else the last one that ran."),
  surface: words(200).optional().describe("Whose tasks are run; by default those of the last version, else all."),
  tasks: z
    .number()
    .int()
    .min(1)
    .max(2_000)
    .optional()
    .describe("Tasks per environment, over all families in turn; all certified when absent."),
  environments: z.array(words(200)).min(1).max(50).optional().describe("Whose tasks are run, by id."),
  allow_cannot: z
    .boolean()
    .optional()
    .describe("Also tasks that no one can meet with the version's tools; off when absent."),
  ...Declarations.shape,
  origin: VersionOrigin.optional().describe("Where the declared tools come from."),
  ...byField,
});
export type OnboardRequest = z.output<typeof OnboardRequest>;

/**
 * Starts the one job from a connected version to its run beside the last one's on shared tasks, or answers the one that
 * runs. What is declared over a surface agent's tools is checked whole first and becomes a version of its own.
 */
export async function startOnboard(ctx: Ctx, input: OnboardRequest) {
  const { agent, version } = await versionFor(ctx, await findAgent(ctx, input.aid), input);
  const against = await versionBefore(ctx, agent, version, input.against);
  const { environments, build } = await taskSourcesFor(ctx, agent, version, against, input);
  const handle = await ctx.jobs.start(onboardJob, {
    agent: agent.id,
    version: version.version,
    against: against?.version ?? null,
    environments,
    build,
    tasks: input.tasks ?? null,
    allow_cannot: input.allow_cannot ?? false,
  });
  if (!handle.deduplicated)
    await auditAct(ctx, "agent_onboarded", { agent: agent.id, version: version.version, job: handle.job }, input.by);
  return {
    ...handle,
    agent: agent.id,
    version: version.version,
    against: against?.version ?? null,
    onboarding: onboardingOf(handle.job),
    environments,
    stages: [...STAGES],
    note: noteOf(against, build),
  };
}

function noteOf(against: VersionDoc | undefined, build: string | null): string {
  const first = build === null ? "" : "The surface is built first. ";
  return against === undefined
    ? `${first}No version was connected before this one: it is run alone.`
    : `${first}Both versions are run on the same tasks and compared; stages whose inputs are unchanged are not made again.`;
}

/** The version to onboard: the one named, the newest, or a new one of what is declared. */
async function versionFor(
  ctx: Ctx,
  agent: AgentDoc,
  input: OnboardRequest,
): Promise<{ agent: AgentDoc; version: VersionDoc }> {
  const declared: Declarations = Object.fromEntries(
    Object.entries(input).filter(([name, given]) => Object.hasOwn(Declarations.shape, name) && given !== undefined),
  );
  if (!declaresAnything(declared)) {
    if (input.origin !== undefined)
      throw badField("origin", "is taken only with tools that are declared in the same call");
    return { agent, version: startable(ctx, agent, input.version) };
  }
  const { target } = newestVersion(agent);
  if (target.kind !== "surface") throw badField(Object.keys(declared)[0] ?? "added_tools", "belongs to surface agents");
  const origin = input.origin ?? { kind: "declared" as const };
  return addSurfaceVersion(ctx, agent, { declared, origin, label: input.version, by: input.by });
}

/**
 * The version to compare with: the one named; for a surface agent its main; else the one of the newest landed run by another
 * version, else the newest that was recorded before. Undefined where there is none.
 */
async function versionBefore(
  ctx: Ctx,
  agent: AgentDoc,
  { version }: VersionDoc,
  named: string | undefined,
): Promise<VersionDoc | undefined> {
  if (named !== undefined) {
    if (named === version) throw badField("against", "is the version that is onboarded");
    return startable(ctx, agent, named);
  }
  const others = agent.versions.filter((row) => row.version !== version && row.retired_at === undefined);
  if (agent.agent_kind === "surface") {
    const connected = others.find(({ target }) => target.kind === "surface" && target.declared === undefined);
    return others.find((row) => row.version === agent.main) ?? connected;
  }
  const where = { agent: agent.id };
  for await (const group of everyRow((page) => ctx.store.records.list(RunGroup, { ...page, where }))) {
    const ran = others.find((row) => row.version === group.player.version);
    if (ran && (await groupState(ctx, group)).status === "landed") return ran;
  }
  const at = agent.versions.findIndex((row) => row.version === version);
  return agent.versions.slice(0, at).findLast((row) => row.retired_at === undefined);
}

interface TaskSources {
  readonly environments: string[];
  /** The surface to build first, by name. */
  readonly build: string | null;
}

/** Where the tasks are: the environments named, those of a surface, those that the last version ran on, else every live one. */
async function taskSourcesFor(
  ctx: Ctx,
  agent: AgentDoc,
  version: VersionDoc,
  against: VersionDoc | undefined,
  input: OnboardRequest,
): Promise<TaskSources> {
  const { target } = findVersion(agent, version.version);
  const of = target.kind === "surface" ? target.surface : undefined;
  if (input.environments !== undefined) {
    const found = await Promise.all(input.environments.map((id) => liveEnvironment(ctx, id)));
    if (of !== undefined && found.some(({ surface }) => surface !== of))
      throw badField("environments", "has one of another surface than the agent's");
    return { environments: [...new Set(found.map(({ id }) => id))], build: null };
  }
  if (of !== undefined && input.surface !== undefined && (await findSurface(ctx, input.surface)).id !== of)
    throw badField("surface", "is another than the agent's own");
  const ref = of ?? input.surface;
  const known = ref === undefined ? undefined : await surfaceById(ctx, ref);
  if (known) liveSurface(known);
  const standing = ref === undefined ? await environmentsOfLastGroup(ctx, agent, against) : [];
  const environments =
    standing.length > 0 ? standing : await withTasks(ctx, ref === undefined ? undefined : (known?.id ?? ""));
  if (environments.length > 0) return { environments, build: null };
  const build = known?.name ?? ref ?? DEFAULT_SURFACE;
  if ((await surfaceEvidence(ctx, build)).length === 0)
    throw conflict(
      "There is no environment with a certified task, and no evidence to build one from; send evidence first.",
      { by: "evidence_post" },
    );
  return { environments: [], build };
}

async function surfaceById(ctx: Ctx, ref: string) {
  return (await ctx.store.records.get(Surface, ref)) ?? (await surfaceNamed(ctx, ref));
}

/** The environments of the newest group of a version, as far as they stand. */
async function environmentsOfLastGroup(ctx: Ctx, agent: AgentDoc, against: VersionDoc | undefined): Promise<string[]> {
  const where = { agent: agent.id };
  for await (const group of everyRow((page) => ctx.store.records.list(RunGroup, { ...page, where }))) {
    if (group.player.version !== against?.version) continue;
    const rows = await ctx.store.records.getMany(
      Environment,
      group.runs.map(({ environment }) => environment),
    );
    return rows.filter((row) => row.retired_at === undefined).map(({ id }) => id);
  }
  return [];
}

/** Live environments that have a certified task, of a surface where one is given; retired surfaces are left alone. */
async function withTasks(ctx: Ctx, surface: string | undefined): Promise<string[]> {
  const tasked = new Set<string>();
  for await (const { environment } of certifiedTasks(ctx)) tasked.add(environment);
  const rows = await ctx.store.records.getMany(Environment, [...tasked]);
  const surfaces = await ctx.store.records.getMany(Surface, [...new Set(rows.map((row) => row.surface))]);
  const live = new Set(surfaces.filter((row) => row.retired_at === undefined).map(({ id }) => id));
  return rows
    .filter((row) => (surface === undefined || row.surface === surface) && live.has(row.surface))
    .map(({ id }) => id);
}

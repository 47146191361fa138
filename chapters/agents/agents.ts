import { auditAct } from "../audit.ts";
import { allows } from "../caller.ts";
import { actor, type Ctx } from "../context.ts";
import { AppError, badField } from "../errors.ts";
import type { PageInput } from "../page.ts";
import { RunGroup } from "../runs/schema.ts";
import { Agent, type AgentTarget } from "./schema.ts";
import { type AgentDoc, findAgent, findVersion, sealTarget, type VersionDoc } from "./targets.ts";
import { agentView, harnessViews, isHarness, versionView } from "./views.ts";

type Adapter = AgentTarget["adapter"];

/** What names a way to reach an agent, as callers give it. */
export interface TargetInput {
  readonly command?: string | readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly adapter?: Adapter | undefined;
  readonly token_env?: string | undefined;
}

/** Connected agents, newest first, then the built-in harnesses on the last page. Retired ones only when asked for. */
export async function listAgents(ctx: Ctx, input: PageInput & { readonly retired?: boolean | undefined }) {
  const page = await ctx.store.records.list(Agent, input);
  const shown = page.items.filter((agent) => input.retired === true || agent.retired_at === undefined);
  const agents = shown.map((agent) => agentView(agent, ctx.settings.commandsAllowed));
  return {
    agents: page.next === undefined ? [...agents, ...harnessViews()] : agents,
    as_of: ctx.now(),
    behind: 0,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

/** An agent with its versions and the newest groups it ran. */
export async function getAgent(ctx: Ctx, input: { readonly aid: string }) {
  const agent = await findAgent(ctx, input.aid);
  const groups = await ctx.store.records.list(RunGroup, { where: { agent: agent.id }, limit: 50 });
  return {
    agent: agentView(agent, ctx.settings.commandsAllowed),
    groups: groups.items.map(({ id, created_at, player, trials, runs }) => ({
      group: id,
      created_at,
      version: player.version,
      trials,
      environments: runs.map((run) => run.environment),
    })),
    trace_store: null,
  };
}

interface ConnectInput extends TargetInput {
  readonly kind: "command" | "http";
  readonly name: string;
  readonly version?: string | undefined;
  readonly model?: string | undefined;
  readonly notes?: string | undefined;
  readonly by?: string | undefined;
}

/** Connects an agent with its first version. Nothing is run yet, so no job is started. */
export async function connectAgent(ctx: Ctx, input: ConnectInput) {
  if (isHarness(input.name)) throw badField("name", "is the name of a built-in harness");
  const { items } = await ctx.store.records.list(Agent, { where: { name: input.name }, limit: 1 });
  if (items.length > 0)
    throw new AppError("conflict", "An agent of this name is connected already; add a version to it.");
  const by = actor(ctx, input.by);
  const agent: AgentDoc = {
    id: ctx.id("ag"),
    created_at: ctx.now(),
    by,
    name: input.name,
    agent_kind: input.kind,
    ...(input.model === undefined ? {} : { model: input.model }),
    ...(input.notes === undefined ? {} : { notes: input.notes }),
    primary: false,
    versions: [newVersion(ctx, input.version ?? "1", targetOf(ctx, input.kind, input), by)],
  };
  await ctx.store.records.insert(Agent, agent);
  await auditAct(ctx, "agent_connected", { agent: agent.id, kind: input.kind }, by);
  return { agent: agentView(agent, ctx.settings.commandsAllowed), job: null };
}

interface ChangeInput extends TargetInput {
  readonly aid: string;
  readonly name?: string | undefined;
  readonly model?: string | undefined;
  readonly notes?: string | undefined;
  readonly version?: string | undefined;
  readonly by?: string | undefined;
}

/** Changes what an agent is called or said to be; a new way to reach it, or a new label, becomes a new version. */
export async function changeAgent(ctx: Ctx, input: ChangeInput) {
  const agent = await findAgent(ctx, input.aid);
  const { name, model, notes } = input;
  if (name !== undefined && name !== agent.name) {
    if (isHarness(name)) throw badField("name", "is the name of a built-in harness");
    const taken = await ctx.store.records.list(Agent, { where: { name }, limit: 1 });
    if (taken.items.length > 0) throw new AppError("conflict", "Another agent of the org has this name.");
  }
  const changed = await changeDoc(ctx, agent.id, (doc) => {
    const renamed = {
      ...doc,
      ...(name === undefined ? {} : { name }),
      ...(model === undefined ? {} : { model }),
      ...(notes === undefined ? {} : { notes }),
    };
    const reaches = hasTarget(input) || input.version !== undefined;
    return reaches ? withVersion(ctx, renamed, input, input.version) : renamed;
  });
  return agentView(changed, ctx.settings.commandsAllowed);
}

interface VersionInput extends TargetInput {
  readonly aid: string;
  readonly version: string;
  readonly notes?: string | undefined;
  readonly by?: string | undefined;
}

/** Adds a version: what is not given stays as in the newest one. */
export async function addVersion(ctx: Ctx, input: VersionInput) {
  const agent = await findAgent(ctx, input.aid);
  const changed = await changeDoc(ctx, agent.id, (doc) => withVersion(ctx, doc, input, input.version));
  return {
    agent: agentView(changed, ctx.settings.commandsAllowed),
    version: versionView(changed.versions[changed.versions.length - 1] as VersionDoc),
  };
}

/** Retires or restores a version; retiring twice keeps the first mark. */
export async function markVersion(
  ctx: Ctx,
  input: { readonly aid: string; readonly version: string; readonly retired: boolean },
) {
  const agent = await findAgent(ctx, input.aid);
  const { version } = findVersion(agent, input.version);
  const changed = await changeDoc(ctx, agent.id, (doc) => ({
    ...doc,
    versions: doc.versions.map((row) => (row.version === version ? marked(row, input.retired, ctx.now()) : row)),
  }));
  return versionView(findVersion(changed, version));
}

/** Takes an agent off the lists or puts it back; what it ran stays. */
export async function retireAgent(
  ctx: Ctx,
  input: { readonly aid: string; readonly retired: boolean; readonly by?: string | undefined },
) {
  const agent = await findAgent(ctx, input.aid);
  const changed = await changeDoc(ctx, agent.id, (doc) => marked(doc, input.retired, ctx.now()));
  const act = input.retired ? "agent_retired" : "agent_restored";
  await auditAct(ctx, act, { agent: agent.id }, input.by);
  return { agent: agentView(changed, ctx.settings.commandsAllowed), kept: await kept(ctx, agent.id) };
}

/** Removes an agent with its sealed values. Its groups stay with the names they were run under. */
export async function deleteAgent(ctx: Ctx, input: { readonly aid: string }) {
  const agent = await findAgent(ctx, input.aid);
  const stays = await kept(ctx, agent.id);
  await ctx.store.records.delete(Agent, agent.id);
  await auditAct(ctx, "agent_deleted", { agent: agent.id });
  return { deleted: agent.id, kept: stays };
}

/** Makes an agent the org's primary one; the one before it no longer is. */
export async function makePrimary(ctx: Ctx, input: { readonly aid: string; readonly by?: string | undefined }) {
  if (isHarness(input.aid)) throw new AppError("conflict", "A built-in harness cannot be made primary.");
  const agent = await findAgent(ctx, input.aid);
  if (agent.retired_at !== undefined)
    throw new AppError("conflict", "A retired agent cannot be made primary; restore it.");
  const before = await ctx.store.records.list(Agent, { where: { primary: true }, limit: 500 });
  for (const other of before.items)
    if (other.id !== agent.id) await changeDoc(ctx, other.id, (doc) => ({ ...doc, primary: false }));
  const changed = await changeDoc(ctx, agent.id, (doc) => ({ ...doc, primary: true }));
  await auditAct(ctx, "agent_primary", { agent: agent.id }, input.by);
  return { primary_agent: agentView(changed, ctx.settings.commandsAllowed) };
}

/** The org's primary agent, if it has one that is not retired. */
export async function primaryAgent(ctx: Ctx): Promise<AgentDoc | undefined> {
  const { items } = await ctx.store.records.list(Agent, { where: { primary: true }, limit: 1 });
  return items.find((agent) => agent.retired_at === undefined);
}

function hasTarget(input: TargetInput): boolean {
  const { command, cwd, url, headers, env, adapter, token_env } = input;
  return [command, cwd, url, headers, env, adapter, token_env].some((value) => value !== undefined);
}

function targetOf(ctx: Ctx, kind: "command" | "http", input: TargetInput): AgentTarget {
  // The org's values were set by an admin: to have one sent somewhere is an admin's act too.
  if (input.token_env !== undefined && !allows(ctx.caller.scope, "admin"))
    throw new AppError(
      "forbidden",
      "Naming an environment value of the org with token_env needs a token of scope admin.",
    );
  const token = input.token_env === undefined ? {} : { token_env: input.token_env };
  const adapter = input.adapter ?? "svc";
  if (kind === "http") {
    if (input.url === undefined) throw badField("url", "an http agent needs the URL it is called at");
    for (const field of ["command", "cwd", "env"] as const)
      if (input[field] !== undefined) throw badField(field, "belongs to command agents");
    const { url } = input;
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw badField("url", "is not an http or https URL");
    return sealTarget(ctx, { kind, url, headers: { ...input.headers }, adapter, ...token });
  }
  if (input.command === undefined) throw badField("command", "a command agent needs the command that starts it");
  for (const field of ["url", "headers"] as const)
    if (input[field] !== undefined) throw badField(field, "belongs to http agents");
  if (adapter === "openai-chat") throw badField("adapter", "openai-chat is spoken over http only");
  // A single string is a shell's business: quoting, pipes and variables work as its writer expects.
  const command = typeof input.command === "string" ? ["/bin/sh", "-c", input.command] : [...input.command];
  const cwd = input.cwd === undefined ? {} : { cwd: input.cwd };
  return sealTarget(ctx, { kind, command, ...cwd, env: { ...input.env }, adapter, ...token });
}

function newVersion(ctx: Ctx, version: string, target: AgentTarget, by: string, notes?: string): VersionDoc {
  return { version, target, created_at: ctx.now(), by, ...(notes === undefined ? {} : { notes }) };
}

function withVersion(
  ctx: Ctx,
  agent: AgentDoc,
  input: TargetInput & { readonly notes?: string | undefined; readonly by?: string | undefined },
  label: string | undefined,
): AgentDoc {
  const newest = agent.versions.at(-1);
  if (!newest) throw new Error("an agent has no version");
  const version = label ?? nextLabel(agent);
  if (agent.versions.some((row) => row.version === version)) {
    throw new AppError("conflict", "The agent has a version of this name already; versions never change.");
  }
  const target = hasTarget(input) ? changedTarget(ctx, newest.target, input) : newest.target;
  const added = newVersion(ctx, version, target, actor(ctx, input.by), input.notes);
  return { ...agent, versions: [...agent.versions, added] };
}

/** The newest target with what was given in its place; sealed values that were not given stay as they are. */
function changedTarget(ctx: Ctx, was: AgentTarget, input: TargetInput): AgentTarget {
  const adapter = input.adapter ?? was.adapter;
  const token_env = input.token_env ?? was.token_env;
  if (was.kind === "command") {
    const made = targetOf(ctx, "command", {
      ...input,
      command: input.command ?? was.command,
      cwd: input.cwd ?? was.cwd,
      adapter,
      token_env,
    });
    // Sealed values were given to one command: whoever names another does not get them.
    const other =
      input.command !== undefined &&
      JSON.stringify(made.kind === "command" && made.command) !== JSON.stringify(was.command);
    if (other && input.env === undefined && Object.keys(was.env).length > 0)
      throw badField("env", "give the environment again: what is stored was given to another command");
    return input.env === undefined && made.kind === "command" ? { ...made, env: was.env } : made;
  }
  const made = targetOf(ctx, "http", { ...input, url: input.url ?? was.url, adapter, token_env });
  // Sealed values were given for one address: whoever names another does not get them sent there.
  const elsewhere = made.kind === "http" && new URL(made.url).origin !== new URL(was.url).origin;
  if (elsewhere && input.headers === undefined && Object.keys(was.headers).length > 0)
    throw badField("headers", "give the headers again: those stored were given for another address");
  return input.headers === undefined && made.kind === "http" ? { ...made, headers: was.headers } : made;
}

function nextLabel(agent: AgentDoc): string {
  let n = agent.versions.length + 1;
  while (agent.versions.some((row) => row.version === String(n))) n += 1;
  return String(n);
}

async function changeDoc(ctx: Ctx, id: string, change: (doc: AgentDoc) => AgentDoc): Promise<AgentDoc> {
  const changed = await ctx.store.records.update(Agent, id, change);
  if (!changed) throw new AppError("conflict", "The agent was removed meanwhile.");
  return changed;
}

function marked<T extends { readonly retired_at?: number | undefined }>(row: T, retired: boolean, now: number): T {
  if (retired) return row.retired_at === undefined ? { ...row, retired_at: now } : row;
  const { retired_at: _was, ...rest } = row;
  return rest as T;
}

async function kept(ctx: Ctx, agent: string) {
  return { groups: await ctx.store.records.count(RunGroup, { agent }) };
}

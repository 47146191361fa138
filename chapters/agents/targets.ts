import { allows } from "../caller.ts";
import type { Ctx } from "../context.ts";
import { AppError, badField, notFound } from "../errors.ts";
import { type Doc, idOfValue } from "../record.ts";
import { Agent, AgentEnv, AgentSecret, type AgentTarget, type OpenTarget } from "./schema.ts";

/** An agent as stored. */
export type AgentDoc = Doc<typeof Agent>;
/** A version as stored: of its secrets only the names. */
export type VersionDoc = AgentDoc["versions"][number];

/** What names a way to reach an agent, as callers give it. */
export interface TargetInput {
  readonly command?: string | readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly adapter?: AgentTarget["adapter"] | undefined;
  readonly token_env?: string | undefined;
}

/** A target to store, with where its values come from: given now, or those of the version before. */
export interface NewTarget {
  readonly target: AgentTarget;
  readonly values: Readonly<Record<string, string>> | "as before";
}

/** An agent of this org by id or by name. Unknown and another org's are the same 404. */
export async function findAgent(ctx: Ctx, idOrName: string): Promise<AgentDoc> {
  const byId = await ctx.store.records.get(Agent, idOrName);
  if (byId) return byId;
  const { items } = await ctx.store.records.list(Agent, { where: { name: idOrName }, limit: 1 });
  if (!items[0]) throw notFound("agent");
  return items[0];
}

/** A version by its name, or the newest one that is not retired. */
export function findVersion(agent: AgentDoc, version: string | undefined): VersionDoc {
  const found =
    version === undefined
      ? agent.versions.findLast((row) => row.retired_at === undefined)
      : agent.versions.find((row) => row.version === version);
  if (!found) {
    throw version === undefined
      ? new AppError("conflict", "Every version of this agent is retired; restore one or name one.")
      : notFound("agent version");
  }
  return found;
}

/** Whether anything of a way to reach an agent is given. */
export function hasTarget(input: TargetInput): boolean {
  const { command, cwd, url, headers, env, adapter, token_env } = input;
  return [command, cwd, url, headers, env, adapter, token_env].some((value) => value !== undefined);
}

/** The target that the input describes; what is missing or belongs to the other kind is refused by its name. */
export function newTarget(ctx: Ctx, kind: "command" | "http", input: TargetInput): NewTarget {
  // The org's values were set by an admin: to have one sent somewhere is an admin's act too.
  if (input.token_env !== undefined && !allows(ctx.caller.scope, "admin"))
    throw new AppError(
      "forbidden",
      "Naming an environment value of the org with token_env needs a token of scope admin.",
    );
  const reached = {
    adapter: input.adapter ?? "svc",
    ...(input.token_env === undefined ? {} : { token_env: input.token_env }),
  };
  if (kind === "http") {
    const { url, headers = {} } = input;
    if (url === undefined) throw badField("url", "an http agent needs the URL it is called at");
    for (const field of ["command", "cwd", "env"] as const)
      if (input[field] !== undefined) throw badField(field, "belongs to command agents");
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw badField("url", "is not an http or https URL");
    return { target: { kind, url, headers: Object.keys(headers).sort(), ...reached }, values: headers };
  }
  const { cwd, env = {} } = input;
  if (input.command === undefined) throw badField("command", "a command agent needs the command that starts it");
  for (const field of ["url", "headers"] as const)
    if (input[field] !== undefined) throw badField(field, "belongs to http agents");
  if (reached.adapter === "openai-chat") throw badField("adapter", "openai-chat is spoken over http only");
  // A single string is a shell's business: quoting, pipes and variables work as its writer expects.
  const command = typeof input.command === "string" ? ["/bin/sh", "-c", input.command] : [...input.command];
  return {
    target: { kind, command, ...(cwd === undefined ? {} : { cwd }), env: Object.keys(env).sort(), ...reached },
    values: env,
  };
}

/** The newest target with what was given in its place; values that were not given stay as they are. */
export function changedTarget(ctx: Ctx, was: AgentTarget, input: TargetInput): NewTarget {
  const kept = { adapter: input.adapter ?? was.adapter, token_env: input.token_env ?? was.token_env };
  if (was.kind === "command") {
    const { command = was.command, cwd = was.cwd } = input;
    const made = newTarget(ctx, "command", { ...input, ...kept, command, cwd });
    if (input.env !== undefined || made.target.kind !== "command") return made;
    // The values were given to one command: whoever names another does not get them.
    if (was.env.length > 0 && JSON.stringify(made.target.command) !== JSON.stringify(was.command))
      throw badField("env", "give the environment again: what is stored was given to another command");
    return { target: { ...made.target, env: was.env }, values: "as before" };
  }
  const made = newTarget(ctx, "http", { ...input, ...kept, url: input.url ?? was.url });
  if (input.headers !== undefined || made.target.kind !== "http") return made;
  // The values were given for one address: whoever names another does not get them sent there.
  if (was.headers.length > 0 && new URL(made.target.url).origin !== new URL(was.url).origin)
    throw badField("headers", "give the headers again: those stored were given for another address");
  return { target: { ...made.target, headers: was.headers }, values: "as before" };
}

/** A version's target with its secrets opened, for launching only. A value that is not here is a conflict naming it. */
export async function openTarget(ctx: Ctx, agentId: string, named: string): Promise<OpenTarget> {
  const agent = await findAgent(ctx, agentId);
  const { target, version } = findVersion(agent, named);
  const names = target.kind === "command" ? target.env : target.headers;
  const sealed = names.length === 0 ? {} : await sealedValues(ctx, agent.id, version);
  const missing = names.filter((name) => sealed[name] === undefined);
  if (missing.length > 0)
    throw new AppError(
      "conflict",
      "Values of this version were not copied with the org; add a version that has them.",
      {
        names: missing,
      },
    );
  const values = Object.fromEntries(names.map((name) => [name, ctx.sealer.open(sealed[name] ?? "")]));
  const token = target.token_env === undefined ? undefined : await namedValue(ctx, target.token_env);
  if (target.kind === "command")
    return { ...target, env: { ...values, ...(token ? { [token.name]: token.value } : {}) } };
  return { ...target, headers: { ...values, ...(token ? { authorization: `Bearer ${token.value}` } : {}) } };
}

/** The sealed values of a version by name; none when it has none. */
export async function sealedValues(
  ctx: Ctx,
  agent: string,
  version: string,
): Promise<Readonly<Record<string, string>>> {
  return (await ctx.store.records.get(AgentSecret, idOfValue(AgentSecret, agent, version)))?.sealed ?? {};
}

async function namedValue(ctx: Ctx, name: string): Promise<{ name: string; value: string }> {
  const { items } = await ctx.store.records.list(AgentEnv, { where: { name }, limit: 1 });
  const [row] = items;
  if (!row) {
    throw new AppError("conflict", "The agent needs an environment value that is not set; set it with agent_env_put.", {
      names: [name],
    });
  }
  return { name, value: ctx.sealer.open(row.sealed) };
}

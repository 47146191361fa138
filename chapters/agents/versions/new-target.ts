import type { z } from "zod";
import { allows } from "../../caller.ts";
import type { Ctx } from "../../context.ts";
import { badField, forbidden } from "../../errors.ts";
import type { AgentTarget, SurfaceHarness } from "../../records/agents/agents.ts";

/** What names a way to reach an agent, as callers give it. */
export interface TargetInput {
  readonly command?: string | readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly adapter?: Reached["adapter"] | undefined;
  readonly token_env?: string | undefined;
  /** Of a repository: the ref, what sets it up, what runs it, what a trial may reach. */
  readonly ref?: string | undefined;
  readonly setup?: string | undefined;
  readonly run?: string | readonly string[] | undefined;
  readonly egress?: readonly string[] | undefined;
  /** Of a surface: its id or name, and what drives it. */
  readonly surface?: string | undefined;
  readonly harness?: z.infer<typeof SurfaceHarness> | undefined;
}

/** What a target's outside says of it, found out before it is stored: a ref's commit, a surface's id. */
export interface Resolved {
  readonly commit?: {
    readonly sha: string;
    readonly ref: string;
    /** The branch, where the ref is one or a pull request from one. */
    readonly branch?: string | undefined;
    readonly repo?: string | undefined;
  };
  readonly surface?: { readonly id: string; readonly model?: string | undefined };
  /** Blob of what is declared over a surface's tools. */
  readonly declared?: string | undefined;
}

/** A target to store, with where its values come from: given now, or those of the version before. */
export interface NewTarget {
  readonly target: AgentTarget;
  readonly values: Readonly<Record<string, string>> | "as before";
}

type Reached = Extract<AgentTarget, { kind: "command" }>;
type Kind = AgentTarget["kind"];

/** Which fields belong to which kind: a field of another kind is refused by its name. */
const FIELDS: Readonly<Record<Kind, readonly (keyof TargetInput)[]>> = {
  command: ["command", "cwd", "env", "adapter", "token_env"],
  http: ["url", "headers", "adapter", "token_env"],
  repository: ["url", "ref", "setup", "run", "egress", "env", "adapter", "token_env"],
  surface: ["surface", "harness"],
};
const EVERY = [...new Set(Object.values(FIELDS).flat())];

/** Whether anything of a way to reach an agent is given. */
export function hasTarget(input: TargetInput): boolean {
  return EVERY.some((field) => input[field] !== undefined);
}

/** The target that the input describes; what is missing or belongs to another kind is refused by its name. */
export function newTarget(ctx: Ctx, kind: Kind, input: TargetInput, resolved: Resolved = {}): NewTarget {
  // The org's values were set by an admin: to have one sent somewhere is an admin's act too.
  if (input.token_env !== undefined && !allows(ctx.caller.scope, "admin"))
    throw forbidden("Naming an environment value of the org with token_env needs a token of scope admin.");
  for (const field of EVERY)
    if (input[field] !== undefined && !FIELDS[kind].includes(field)) throw badField(field, belongsTo(field));
  return MADE[kind](input, resolved);
}

function belongsTo(field: keyof TargetInput): string {
  const kinds = (Object.keys(FIELDS) as Kind[]).filter((kind) => FIELDS[kind].includes(field));
  return `belongs to ${kinds.join(" and ")} agents`;
}

const MADE: Readonly<Record<Kind, (input: TargetInput, resolved: Resolved) => NewTarget>> = {
  command: commandTarget,
  http: httpTarget,
  repository: repositoryTarget,
  surface: surfaceTarget,
};

function reachedBy(input: TargetInput) {
  return {
    adapter: input.adapter ?? ("svc" as const),
    ...(input.token_env === undefined ? {} : { token_env: input.token_env }),
  };
}

/** A single string is a shell's business: quoting, pipes and variables work as its writer expects. */
function commandOf(given: string | readonly string[]): string[] {
  return typeof given === "string" ? ["/bin/sh", "-c", given] : [...given];
}

function commandTarget(input: TargetInput): NewTarget {
  const { cwd, env = {} } = input;
  if (input.command === undefined) throw badField("command", "a command agent needs the command that starts it");
  if (input.adapter === "openai-chat") throw badField("adapter", "openai-chat is spoken over http only");
  const command = commandOf(input.command);
  const names = Object.keys(env).sort();
  const target = { kind: "command" as const, command, ...(cwd === undefined ? {} : { cwd }), env: names };
  return { target: { ...target, ...reachedBy(input) }, values: env };
}

function httpTarget(input: TargetInput): NewTarget {
  const { url, headers = {} } = input;
  if (url === undefined) throw badField("url", "an http agent needs the URL it is called at");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw badField("url", "is not an http or https URL");
  const target = { kind: "http" as const, url, headers: Object.keys(headers).sort(), ...reachedBy(input) };
  return { target, values: headers };
}

function repositoryTarget(input: TargetInput, { commit }: Resolved): NewTarget {
  const { url, setup, run, egress = [], env = {} } = input;
  if (url === undefined) throw badField("url", "a repository agent needs the repository's address");
  if (input.adapter === "openai-chat") throw badField("adapter", "openai-chat is spoken over http only");
  if (!commit) throw new Error("a repository's commit was not found out");
  return {
    target: {
      kind: "repository",
      url,
      ...(commit.repo === undefined ? {} : { repo: commit.repo }),
      ref: commit.ref,
      sha: commit.sha,
      ...(setup === undefined ? {} : { setup }),
      ...(run === undefined ? {} : { command: commandOf(run) }),
      egress: [...egress],
      env: Object.keys(env).sort(),
      ...reachedBy(input),
    },
    values: env,
  };
}

function surfaceTarget(input: TargetInput, { surface, declared }: Resolved): NewTarget {
  if (!surface) throw badField("surface", "a surface agent needs the surface whose tools are under test");
  const { harness = "rule" } = input;
  return {
    target: {
      kind: "surface",
      surface: surface.id,
      harness,
      ...(harness === "react" && surface.model !== undefined ? { model: surface.model } : {}),
      ...(declared === undefined ? {} : { declared }),
    },
    values: {},
  };
}

/** The newest target with what was given in its place; values that were not given stay as they are. */
export function changedTarget(ctx: Ctx, was: AgentTarget, input: TargetInput, resolved: Resolved = {}): NewTarget {
  switch (was.kind) {
    case "command": {
      const { command = was.command, cwd = was.cwd } = input;
      const made = newTarget(ctx, "command", { ...input, ...reachedAsBefore(was, input), command, cwd });
      const same = made.target.kind === "command" && sameJson(made.target.command, was.command);
      return withValues(
        made,
        was.env,
        input.env,
        same,
        "give the environment again: what is stored was given to another command",
      );
    }
    case "http": {
      const made = newTarget(ctx, "http", { ...input, ...reachedAsBefore(was, input), url: input.url ?? was.url });
      const same = made.target.kind === "http" && new URL(made.target.url).origin === new URL(was.url).origin;
      return withValues(
        made,
        was.headers,
        input.headers,
        same,
        "give the headers again: those stored were given for another address",
      );
    }
    case "repository": {
      const { url = was.url, setup = was.setup, run = was.command, egress = was.egress } = input;
      const all = { ...input, ...reachedAsBefore(was, input), url, setup, run, egress };
      const kept = { sha: was.sha, ref: was.ref, repo: was.repo };
      const made = newTarget(ctx, "repository", all, { commit: resolved.commit ?? kept });
      const now = made.target.kind === "repository" ? [url, setup, made.target.command] : [];
      // A command that was missing is no other one.
      const same = sameJson(now, [was.url, was.setup, was.command ?? now[2]]);
      return withValues(
        made,
        was.env,
        input.env,
        same,
        "give the environment again: what is stored was given to another command",
      );
    }
    case "surface": {
      const made = newTarget(
        ctx,
        "surface",
        { ...input, harness: input.harness ?? was.harness },
        { declared: was.declared, surface: { id: was.surface, model: was.model }, ...resolved },
      );
      return { ...made, values: {} };
    }
  }
}

function reachedAsBefore(was: Pick<Reached, "adapter" | "token_env">, input: TargetInput) {
  return { adapter: input.adapter ?? was.adapter, token_env: input.token_env ?? was.token_env };
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Values that were given for one command or address stay with it: whoever names another does not get them sent there. */
function withValues(
  made: NewTarget,
  names: readonly string[],
  given: unknown,
  same: boolean,
  refusal: string,
): NewTarget {
  if (given !== undefined || made.target.kind === "surface") return made;
  const field = made.target.kind === "http" ? "headers" : "env";
  if (names.length > 0 && !same) throw badField(field, refusal);
  return { target: { ...made.target, [field]: [...names] } as AgentTarget, values: "as before" };
}

import { z } from "zod";
import { AgentKind, HARNESSES } from "./schema.ts";
import type { AgentDoc, VersionDoc } from "./targets.ts";

/** A version as it may be shown: secrets by name only. */
export const VersionView = z.object({
  version: z.string(),
  kind: z.enum(["command", "http"]),
  adapter: z.enum(["svc", "openai-chat", "text"]),
  command: z.array(z.string()).optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  env: z.array(z.string()).describe("Names of the values it is given; never the values."),
  headers: z.array(z.string()).describe("Names of the headers it is sent; never the values."),
  token_env: z.string().optional(),
  created_at: z.number(),
  by: z.string(),
  notes: z.string().optional(),
  retired_at: z.number().optional(),
});

/** An agent as it may be shown. A built-in harness has its name as id and no versions. */
export const AgentView = z.object({
  id: z.string(),
  name: z.string(),
  kind: AgentKind,
  model: z.string().optional(),
  notes: z.string().optional(),
  primary: z.boolean(),
  created_at: z.number().optional(),
  by: z.string().optional(),
  retired_at: z.number().optional(),
  versions: z.array(VersionView),
  available: z.boolean().describe("Whether a run can be started with it now."),
  why_not: z.string().optional(),
});
export type AgentView = z.infer<typeof AgentView>;

/** Shows an agent; `commands` says whether this workspace runs commands. */
export function agentView(agent: AgentDoc, commands: boolean): AgentView {
  const { id, name, agent_kind, model, notes, primary, created_at, by, retired_at } = agent;
  const whyNot = unavailable(agent, commands);
  return {
    id,
    name,
    kind: agent_kind,
    ...(model === undefined ? {} : { model }),
    ...(notes === undefined ? {} : { notes }),
    primary,
    created_at,
    by,
    ...(retired_at === undefined ? {} : { retired_at }),
    versions: agent.versions.map(versionView),
    available: whyNot === undefined,
    ...(whyNot === undefined ? {} : { why_not: whyNot }),
  };
}

function unavailable(agent: AgentDoc, commands: boolean): string | undefined {
  if (agent.retired_at !== undefined) return "It is retired.";
  const newest = agent.versions.findLast((row) => row.retired_at === undefined);
  if (!newest) return "Every version of it is retired.";
  return newest.target.kind === "command" && !commands ? "Commands are off on this workspace." : undefined;
}

/** Shows a version of an agent. */
export function versionView(row: VersionDoc): z.infer<typeof VersionView> {
  const { version, target, created_at, by, notes, retired_at } = row;
  const reached =
    target.kind === "command"
      ? { command: target.command, ...(target.cwd === undefined ? {} : { cwd: target.cwd }) }
      : { url: target.url };
  return {
    version,
    kind: target.kind,
    adapter: target.adapter,
    ...reached,
    env: target.kind === "command" ? target.env : [],
    headers: target.kind === "http" ? target.headers : [],
    ...(target.token_env === undefined ? {} : { token_env: target.token_env }),
    created_at,
    by,
    ...(notes === undefined ? {} : { notes }),
    ...(retired_at === undefined ? {} : { retired_at }),
  };
}

const HARNESS_NOTES: Record<(typeof HARNESSES)[number], string> = {
  reference: "Plays each task's script: meets every task, or the task is at fault.",
  null: "Does nothing and says nothing: meets no task.",
  replay: "Plays the calls and the answer of a stored trace that asked the same.",
  rule: "Reads the tools' descriptions and acts by simple rules, without a model.",
  react: "A model's tool loop.",
};

/** The built-in harnesses, as they are listed after connected agents; `models` says whether any model is offered here. */
export function harnessViews(models: boolean): AgentView[] {
  return HARNESSES.map((name) => ({
    id: name,
    name,
    kind: "builtin",
    notes: HARNESS_NOTES[name],
    primary: false,
    versions: [],
    available: name !== "react" || models,
    ...(name === "react" && !models ? { why_not: "It needs a model, and this workspace has none configured." } : {}),
  }));
}

/** Whether a name is that of a built-in harness. */
export function isHarness(name: string): boolean {
  return HARNESSES.some((harness) => harness === name);
}

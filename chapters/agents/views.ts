import { z } from "zod";
import type { AgentDoc, VersionDoc } from "../find-agent.ts";
import { Agent, AgentKind, HARNESSES, SurfaceHarness, VersionOrigin } from "../records/agents/agents.ts";
import { VersionChanges, VersionTexts } from "../records/agents/version.ts";

/** Texts of a version: names and digests, and how they differ from those of the version before. */
export const TextsView = VersionTexts.omit({ blob: true });

/** A version as it may be shown: secrets by name only. */
export const VersionView = z.object({
  version: z.string(),
  kind: z.enum(["command", "http", "repository", "surface"]),
  adapter: z.enum(["svc", "openai-chat", "text"]).optional(),
  command: z.array(z.string()).optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  ref: z.string().optional(),
  sha: z.string().optional().describe("The commit that is run, whatever the ref says later."),
  setup: z.string().optional(),
  egress: z.array(z.string()).optional(),
  surface: z.string().optional(),
  harness: SurfaceHarness.optional(),
  model: z.string().optional(),
  declared: z.boolean().optional().describe("Whether its tools differ from the connected ones."),
  env: z.array(z.string()).describe("Names of the values it is given; never the values."),
  headers: z.array(z.string()).describe("Names of the headers it is sent; never the values."),
  token_env: z.string().optional(),
  created_at: z.number(),
  by: z.string(),
  notes: z.string().optional(),
  origin: VersionOrigin.optional(),
  changes: VersionChanges.optional(),
  skills: TextsView.optional(),
  tool_texts: TextsView.optional(),
  superseded_by: z.string().optional(),
  retired_at: z.number().optional(),
  retired_by: z.string().optional(),
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
  retired_by: z.string().optional(),
  versions: z.array(VersionView),
  detected: Agent.schema.shape.detected,
  scanned: Agent.schema.shape.scanned,
  server: Agent.schema.shape.server,
  main: z.string().optional().describe("The version that stands for main; absent for the connected tools."),
  available: z.boolean().describe("Whether a run can be started with it now."),
  why_not: z.string().optional(),
});
export type AgentView = z.infer<typeof AgentView>;

/** Shows an agent; `commands` says whether this workspace runs commands. */
export function agentView(agent: AgentDoc, commands: boolean): AgentView {
  const { id, name, agent_kind, model, notes, primary, created_at, by, retired_at, retired_by } = agent;
  const whyNot = unavailable(agent, commands);
  const { detected, scanned, server, main } = agent;
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
    ...(retired_by === undefined ? {} : { retired_by }),
    versions: agent.versions.map(versionView),
    ...(detected === undefined ? {} : { detected }),
    ...(scanned === undefined ? {} : { scanned }),
    ...(server === undefined ? {} : { server }),
    ...(main === undefined ? {} : { main }),
    available: whyNot === undefined,
    ...(whyNot === undefined ? {} : { why_not: whyNot }),
  };
}

function unavailable(agent: AgentDoc, commands: boolean): string | undefined {
  if (agent.retired_at !== undefined) return "It is retired.";
  const newest = agent.versions.findLast((row) => row.retired_at === undefined);
  if (!newest) return "Every version of it is retired.";
  return versionBlocked(newest, commands);
}

/** Why no trial of a version could be started here, whatever its marks; undefined when one could. */
export function versionBlocked({ target }: VersionDoc, commands: boolean): string | undefined {
  if (target.kind === "http" || target.kind === "surface") return undefined;
  if (!commands) return "Commands are off on this workspace.";
  return target.command === undefined ? "Nothing says how it is run: detect it, or add a version with run." : undefined;
}

/** Shows a version of an agent. */
export function versionView(row: VersionDoc): z.infer<typeof VersionView> {
  const { version, target, created_at, by, notes, origin, changes, skills, tool_texts, superseded_by, ...rest } = row;
  const { retired_at, retired_by } = rest;
  return {
    version,
    ...targetView(target),
    created_at,
    by,
    ...(notes === undefined ? {} : { notes }),
    ...(origin === undefined ? {} : { origin }),
    ...(changes === undefined ? {} : { changes }),
    ...(skills === undefined ? {} : { skills: TextsView.parse(skills) }),
    ...(tool_texts === undefined ? {} : { tool_texts: TextsView.parse(tool_texts) }),
    ...(superseded_by === undefined ? {} : { superseded_by }),
    ...(retired_at === undefined ? {} : { retired_at }),
    ...(retired_by === undefined ? {} : { retired_by }),
  };
}

function targetView(target: VersionDoc["target"]) {
  switch (target.kind) {
    case "surface": {
      const { declared, ...rest } = target;
      return { ...rest, env: [], headers: [], declared: declared !== undefined };
    }
    case "repository": {
      const { repo: _inOrigin, ...rest } = target;
      return { ...rest, headers: [] };
    }
    case "http":
      return { ...target, env: [] };
    case "command":
      return { ...target, headers: [] };
  }
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

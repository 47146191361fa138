import { z } from "zod";
import { recordBase, recordKind } from "../record.ts";

/** How an agent is reached; `builtin` is a harness of the service itself. */
export const AgentKind = z.enum(["command", "http", "repository", "surface", "builtin"]);
/** The built-in harnesses, in the order they are listed. */
export const HARNESSES = ["reference", "null", "replay", "rule", "react"] as const;

const reached = {
  adapter: z.enum(["svc", "openai-chat", "text"]),
  /** Names an agent-environment value: set for a command under that name, sent by http as a bearer token. */
  token_env: z.string().optional(),
};

/**
 * How a version is reached, as it is stored: a command with its working folder, or a URL. Of its environment and
 * its headers only the names; the values are in `AgentSecret`.
 */
export const AgentTarget = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("command"),
    command: z.array(z.string()).min(1),
    cwd: z.string().optional(),
    env: z.array(z.string()),
    ...reached,
  }),
  z.object({ kind: z.literal("http"), url: z.string(), headers: z.array(z.string()), ...reached }),
]);
export type AgentTarget = z.infer<typeof AgentTarget>;

type Opened<T> = T extends { kind: "command" }
  ? Omit<T, "env"> & { readonly env: Readonly<Record<string, string>> }
  : Omit<T, "headers"> & { readonly headers: Readonly<Record<string, string>> };
/** A target with its values, for launching only: it is never stored and never shown. */
export type OpenTarget = Opened<AgentTarget>;

/** Where a version was made: the repository (`owner/name`), the ref and the commit, as far as they are known. */
export const VersionOrigin = z.object({
  kind: z.enum(["branch", "operator_edit", "declared"]),
  repo: z.string().optional(),
  ref: z.string().optional(),
  sha: z.string().optional(),
});

/** A version of an agent: it never changes once it is recorded, but for being retired. */
export const AgentVersion = z.object({
  version: z.string(),
  target: AgentTarget,
  created_at: z.number(),
  by: z.string(),
  notes: z.string().optional(),
  origin: VersionOrigin.optional(),
  retired_at: z.number().optional(),
});

/** A connected agent with its versions, oldest first. */
export const Agent = recordKind({
  kind: "agent",
  prefix: "ag",
  schema: z.object({
    ...recordBase,
    name: z.string(),
    agent_kind: AgentKind,
    model: z.string().optional(),
    notes: z.string().optional(),
    primary: z.boolean(),
    retired_at: z.number().optional(),
    versions: z.array(AgentVersion),
  }),
  fields: ["name", "primary"],
});

/** Which agent has a name. Its id is made of the name, so that two writers cannot both take it. */
export const AgentName = recordKind({
  kind: "agent_name",
  prefix: "an",
  schema: z.object({ ...recordBase, agent: z.string() }),
});

/** The values of one version's environment or headers, each sealed by its name. Its id is made of agent and version. */
export const AgentSecret = recordKind({
  kind: "agent_secret",
  prefix: "asec",
  schema: z.object({
    ...recordBase,
    agent: z.string(),
    version: z.string(),
    sealed: z.record(z.string(), z.string()),
  }),
  fields: ["agent"],
  copy: { staysBehind: "secrets; they are given anew where they are needed" },
  scope: "admin",
});

/** A value that agents are given at launch, by name. It goes in once, is stored sealed and never comes out. */
export const AgentEnv = recordKind({
  kind: "agent_env",
  prefix: "ae",
  schema: z.object({ ...recordBase, name: z.string(), sealed: z.string(), updated_at: z.number() }),
  fields: ["name"],
  copy: { staysBehind: "a secret; it is set anew where it is needed" },
  scope: "admin",
});

/** The code host's app where the org installed it: which installation, whose, and the repositories (`owner/name`) that it covers. */
export const VcsInstallation = recordKind({
  kind: "vcs_installation",
  prefix: "vi",
  schema: z.object({
    ...recordBase,
    installation_id: z.number().int(),
    account: z.string(),
    repositories: z.array(z.string()),
    updated_at: z.number(),
  }),
  copy: { staysBehind: "a connection of this workspace" },
  scope: "admin",
});

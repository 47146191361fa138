import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import type { Checkout } from "../../repositories.ts";
import { CommitListing, Detection, ServerRepo, VersionChanges, VersionTexts } from "./version.ts";

/** How an agent is reached; `builtin` is a harness of the service itself. */
export const AgentKind = z.enum(["command", "http", "repository", "surface", "builtin"]);
/** The built-in harnesses, in the order they are listed. */
export const HARNESSES = ["reference", "null", "replay", "rule", "react"] as const;

const reached = {
  adapter: z.enum(["svc", "openai-chat", "text"]),
  /** Names an agent-environment value: set for a command under that name, sent by http as a bearer token. */
  token_env: z.string().optional(),
};

/** The harnesses that drive a surface agent's tool server. */
export const SurfaceHarness = z.enum(["rule", "react"]);

/**
 * How a version is reached, as it is stored: a command with its working folder, a URL, a command in a checkout, or the
 * tools of a surface that a harness drives. Of its environment and its headers only the names; the values are in
 * `AgentSecret`.
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
  z.object({
    kind: z.literal("repository"),
    url: z.string(),
    /** `owner/name` where the code host's app reads it. */
    repo: z.string().optional(),
    ref: z.string(),
    /** The commit that is run, whatever the ref says later. */
    sha: z.string(),
    /** One shell line in the checkout, with the network, once per commit. */
    setup: z.string().optional(),
    /** What starts it in the checkout; absent until one is given or detected. */
    command: z.array(z.string()).min(1).optional(),
    /** `host:port` of what a trial may reach beside its world. */
    egress: z.array(z.string()),
    env: z.array(z.string()),
    ...reached,
  }),
  z.object({
    kind: z.literal("surface"),
    /** The surface's id. */
    surface: z.string(),
    harness: SurfaceHarness,
    /** Of the react harness, as offered. */
    model: z.string().optional(),
    /** Blob of what is declared over the connected tools; absent for those themselves. */
    declared: z.string().optional(),
  }),
]);
export type AgentTarget = z.infer<typeof AgentTarget>;

type Values = Readonly<Record<string, string>>;
type Of<K extends AgentTarget["kind"]> = Extract<AgentTarget, { kind: K }>;
/** A target with its values, for launching only: it is never stored and never shown. A surface's version is not launched. */
export type OpenTarget =
  | (Omit<Of<"command">, "env"> & { readonly env: Values })
  | (Omit<Of<"http">, "headers"> & { readonly headers: Values })
  | (Pick<Of<"repository">, "kind" | "adapter" | "setup" | "egress"> & {
      readonly command: readonly string[];
      readonly env: Values;
      /** The commit's files, which no process may write to. */
      readonly checkout: Checkout;
    });

/** Where a version was made: the repository (`owner/name`), the ref and the commit, as far as they are known. */
export const VersionOrigin = z.object({
  kind: z.enum(["branch", "operator_edit", "declared"]),
  repo: z.string().optional(),
  ref: z.string().optional(),
  sha: z.string().optional(),
});

/** A version of an agent: how it is reached never changes; what is read of it is added, and it can be retired. */
export const AgentVersion = z.object({
  version: z.string(),
  target: AgentTarget,
  created_at: z.number(),
  by: z.string(),
  notes: z.string().optional(),
  origin: VersionOrigin.optional(),
  changes: VersionChanges.optional(),
  skills: VersionTexts.optional(),
  tool_texts: VersionTexts.optional(),
  /** The declared version's row at the repository that takes its place: it can no longer be made main. */
  superseded_by: z.string().optional(),
  retired_at: z.number().optional(),
  retired_by: z.string().optional(),
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
    retired_by: z.string().optional(),
    versions: z.array(AgentVersion),
    /** Of a repository agent: what reading it proposed last. */
    detected: Detection.optional(),
    /** When new versions were looked for last, and where. */
    scanned: z.object({ at: z.number(), sha: z.string().optional(), paths: z.array(z.string()) }).optional(),
    /** Of a surface agent: the repository of its server. */
    server: ServerRepo.optional(),
    /** Of a surface agent: the version that stands for main; absent for the connected tools. */
    main: z.string().optional(),
  }),
  fields: ["name", "primary"],
});

/** Which agent has a name. Its id is made of the name, so that two writers cannot both take it. */
export const AgentName = recordKind({
  kind: "agent_name",
  prefix: "an",
  schema: z.object({ ...recordBase, agent: z.string() }),
});

/** Which agent is the org's primary one. Its id is always the same, so that of two at once one is. */
export const AgentPrimary = recordKind({
  kind: "agent_primary",
  prefix: "apm",
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
    app_id: z.number().int().optional(),
    account: z.string(),
    repositories: z.array(z.string()),
    updated_at: z.number(),
  }),
  copy: { staysBehind: "a connection of this workspace" },
  scope: "admin",
});

/** An installation that was begun at the code host and not come back from. Its id is made of the state; it is used once. */
export const VcsState = recordKind({
  kind: "vcs_state",
  prefix: "vs",
  schema: z.object({ ...recordBase, expires_at: z.number() }),
  copy: { staysBehind: "an installation that is under way" },
  scope: "admin",
});

/** The tool listing of a server at one commit. Its id is made of the agent and the commit. */
export const ServerTools = recordKind({
  kind: "server_tools",
  prefix: "svt",
  schema: z.object({ ...recordBase, agent: z.string(), ...CommitListing.shape }),
  fields: ["agent"],
});

/** What became of a ref of a surface agent's server as a version of the surface. */
export const SurfaceVersionStatus = z.enum(["readying", "ready", "needs_behaviour", "merged", "failed"]);

/** A ref of a surface agent's server at one commit, and how its tools differ from those at the fork point. */
export const SurfaceVersion = recordKind({
  kind: "surface_version",
  prefix: "sfv",
  schema: z.object({
    ...recordBase,
    agent: z.string(),
    ref: z.string(),
    /** Of a pull request, or the ref itself where it is one. */
    branch: z.string().optional(),
    sha: z.string(),
    /** Where the head parted from the base. */
    fork: z.string(),
    status: SurfaceVersionStatus,
    /** Why it is not ready, in words. */
    reason: z.string().optional(),
    /** What is wrong with the behaviours, by where it stands in the declarations that they make. */
    problems: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    /** Tools that a behaviour is still missing for. */
    needs: z.array(z.string()),
    /** Behaviours as they were given, by tool. */
    behaviours: z.record(z.string(), z.string()),
    diff: z
      .object({
        added: z.array(z.string()),
        removed: z.array(z.string()),
        /** Tools whose words differ and whose parameters do not. */
        described: z.array(z.string()),
        /** Tools that take other parameters. */
        changed: z.array(z.string()),
      })
      .optional(),
    changes: VersionChanges.optional(),
    /** The agent version that it was readied on. */
    version: z.string().optional(),
    /** The job that runs it beside main; absent where there was nothing to run on. */
    onboarding: z.string().optional(),
    /** The declared version that it replaces. */
    supersedes: z.string().optional(),
    job: z.string().optional(),
    updated_at: z.number(),
  }),
  fields: ["agent", "sha"],
});

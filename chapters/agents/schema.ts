import { z } from "zod";
import { recordBase, recordKind } from "../record.ts";

/** How an agent is reached; `builtin` is a harness of the service itself. */
export const AgentKind = z.enum(["command", "http", "repository", "surface", "builtin"]);
/** The built-in harnesses, in the order they are listed. */
export const HARNESSES = ["reference", "null", "replay", "rule", "react"] as const;

/** How a version is reached: a command with its working folder, or a URL. Values of `env` and `headers` are stored sealed. */
export const AgentTarget = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("command"),
    command: z.array(z.string()).min(1),
    cwd: z.string().optional(),
    env: z.record(z.string(), z.string()),
    adapter: z.enum(["svc", "openai-chat", "text"]),
    /** Names an agent-environment value that is set for the command under that name. */
    token_env: z.string().optional(),
  }),
  z.object({
    kind: z.literal("http"),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    adapter: z.enum(["svc", "openai-chat", "text"]),
    /** Names an agent-environment value that is sent as a bearer token. */
    token_env: z.string().optional(),
  }),
]);
export type AgentTarget = z.infer<typeof AgentTarget>;

/** A version of an agent: it never changes once it is recorded, but for being retired. */
export const AgentVersion = z.object({
  version: z.string(),
  target: AgentTarget,
  created_at: z.number(),
  by: z.string(),
  notes: z.string().optional(),
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

import { z } from "zod";
import { recordId, words } from "../fields.ts";
import { SurfaceHarness } from "../records/agents/agents.ts";

/** What a program is given. */
export const given = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes("\0"), "write it without a NUL character: no program can be given one");

const values = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/), given(20_000));
const command = z.union([given(10_000).min(1), z.array(given(10_000)).min(1).max(200)]);

/** How a version is reached: the fields that connect, change and add-version share. */
export const targetFields = {
  command: command
    .optional()
    .describe("What starts a command agent: program and arguments, or one line for the shell."),
  cwd: given(4_000).optional().describe("A command's working folder; a fresh one per trial when absent."),
  url: z
    .string()
    .max(4_000)
    .optional()
    .describe("Of an http agent: gets one POST per user turn. Else the repository's address."),
  ref: words(250).optional().describe("Of a repository: branch, tag, commit or pull request."),
  setup: given(10_000)
    .min(1)
    .optional()
    .describe("Of a repository: one shell line that sets up a checkout, once per commit."),
  run: command.optional().describe("Of a repository: what starts the agent in a checkout; detected when absent."),
  egress: z
    .array(z.string().regex(/^[A-Za-z0-9.-]{1,253}:\d{1,5}$/, "write host:port"))
    .max(100)
    .optional()
    .describe("Of a repository: host:port of all that a trial may reach beside its world."),
  surface: words(200).optional().describe("Of a surface agent: the surface whose tools are under test."),
  harness: SurfaceHarness.optional().describe("Of a surface agent: what drives it; rule when absent."),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.string().max(20_000))
    .optional()
    .describe("Headers for an http agent. Stored sealed; shown by name only."),
  env: values.optional().describe("Environment of a command or a repository. Stored sealed; shown by name only."),
  adapter: z
    .enum(["svc", "openai-chat", "text"])
    .optional()
    .describe("svc (default): the trial contract's JSON; text: plain text; openai-chat: http."),
  token_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
    .optional()
    .describe("Name of an agent environment value: the bearer token of an http agent."),
};

/** What people call a version: part of URLs and file names, so no spaces. */
export const versionLabel = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/, "use letters, digits, dots, dashes and slashes, at most 100");

/** The agent of a route. */
export const aid = recordId("agent, or its name");

/** The version of a route. */
export const version = words(250).describe("The version's name, its ref, or its commit.");

import { z } from "zod";
import { makeMain } from "../../chapters/agents/main.ts";
import { serverTools } from "../../chapters/agents/repositories/server-listing.ts";
import { nameServerRepo } from "../../chapters/agents/repositories/server-repo.ts";
import { AgentView } from "../../chapters/agents/views.ts";
import { takeRef } from "../../chapters/automation/onboarding/server-refs.ts";
import { SurfaceVersion } from "../../chapters/records/agents/agents.ts";
import { CommitListing } from "../../chapters/records/agents/version.ts";
import { byField, orgRef, recordId } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";

const aid = recordId("surface agent, or its name");
const path = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))/, "write a path inside the repository");
const line = z.string().min(1).max(10_000);

/** The repository of a surface agent's server: where versions of its tools come from. */
export const server = [
  operation({
    name: "agent_server_repo",
    title: "Name a tool server's repository",
    description:
      "Names the repository of a surface agent's tool server, so that branches and pull requests become versions (agent_server_refs). Nothing is built or run.",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/server-repo",
    input: z.object({
      ...orgRef,
      aid,
      url: z.string().min(1).max(4_000).describe("The repository's address, or owner/name at the code host."),
      ref: z.string().min(1).max(250).optional().describe("The base branch; main when absent."),
      paths: z
        .array(path)
        .max(100)
        .optional()
        .describe("Where tools are defined: a scan takes only commits that touch one of these."),
      listing: path.optional().describe("A file of the repository that lists the tools."),
      run: line.optional().describe("What serves the tools over standard input and output."),
      setup: line.optional().describe("What sets a checkout up before, with the network."),
      upstream_env: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
        .optional()
        .describe("The environment variable that tells the server where its upstream is."),
      ...byField,
    }),
    output: z.object({ agent: AgentView }),
    handle: nameServerRepo,
  }),
  operation({
    name: "agent_server_refs",
    title: "Make a ref a version of the tools",
    description:
      "Takes a branch, tag, commit or pull request of a surface agent's server as a version: reads its tools there and at its base, and declares the difference. A tool that is new or takes other parameters needs a line in behaviours, else the version waits as needs_behaviour.",
    scope: "push",
    effect: "start",
    statuses: [202, 200],
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/server-refs",
    input: z.object({
      ...orgRef,
      aid,
      ref: z.string().min(1).max(250).describe("Branch, tag, commit, or pull request as pull/12."),
      behaviours: z
        .record(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), z.string().min(1).max(20_000))
        .optional()
        .describe("What tools do, by name: a line of the behaviour language each."),
      supersedes: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe("A declared version that this ref takes the place of."),
      ...byField,
    }),
    output: z.object({
      agent: z.string(),
      job: z.string().nullable(),
      poll: z.string().nullable(),
      same: z.boolean().describe("Whether it stood so already."),
      surface_version: SurfaceVersion.schema,
    }),
    handle: takeRef,
  }),
  operation({
    name: "agent_server_tools",
    title: "Read a server's tools at a commit",
    description:
      "Answers the tool listing of a surface agent's server at a commit, with how it was read; main addresses main's commit. A commit whose tools were not read is not found: take its ref with agent_server_refs.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/agents/{aid}/server-tools/{sha}",
    input: z.object({
      ...orgRef,
      aid,
      sha: z.string().min(1).max(100).describe("A full commit, or main."),
    }),
    output: CommitListing.omit({ blob: true }).extend({
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string().optional(),
          input_schema: z.record(z.string(), z.unknown()),
          data_source: z.string().optional(),
        }),
      ),
    }),
    handle: serverTools,
  }),
  operation({
    name: "agent_main",
    title: "Choose the main version of a tool server",
    description:
      "Makes a version of a surface agent the main one, which others are compared with; base returns to the connected tools. Nothing is served anew; a superseded version cannot be main.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/main",
    input: z.object({
      ...orgRef,
      aid,
      version: z.string().min(1).max(200).describe("The version, the id of its ref's row, or base."),
      ...byField,
    }),
    output: z.object({ agent: AgentView, main: z.string(), same: z.boolean() }),
    handle: makeMain,
  }),
];

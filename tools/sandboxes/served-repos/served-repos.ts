import { z } from "zod";
import { byField, orgRef, recordId } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { SERVED_STAGES, ServedRepo } from "../../../chapters/records/sandboxes/served-repos.ts";
import {
  getServedRepo,
  listServedRepos,
  postServedRepo,
  readServedRepo,
} from "../../../chapters/sandboxes/served-repos/served-repos.ts";
import { operation } from "../../kernel/operation.ts";

const { shape } = ServedRepo.schema;
const stages = z.array(z.enum(SERVED_STAGES));
const repoRef = { ...orgRef, rid: recordId("served repository") };
const pin = {
  commit: shape.commit,
  ref: shape.ref,
  manifest_hash: shape.manifest_hash,
  connected_at: shape.connected_at,
  superseded_by: shape.superseded_by,
};

/** Customers' own MCP servers, run with their upstream at a door. */
export const servedRepos = [
  operation({
    name: "served_repo_post",
    title: "Connect a served repository",
    description:
      "Checks out a customer's own MCP server at a commit, starts it with its upstream pointed at a door, records what its reading tools answer, and makes a surface of both. Needs a workspace that runs commands.",
    scope: "push",
    effect: "start",
    route: "POST /v0/orgs/{orgtag}/served-repo",
    statuses: [202, 200],
    input: z.object({
      ...orgRef,
      url: z.string().min(1).max(2000).describe("The repository's address, or owner/name at the code host."),
      ref: z.string().min(1).max(250).optional().describe("A branch, tag or commit; the default branch when absent."),
      door: recordId("door").optional().describe("The org's API door when absent."),
      installation: z.string().min(1).max(100).optional().describe("Reads it through the code host's app."),
      token_env: z
        .string()
        .regex(/^[A-Za-z_]\w{0,99}$/)
        .optional()
        .describe("The variable its upstream credential is read from; it gets a placeholder."),
      wait: z.number().int().min(0).max(240).optional().describe("Seconds to wait for its end."),
      ...byField,
    }),
    output: z.object({ job: z.string(), poll: z.string(), record: z.string(), stages, state: shape.state }),
    handle: postServedRepo,
  }),
  operation({
    name: "served_repo_list",
    title: "List served repositories",
    description:
      "Lists the org's served repositories, newest first: their pins and counts, connecting, connected or refused.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/served-repo",
    input: z.object({ ...orgRef, ...pageInput }),
    output: z.object({
      org: z.string(),
      served_repos: z.array(
        z.object({
          id: z.string(),
          label: z.string(),
          state: shape.state,
          created_at: z.number(),
          by: z.string(),
          door: z.string(),
          operations: shape.operations,
          response_keys: shape.response_keys,
          surface_id: shape.surface_id,
          ...pin,
        }),
      ),
      next: z.string().optional(),
    }),
    handle: listServedRepos,
  }),
  operation({
    name: "served_repo_get",
    title: "Get a served repository",
    description:
      "Answers one served repository: its commit, how it is started, its tools, recorded calls and reads in counts, routes without evidence, why it was refused, and its versions.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/served-repo/{rid}",
    input: z.object(repoRef),
    output: ServedRepo.schema.omit({ read_blob: true, bundle: true }).extend({
      kind: z.literal("served_repo"),
      retired_at: z.number().optional(),
      serving: z.boolean(),
      stages,
      egress: z.object({ enforced: z.boolean(), note: z.string() }),
      replaced_earlier: z.array(z.string()),
      versions: z.array(z.object({ id: z.string(), state: shape.state, ...pin })),
    }),
    handle: getServedRepo,
  }),
  operation({
    name: "served_repo_read",
    title: "What a served repository reads",
    description:
      "Answers what one served version's client code asks of its upstream and reads of the answers, by route: members, literals they are compared with, and where a body that is taken whole goes. Names and literals of source only.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/served-repo/{rid}/read",
    input: z.object(repoRef),
    output: z.object({
      id: z.string(),
      commit: z.string(),
      ref: z.string(),
      read: z.array(
        z.object({
          route: z.string(),
          file: z.string(),
          line: z.number().int(),
          function: z.string(),
          forms: z.array(z.enum(["keyed", "text", "whole"])),
          keys: z.array(z.string()),
          unkeyed: z.array(z.string()),
          codes: z.record(z.string(), z.array(z.string())),
          base_env: z.string().optional(),
        }),
      ),
      source: z.object({
        files: z.record(z.string(), z.number().int()),
        unread: z.number().int().describe("Files that no parser could read."),
        unread_asks: z
          .number()
          .int()
          .optional()
          .describe("Requests in the code whose method or path is only known when they run: not among the routes."),
        tier: z.literal("deterministic"),
      }),
    }),
    handle: readServedRepo,
  }),
];

import { z } from "zod";
import { orgRef, recordId } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { SERVED_STAGES, ServedRepo } from "../../../chapters/records/sandboxes/served-repos.ts";
import { SourceRoute } from "../../../chapters/repositories.ts";
import {
  getServedRepo,
  listServedRepos,
  PostInput,
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
    input: PostInput,
    output: z.object({ job: z.string(), poll: z.string(), record: z.string(), stages, state: shape.state }),
    handle: postServedRepo,
  }),
  operation({
    name: "served_repo_list",
    title: "List served repositories",
    description:
      "Lists the org's served repositories, newest first: their pins and counts, connecting, connected or refused.",
    scope: "read",
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
    title: "Show what a served repository reads",
    description:
      "Answers what one served version's client code asks of its upstream and reads of the answers, by route: members, literals they are compared with, and where a body that is taken whole goes. Names and literals of source only.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/served-repo/{rid}/read",
    input: z.object(repoRef),
    output: z.object({
      id: z.string(),
      commit: z.string(),
      ref: z.string(),
      read: z.array(SourceRoute),
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

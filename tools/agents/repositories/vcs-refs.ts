import { z } from "zod";
import {
  kind,
  listRefs,
  listUnrecorded,
  RefsInput,
  repository,
} from "../../../chapters/agents/repositories/vcs-refs.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { operation } from "../../kernel/operation.ts";

const ref = {
  kind,
  name: z.string(),
  sha: z.string(),
  number: z.number().int().optional(),
  title: z.string().optional(),
  branch: z.string().optional().describe("Of a pull request: the branch it comes from."),
  base: z.string().optional().describe("Of a pull request: the branch it goes to."),
  url: z.string().optional(),
};

const org = z.string();

const next = z.string().optional();

/** List a repository's refs; list refs with unrecorded commits. */
export const vcsRefs = [
  operation({
    name: "vcs_refs",
    title: "List a repository's refs",
    description:
      "Lists branches, tags and open pull requests of one covered repository with the commit each stands at, and the agent versions that were made from that commit. Use it to choose a ref for agent_versions_post or agent_server_refs.",
    scope: "read",
    hints: { openWorld: true },
    route: "GET /v0/orgs/{orgtag}/vcs/refs",
    input: RefsInput,
    output: z.object({
      org,
      repository: z.string(),
      refs: z.array(z.object({ ...ref, versions: z.array(z.object({ agent: z.string(), version: z.string() })) })),
      next,
    }),
    handle: listRefs,
  }),
  operation({
    name: "vcs_unrecorded",
    title: "List refs with unrecorded commits",
    description:
      "Lists branches and open pull requests, of the repositories that agents are made from, with commits newer than any recorded version: how many, and since which version. These are what could be tested next.",
    scope: "read",
    hints: { openWorld: true },
    route: "GET /v0/orgs/{orgtag}/vcs/unrecorded",
    input: z.object({ ...orgRef, repository: repository.optional(), ...pageInput }),
    output: z.object({
      org,
      repositories: z.array(z.string()),
      refs: z.array(
        z.object({
          repository: z.string(),
          ...ref,
          commits: z.number().int().describe("How many commits it has that the version does not."),
          since: z.object({ agent: z.string(), version: z.string(), sha: z.string() }),
        }),
      ),
      next,
    }),
    handle: listUnrecorded,
  }),
];

import { z } from "zod";
import { listRefs, listUnrecorded } from "../../chapters/agents/repositories/vcs-refs.ts";
import {
  beginInstallation,
  getInstallation,
  InstallationView,
  listRepositories,
  recordInstallation,
} from "../../chapters/code-host/vcs-installation.ts";
import { pageInput } from "../../chapters/page.ts";
import { byField, orgRef } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";

const repository = z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, "write owner/name");
const kind = z.enum(["branch", "tag", "pull"]);
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

/** The code host: its app's installation for the org, and what that reads. */
export const vcs = [
  operation({
    name: "vcs_installations_post",
    title: "Begin installing the code host's app",
    description:
      "Begins the installation of the code host's app: answers the host's page to send a person to, and a state valid once, for an hour. They come back with an installation id: record it with vcs_installation_post.",
    scope: "push",
    effect: "create",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/vcs/installations",
    input: z.object({ ...orgRef, ...byField }),
    output: z.object({ org, state: z.string(), install_url: z.string(), expires_at: z.number() }),
    handle: beginInstallation,
  }),
  operation({
    name: "vcs_installation_get",
    title: "Read the code host installation",
    description:
      "Answers which installation of the code host's app is recorded for the org (app id, account, how many repositories), or null, and whether the operator set an app. Asks nothing of the host.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/vcs/installation",
    input: z.object({ ...orgRef }),
    output: z.object({
      org,
      app: z.object({ env: z.string(), set: z.boolean() }),
      installation: InstallationView.nullable(),
    }),
    handle: getInstallation,
  }),
  operation({
    name: "vcs_installation_post",
    title: "Record the code host installation",
    description:
      "Records the installation that a person came back from (its id and the state of vcs_installations_post), in place of the one before. Without an id it reads anew which repositories the recorded one covers.",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/vcs/installation",
    input: z.object({
      ...orgRef,
      installation_id: z.number().int().min(1).optional(),
      state: z.string().min(1).max(200).optional(),
      ...byField,
    }),
    output: z.object({ org, installation: InstallationView, replaced: z.boolean() }),
    handle: recordInstallation,
  }),
  operation({
    name: "vcs_repositories",
    title: "List covered repositories",
    description: "Lists the repositories that the org's code host installation covers, as the host says now.",
    scope: "read",
    effect: "read",
    hints: { openWorld: true },
    route: "GET /v0/orgs/{orgtag}/vcs/repositories",
    input: z.object({ ...orgRef, ...pageInput }),
    output: z.object({
      org,
      repositories: z.array(
        z.object({ repository: z.string(), default_branch: z.string(), private: z.boolean(), url: z.string() }),
      ),
      next,
    }),
    handle: listRepositories,
  }),
  operation({
    name: "vcs_refs",
    title: "List a repository's refs",
    description:
      "Lists branches, tags and open pull requests of one covered repository with the commit each stands at, and the agent versions that were made from that commit. Use it to choose a ref for agent_versions_post or agent_server_refs.",
    scope: "read",
    effect: "read",
    hints: { openWorld: true },
    route: "GET /v0/orgs/{orgtag}/vcs/refs",
    input: z.object({ ...orgRef, repository, kind: kind.optional(), ...pageInput }),
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
    effect: "read",
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

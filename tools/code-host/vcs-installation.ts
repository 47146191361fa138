import { z } from "zod";
import {
  beginInstallation,
  getInstallation,
  InstallationView,
  listRepositories,
  RecordInput,
  recordInstallation,
} from "../../chapters/code-host/vcs-installation.ts";
import { byField, orgRef } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { operation } from "../kernel/operation.ts";

const org = z.string();

const next = z.string().optional();

/** Begin installing the code host's app; read the code host installation; record the code host installation; list covered repositories. */
export const vcsInstallation = [
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
    input: RecordInput,
    output: z.object({ org, installation: InstallationView, replaced: z.boolean() }),
    handle: recordInstallation,
  }),
  operation({
    name: "vcs_repositories",
    title: "List covered repositories",
    description: "Lists the repositories that the org's code host installation covers, as the host says now.",
    scope: "read",
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
];

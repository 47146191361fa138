import { z } from "zod";
import { aid, version } from "../../../chapters/agents/fields.ts";
import { getChanges, readChanges } from "../../../chapters/agents/versions/changes.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { VersionChanges } from "../../../chapters/records/agents/version.ts";
import { operation } from "../../kernel/operation.ts";

/** Read a version's changed files; read a version's changed files from the code host. */
export const changes = [
  operation({
    name: "agent_version_changes_get",
    title: "Read a version's changed files",
    description:
      "Answers which files differ between where a version's commit parted from its base and the commit, by area (tools, handlers, skills, registration, other): names and counts only. A version that no repository ref made answers a line that says so.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/agents/{aid}/versions/{version:path}/changes",
    input: z.object({ ...orgRef, aid, version }),
    output: z.object({
      version: z.string(),
      changes: VersionChanges.partial().required({ line: true }),
    }),
    handle: getChanges,
  }),
  operation({
    name: "agent_version_changes_post",
    title: "Read a version's changed files from the code host",
    description:
      "Reads the changed-file list of a version from the code host through the org's installation and keeps it on the version. A repository that the installation does not cover is refused (not_covered).",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/versions/{version:path}/changes",
    input: z.object({ ...orgRef, aid, version }),
    output: z.object({ version: z.string(), same: z.boolean(), changes: VersionChanges }),
    handle: readChanges,
  }),
];

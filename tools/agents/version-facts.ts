import { z } from "zod";
import { getChanges, readChanges } from "../../chapters/agents/versions/changes.ts";
import { putSkills, putToolTexts } from "../../chapters/agents/versions/version-texts.ts";
import { TextsView } from "../../chapters/agents/views.ts";
import { VersionChanges } from "../../chapters/records/agents/version.ts";
import { byField, orgRef, recordId } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";

const aid = recordId("agent, or its name");
const version = z.string().min(1).max(250).describe("The version's name, its ref, or its commit.");
const texts = {
  ...orgRef,
  aid,
  version,
  items: z
    .array(z.object({ name: z.string().min(1).max(200), text: z.string().max(200_000) }))
    .min(1)
    .max(500),
  ...byField,
};
const kept = { agent: z.string(), version: z.string(), same: z.boolean() };

/** What is known of a version beside how it is reached: changed files, skills, tool texts. */
export const versionFacts = [
  operation({
    name: "agent_version_changes_get",
    title: "Read a version's changed files",
    description:
      "Answers which files differ between where a version's commit parted from its base and the commit, by area (tools, handlers, skills, registration, other): names and counts only. A version that no repository ref made answers a line that says so.",
    scope: "read",
    effect: "read",
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
  operation({
    name: "agent_version_skills",
    title: "Keep a version's skills",
    description:
      "Keeps the texts of a version's skills (prompts, instructions) by digest, and answers how they differ from those of the version before: added, removed, changed.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/versions/{version:path}/skills",
    input: z.object(texts),
    output: z.object({ ...kept, skills: TextsView }),
    handle: putSkills,
  }),
  operation({
    name: "agent_version_tool_texts",
    title: "Keep a version's tool texts",
    description:
      "Keeps what a version's tools are described as, by digest, and answers how the texts differ from those of the version before: added, removed, changed.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/agents/{aid}/versions/{version:path}/tool-texts",
    input: z.object(texts),
    output: z.object({ ...kept, tool_texts: TextsView }),
    handle: putToolTexts,
  }),
];

import { z } from "zod";
import {
  getVersionLabels,
  PutInput,
  putVersionLabel,
} from "../../../chapters/automation/organization/version-labels.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { VersionLabel } from "../../../chapters/organization/preferences.ts";
import { operation } from "../../kernel/operation.ts";

const Labels = z.object({
  org: z.string(),
  labels: z.array(VersionLabel),
  by_version: z.record(z.string(), z.string()).optional().describe("The labels, by version."),
  main_label: z.string().describe("The label that one version at most has."),
  main_version: z.string().nullable().optional().describe("The version that has it; null where none does."),
  tier: z.literal("human"),
});

/** What people call agent versions. */
export const versionLabels = [
  operation({
    name: "version_labels_get",
    title: "Read version labels",
    description:
      "Answers what the org's people call its agent versions, newest label first, and which label marks the main one. Use it to turn a name like main into a version.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/version-labels",
    input: z.object(orgRef),
    output: Labels,
    handle: getVersionLabels,
  }),
  operation({
    name: "version_labels_put",
    title: "Label a version",
    description:
      "Gives an agent version a label in place of the one it had, or clears it with null; main moves from any other version. Answers all labels.",
    scope: "push",
    route: "PUT /v0/orgs/{orgtag}/version-labels",
    input: PutInput,
    output: Labels.extend({
      version: z.string(),
      label: z.string().nullable(),
      cleared: z.boolean().describe("Whether it had a label that is gone now."),
      known: z.boolean().optional().describe("Whether an agent, a run or a surface of the org has this version."),
      note: z.string().optional(),
    }),
    handle: putVersionLabel,
  }),
];

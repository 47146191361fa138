import { z } from "zod";
import { archiveOrg } from "../../chapters/exports/archive.ts";
import { ExcludedKind } from "../../chapters/exports/entries.ts";
import { orgRef } from "../../chapters/fields.ts";
import { operation } from "../kernel/operation.ts";

/** The whole org as a file. */
export const archive = [
  operation({
    name: "org_archive",
    title: "Archive the org",
    description:
      "Use it as a backup, or to take an org elsewhere: answers the whole org as one tar.gz, byte for byte as stored, without secrets and tokens. The operator restores it with svc restore.",
    scope: "admin",
    route: "GET /v0/orgs/{orgtag}/archive",
    answer: "file",
    input: z.object({ ...orgRef }),
    output: z.object({
      org: z.string(),
      held_back: z.array(ExcludedKind).describe("What the archive leaves, and why."),
    }),
    handle: archiveOrg,
  }),
];

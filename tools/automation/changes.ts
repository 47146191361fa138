import { z } from "zod";
import { ChangeLine, ChangePage, listChanges } from "../../chapters/automation/changes.ts";
import { orgRef } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { operation } from "../kernel/operation.ts";

/** What changed in an org. */
export const changes = [
  operation({
    name: "org_changes_get",
    title: "List changes",
    description:
      "Lists what changed in the org, newest first: environments drawn or corrected, versions compiled, graphs, readings, passes over new evidence. Each line has counts only, its revision, tier and cost, and the route that undoes it where one does.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/changes",
    input: z.object({
      ...orgRef,
      ...pageInput,
      since: z.coerce.number().min(0).optional().describe("Unix seconds: only what changed after it."),
      page: ChangePage.optional().describe("`home`: environments, versions, passes; `ontology`: graphs and readings."),
    }),
    output: z.object({
      org: z.string(),
      since: z.number().nullable(),
      page: ChangePage.nullable(),
      lines: z.array(ChangeLine),
      next: z.string().optional(),
    }),
    handle: listChanges,
  }),
];

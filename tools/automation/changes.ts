import { z } from "zod";
import { listChanges } from "../../chapters/automation/changes.ts";
import { orgRef } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { Tier } from "../../chapters/tier.ts";
import { operation } from "../kernel/operation.ts";

const Page = z.enum(["home", "ontology"]);

/** What changed in an org. */
export const changes = [
  operation({
    name: "org_changes_get",
    title: "List changes",
    description:
      "Lists what changed in the org, newest first: environments drawn or corrected, versions compiled, graphs, readings, passes over new evidence. Each line has counts only, its revision, tier and cost, and the route that undoes it where one does.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/changes",
    input: z.object({
      ...orgRef,
      ...pageInput,
      since: z.coerce.number().min(0).optional().describe("Unix seconds: only what changed after it."),
      page: Page.optional().describe("`home`: environments, versions, passes; `ontology`: graphs and readings."),
    }),
    output: z.object({
      org: z.string(),
      since: z.number().nullable(),
      page: Page.nullable(),
      lines: z.array(
        z.object({
          at: z.number(),
          id: z.string(),
          page: Page,
          change: z.string(),
          about: z.object({ kind: z.string(), id: z.string() }),
          counts: z.record(z.string(), z.number()),
          revision: z.string().nullable(),
          undo: z.string().nullable().describe("The route that undoes it; null where nothing does."),
          tier: Tier,
          usd: z.number().optional().describe("What its model calls cost; absent where nothing says it."),
        }),
      ),
      next: z.string().optional(),
    }),
    handle: listChanges,
  }),
];

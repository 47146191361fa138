import { z } from "zod";
import { Published, publishDatasets } from "../../chapters/exports/publish-datasets.ts";
import { orgRef } from "../../chapters/fields.ts";
import { Tier } from "../../chapters/tier.ts";
import { operation } from "../kernel/operation.ts";

/** Publish the datasets. */
export const publishDatasetsOperations = [
  operation({
    name: "datasets_publish",
    title: "Publish the datasets",
    description:
      "Sends every environment to the org's connected tracing tool as a dataset of the name that datasets_get lists, an item per certified task. Doing it again changes only what changed.",
    scope: "push",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/datasets/publish",
    input: z.object({ ...orgRef }),
    output: z.object({
      org: z.string(),
      source: z.string().describe("The source whose tool they went to."),
      datasets: z.array(Published),
      items: z.number().int(),
      archived: z.number().int(),
      failed: z.number().int(),
      retry_after: z.number().optional().describe("Seconds after which the rest can be sent."),
      tier: Tier,
    }),
    handle: publishDatasets,
  }),
];

import { z } from "zod";
import { listDatasets } from "../../chapters/exports/datasets.ts";
import { orgRef } from "../../chapters/fields.ts";
import { Tier } from "../../chapters/tier.ts";
import { operation } from "../kernel/operation.ts";

/** List datasets. */
export const datasets = [
  operation({
    name: "datasets_get",
    title: "List datasets",
    description:
      "Lists the datasets a run can be started over, one per environment, under the names external tools hold them by, with how many certified tasks each has by family. Narrow them with a field (family, tier or a dimension) and its value.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/datasets",
    input: z.object({
      ...orgRef,
      field: z.string().min(1).max(100).optional().describe("`family`, `tier` or a dimension of the tasks."),
      value: z.string().max(200).optional().describe("The value it must have; any when absent."),
    }),
    output: z.object({
      org: z.string(),
      datasets: z.array(
        z.object({
          name: z.string(),
          environment: z.string(),
          surface: z.string(),
          revision: z.number().int(),
          tasks: z.number().int().describe("Certified tasks."),
          families: z.record(z.string(), z.number().int()),
        }),
      ),
      tier: Tier,
    }),
    handle: listDatasets,
  }),
];

import { z } from "zod";
import { exportWorlds, WorldsExport } from "../../chapters/exports/worlds.ts";
import { orgRef } from "../../chapters/fields.ts";
import { Tier } from "../../chapters/tier.ts";
import { operation } from "../kernel/operation.ts";

/** Export the org's worlds. */
export const worlds = [
  operation({
    name: "org_export",
    title: "Export the org's worlds",
    description:
      "Answers every world of the org as a file: its tools, its rows and its certified tasks of one tier, as lines of JSON or as a zip with a folder per environment. Narrow it to one environment, or to what a run group played.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/export",
    answer: "file",
    input: WorldsExport.extend(orgRef),
    output: z.object({
      org: z.string(),
      tier: Tier,
      environments: z.number().int(),
      tasks: z.number().int(),
    }),
    handle: exportWorlds,
  }),
];

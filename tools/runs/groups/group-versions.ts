import { z } from "zod";
import { orgRef } from "../../../chapters/fields.ts";
import { gid } from "../../../chapters/runs/fields.ts";
import { groupVersions } from "../../../chapters/runs/groups/group-versions.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

/** Versions a group could run. */
export const groupVersionsOperations = [
  operation({
    name: "run_group_versions",
    title: "List versions a group could run",
    description:
      "Lists every version of a run group's agent with whether it could be run on the group's environments now, on how many tasks, and the sentence a start would be refused with. Starts nothing.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/runs/group/{gid}/versions",
    input: z.object({ ...orgRef, gid }),
    output: z.object({
      org: z.string(),
      group: z.string(),
      agent: z.string(),
      note: z.string().optional(),
      versions: z.array(
        z.object({
          version: z.string(),
          current: z.boolean().describe("Whether the group ran it."),
          runnable: z.boolean(),
          tasks: z.number().int(),
          environments: z.number().int(),
          refusal: z.string().optional(),
        }),
      ),
      tier: Tier,
    }),
    handle: groupVersions,
  }),
];

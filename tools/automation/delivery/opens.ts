import { z } from "zod";
import { countOpen, getOpens } from "../../../chapters/automation/delivery/opens.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { operation } from "../../kernel/operation.ts";

const tier = z.literal("deterministic");

const group = z.string().min(1).max(200).describe("The run group's id.");

/** Count an open; opens of a finding. */
export const opens = [
  operation({
    name: "delivery_opens_post",
    title: "Count an open",
    description:
      "Counts that someone opened what was sent of a group: a member once per day and channel, kept as a hash only. A repeat answers `counted: false`.",
    scope: "read",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/delivery/opens",
    input: z.object({
      ...orgRef,
      group,
      via: z
        .string()
        .regex(/^[a-z][a-z0-9_-]{0,39}$/)
        .describe("The channel it was opened from, such as chat or email."),
      member: z.string().min(1).max(254).optional().describe("Who; nobody known when absent."),
    }),
    output: z.object({ org: z.string(), counted: z.boolean() }),
    handle: countOpen,
  }),
  operation({
    name: "delivery_opens_get",
    title: "Read opens of a finding",
    description:
      "Counts how often what was sent of a group was opened, by how many members and over which channels. Counts only, never who.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/delivery/opens",
    input: z.object({ ...orgRef, group }),
    output: z.object({
      org: z.string(),
      group: z.string(),
      opens: z.number().int(),
      members: z.number().int().describe("Different members."),
      anonymous: z.number().int().describe("Days and channels on which nobody known opened it."),
      by_via: z.record(z.string(), z.number().int()),
      line: z.string(),
      tier,
    }),
    handle: getOpens,
  }),
];

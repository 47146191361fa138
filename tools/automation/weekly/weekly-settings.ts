import { z } from "zod";
import {
  getWeeklyDelivery,
  PutInput,
  putWeeklyDelivery,
  WeeklyDelivery,
} from "../../../chapters/automation/weekly/weekly-settings.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const Settings = z.object({
  org: z.string(),
  delivery: WeeklyDelivery,
  slack_installed: z.boolean().describe("Whether a chat workspace is connected."),
  tier: Tier,
});

/** Read the weekly delivery; set the weekly delivery. */
export const weeklySettings = [
  operation({
    name: "reports_weekly_delivery_get",
    title: "Read the weekly delivery",
    description: "Answers whether the weekly page is posted to chat, where to, whether it is mailed, and who said so.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/reports/weekly/delivery",
    input: z.object(orgRef),
    output: Settings,
    handle: getWeeklyDelivery,
  }),
  operation({
    name: "reports_weekly_delivery_put",
    title: "Set the weekly delivery",
    description:
      "Turns the weekly post to chat on or off, or with `email` the weekly mail. With chat connected, turning it on needs its `channel` and a member's `confirm` (delivery_confirm with group `weekly`).",
    scope: "push",
    route: "PUT /v0/orgs/{orgtag}/reports/weekly/delivery",
    input: PutInput,
    output: Settings,
    handle: putWeeklyDelivery,
  }),
];

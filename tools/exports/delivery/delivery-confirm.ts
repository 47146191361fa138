import { z } from "zod";
import { Channel } from "../../../chapters/exports/delivery/delivery-channels.ts";
import {
  ALERTS_GROUP,
  CONFIRM_SECONDS,
  confirmDelivery,
  WEEKLY_GROUP,
} from "../../../chapters/exports/delivery/delivery-confirm.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { operation } from "../../kernel/operation.ts";

const group = z.string().min(1).max(200).describe("The run group's id.");

const target = z.string().min(1).max(200).optional();

/** Confirm a send. */
export const deliveryConfirm = [
  operation({
    name: "delivery_confirm",
    title: "Confirm a send",
    description: `Gives a signed-in member leave to send one group's finding over one channel once, within ${CONFIRM_SECONDS / 60} minutes (group weekly or alerts: to turn those on). Only the console may ask, with the service-wide token.`,
    scope: "push",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/delivery/confirm",
    statuses: [200],
    input: z.object({
      ...orgRef,
      member: z.string().min(1).max(200).describe("The id of the member who is signed in."),
      channel: Channel,
      group: group.describe(`The run group's id, ${WEEKLY_GROUP}, or ${ALERTS_GROUP}.`),
      target: target.describe("Where to, when the leave is for that target alone."),
    }),
    output: z.object({ org: z.string(), confirm: z.string(), expires_in: z.number(), tier: z.literal("human") }),
    handle: confirmDelivery,
  }),
];

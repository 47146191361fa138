import { z } from "zod";
import { CONFIRM_SECONDS, ConfirmInput, confirmDelivery } from "../../../chapters/exports/delivery/delivery-confirm.ts";
import { operation } from "../../kernel/operation.ts";

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
    input: ConfirmInput,
    output: z.object({ org: z.string(), confirm: z.string(), expires_in: z.number(), tier: z.literal("human") }),
    handle: confirmDelivery,
  }),
];

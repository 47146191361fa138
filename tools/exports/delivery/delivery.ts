import { z } from "zod";
import {
  deliveryLog,
  getDelivery,
  PutInput,
  previewDelivery,
  putDelivery,
} from "../../../chapters/exports/delivery/delivery.ts";
import { Channel, ChannelRow } from "../../../chapters/exports/delivery/delivery-channels.ts";
import { orgRef } from "../../../chapters/fields.ts";
import { Finding } from "../../../chapters/findings/render/finding.ts";
import { pageInput } from "../../../chapters/page.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";
import { deliveryConfirm } from "./delivery-confirm.ts";

const tier = z.literal("deterministic");

/** Delivery channels; delivery log; turn a channel on or off; preview of a send. */
export const delivery = [
  operation({
    name: "delivery_get",
    title: "Read delivery channels",
    description:
      "Lists the channels a finding can go out over, with what each lacks, its last send and which is recommended, and the finding that would be sent. Nothing is on until a member turns it on.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/delivery",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      channels: z.array(ChannelRow),
      recommended: Channel.nullable(),
      finding: Finding.nullable(),
      why: z.string().describe("Which comparison the finding is, or why there is none."),
      tier: Tier.describe("The finding's own where there is one."),
    }),
    handle: getDelivery,
  }),
  operation({
    name: "delivery_log",
    title: "Read the delivery log",
    description:
      "Lists every send, newest first: who, when, over which channel, of which group, and what the receiver calls it.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/delivery/log",
    input: z.object({ ...orgRef, ...pageInput }),
    output: z.object({
      org: z.string(),
      log: z.array(
        z.object({
          id: z.string(),
          at: z.number(),
          by: z.string(),
          channel: z.string(),
          group: z.string(),
          target: z.string().nullable(),
          reference: z.record(z.string(), z.string()),
        }),
      ),
      next: z.string().optional(),
      tier,
    }),
    handle: deliveryLog,
  }),
  ...deliveryConfirm,
  operation({
    name: "delivery_put",
    title: "Turn a channel on or off",
    description:
      "Turns a delivery channel on, which needs its state to be ready, or off, which is always allowed. For `obs` an admin leaves or takes away the org's own credential for writing with `credential`.",
    scope: "push",
    route: "PUT /v0/orgs/{orgtag}/delivery/{channel}",
    input: PutInput,
    output: z.object({ org: z.string(), channel: ChannelRow, tier }),
    handle: putDelivery,
  }),
  operation({
    name: "delivery_preview",
    title: "Preview a send",
    description:
      "Renders the org's finding as a channel would send it now; nothing is sent or logged. An org without a finding gets null and why.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/delivery/{channel}/preview",
    input: z.object({ ...orgRef, channel: Channel }),
    output: z.object({
      org: z.string(),
      channel: Channel,
      finding: Finding.nullable(),
      preview: z.record(z.string(), z.unknown()).nullable(),
      why: z.string(),
      tier: Tier.describe("The finding's own where there is one."),
    }),
    handle: previewDelivery,
  }),
];

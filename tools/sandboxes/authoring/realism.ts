import { z } from "zod";
import { byField, orgRef } from "../../../chapters/fields.ts";
import {
  environmentRealism,
  orgRealism,
  PacketInput,
  rateRealism,
  ratings,
  realismPacket,
} from "../../../chapters/sandboxes/authoring/realism.ts";
import { envRef } from "../../../chapters/sandboxes/fields.ts";
import { operation } from "../../kernel/operation.ts";

const Share = z.object({ n: z.number().int(), of: z.number().int(), low: z.number(), high: z.number() });

/** How often people tell drawn rows from observed ones. */
export const Realism = z.object({
  raters: z.number().int(),
  told: Share.describe("Right answers of ratings, with Wilson's interval at 95 %; at a half nothing is told apart."),
  drawn_taken_for_drawn: Share,
  observed_taken_for_drawn: Share,
  verdict: z.enum(["too_few", "told_apart", "not_told_apart"]),
  tier: z.literal("human"),
});
const Rolled = {
  realism: Realism,
  earlier_draws: z.number().int().describe("Ratings of draws that no longer stand; not counted."),
};
const Rated = z.object({
  recorded: z.number().int(),
  replaced: z.number().int().describe("Earlier ratings of the same rows by the same person."),
  by: z.string(),
  realism: Realism,
});

/** People rating how real drawn rows look. */
export const realism = [
  operation({
    name: "realism_packet",
    title: "Draw a packet of rows to rate",
    description:
      "Answers drawn and observed rows of the same tables, half and half and unmarked, for a person to tell apart. Send what they say to realism_post.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/realism/packet",
    input: PacketInput,
    output: z.object({
      org: z.string(),
      seed: z.string(),
      environments: z.array(z.string()),
      question: z.string(),
      items: z.array(z.object({ item: z.string(), table: z.string(), row: z.unknown() })),
    }),
    handle: realismPacket,
  }),
  operation({
    name: "realism_get",
    title: "Read how real drawn rows look",
    description:
      "Answers how often people told drawn rows from observed ones over the org's environments, with the interval, and for each environment that was rated.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/realism",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      ...Rolled,
      environments: z.array(z.object({ environment: z.string(), label: z.string(), realism: Realism })),
    }),
    handle: orgRealism,
  }),
  operation({
    name: "realism_post",
    title: "Rate rows",
    description:
      "Records what a person took rows of a packet (realism_packet) for, all or none. Their later word on a row replaces the earlier.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/realism",
    input: z.object({ ...orgRef, ...ratings, ...byField }),
    output: Rated,
    handle: rateRealism,
  }),
  operation({
    name: "environment_realism_get",
    title: "Read how real an environment's rows look",
    description: "Answers how often people told drawn rows of this environment from observed ones, with the interval.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/environments/{env_id}/realism",
    input: z.object(envRef),
    output: z.object({ environment: z.string(), ...Rolled }),
    handle: environmentRealism,
  }),
  operation({
    name: "environment_realism_post",
    title: "Rate an environment's rows",
    description:
      "Records what a person took rows of this environment for, from a packet of it (realism_packet with `environment`). Their later word on a row replaces the earlier.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/orgs/{orgtag}/environments/{env_id}/realism",
    input: z.object({ ...envRef, ...ratings, ...byField }),
    output: Rated,
    handle: rateRealism,
  }),
];

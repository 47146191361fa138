import { z } from "zod";
import { orgRef } from "../../chapters/fields.ts";
import { wanted } from "../../chapters/sources/fields.ts";
import { FirstSync } from "../../chapters/sources/obs-connect.ts";
import { CallbackInput, finishOauth, startOauth } from "../../chapters/sources/obs-oauth.ts";
import { operation } from "../kernel/operation.ts";

/** Ask the observability vendor's consent; come back from the vendor's consent. */
export const obsOauth = [
  operation({
    name: "sources_obs_oauth_start",
    title: "Ask the observability vendor's consent",
    description:
      "Begins connecting the observability vendor by its consent page: answers an address for a person to open, good once and for ten minutes. Consent to pulling is given with it.",
    scope: "admin",
    hints: { idempotent: false, openWorld: true },
    answer: "redirect",
    statuses: [302],
    route: "GET /v0/orgs/{orgtag}/sources/obs/oauth/start",
    input: z.object({ ...orgRef, ...wanted, consent: z.literal("granted").describe("Nothing is pulled without it.") }),
    output: z.object({ authorize_url: z.string(), scopes: z.array(z.string()), state: z.string() }),
    handle: startOauth,
  }),
  operation({
    name: "sources_obs_oauth_callback",
    title: "Come back from the vendor's consent",
    description:
      "Ends connecting by the vendor's consent page: exchanges code and state, connects the source and begins its first pull. The page that a person comes back to calls this.",
    scope: "admin",
    hints: { idempotent: false, openWorld: true },
    route: "GET /v0/orgs/{orgtag}/sources/obs/oauth/callback",
    input: CallbackInput,
    output: z.object({
      auth: z.literal("oauth").nullable(),
      source: z.string().nullable(),
      first_sync: FirstSync,
      reconnected: z.boolean(),
      ml_app: z.string().nullable(),
      site: z.string(),
      state: z.enum(["connected", "refused"]),
    }),
    handle: finishOauth,
  }),
];

import { z } from "zod";
import { DataAccess } from "../../chapters/records/evidence/evidence.ts";
import { Cadence, Consent } from "../../chapters/records/sources/sources.ts";
import { connectByKeys, FirstSync } from "../../chapters/sources/obs-connect.ts";
import { finishOauth, startOauth } from "../../chapters/sources/obs-oauth.ts";
import { byField, orgRef } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";

const name = z.string().min(1).max(200);
const site = z.string().min(1).max(60).describe("The vendor's site, such as `datadoghq.com` or `datadoghq.eu`.");

const wanted = {
  site,
  service: name.optional().describe("Only spans of this service."),
  surface: z.string().min(1).max(100).optional().describe("The surface its evidence joins; `main` when absent."),
  ml_app: name.optional().describe("The application whose spans are pulled."),
  requests_ml_app: name.optional().describe("A second application whose spans hold the users' requests."),
  requests_select: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("Which of those spans, in the vendor's query words."),
  label: name.optional(),
  cadence: Cadence.optional(),
  data_access: DataAccess.optional().describe("`anonymized` when absent."),
  ...byField,
};

/** The observability vendor: by its consent page, or by two keys. */
export const obs = [
  operation({
    name: "sources_obs_oauth_start",
    title: "Ask the observability vendor's consent",
    description:
      "Begins connecting the observability vendor by its consent page: answers an address for a person to open, good once and for ten minutes. Consent to pulling is given with it.",
    scope: "admin",
    effect: "read",
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
    effect: "read",
    hints: { idempotent: false, openWorld: true },
    route: "GET /v0/orgs/{orgtag}/sources/obs/oauth/callback",
    input: z.object({
      ...orgRef,
      state: z.string().min(1).max(500),
      code: z.string().min(1).max(4000).optional(),
      domain: z.string().min(1).max(200).optional().describe("The site that the person signed in at."),
      site: z.string().max(200).optional().describe("Sent by the vendor; `domain` counts."),
      client_id: z.string().max(200).optional().describe("Sent by the vendor."),
      error: z.string().min(1).max(500).optional(),
      error_description: z.string().max(2000).optional().describe("Sent by the vendor."),
      ...byField,
    }),
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
  operation({
    name: "sources_obs_connect",
    title: "Connect the observability vendor by keys",
    description:
      "Connects or reconnects the observability vendor from an API key, an application key and a site, tried first and stored sealed. With `list` it answers the applications there are and stores nothing.",
    scope: "admin",
    effect: "create",
    hints: { idempotent: true, openWorld: true },
    statuses: [201, 200],
    route: "POST /v0/orgs/{orgtag}/sources/obs/connect",
    input: z.object({
      ...orgRef,
      api_key: z.string().min(1).max(500),
      app_key: z.string().min(1).max(500),
      ...wanted,
      consent: Consent.optional().describe("Nothing is pulled without `granted`."),
      anon_key: z
        .string()
        .min(16)
        .max(500)
        .optional()
        .describe("A key of its own for pseudonyms; the org's when absent."),
      list: z.boolean().optional().describe("Only list the applications there are."),
    }),
    output: z.object({
      source: z.string().nullable(),
      state: z.enum(["connected", "listed"]),
      reconnected: z.boolean(),
      first_sync: FirstSync,
      site: z.string(),
      ml_app: z.string().nullable(),
      services: z.array(z.string()).describe("Applications that sent spans in the last week."),
      message: z.string(),
    }),
    handle: connectByKeys,
  }),
];

import { z } from "zod";
import { byField, orgRef } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { DataAccess } from "../../chapters/records/evidence/evidence.ts";
import { Cadence, Consent, SourceImport, SourceKind, SourceScope } from "../../chapters/records/sources/sources.ts";
import { sid } from "../../chapters/sources/fields.ts";
import { SourceView } from "../../chapters/sources/source-view.ts";
import {
  addSource,
  deleteSource,
  getSource,
  listSources,
  patchSource,
  recordPulled,
} from "../../chapters/sources/sources.ts";
import { operation } from "../kernel/operation.ts";
import { sync } from "./sync.ts";

const secret = z.string().min(1).max(4000);

const auth = z
  .object({
    api_key: secret.describe("obs: the vendor's API key."),
    app_key: secret.describe("obs: the vendor's application key."),
    public_key: secret.describe("trace_store: the project's public key."),
    secret_key: secret.describe("trace_store: the project's secret key."),
    token: secret.describe("mcp_server, http_json, vcs: sent as a bearer token."),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), secret).describe("mcp_server, http_json."),
  })
  .partial()
  .strict()
  .describe("What opens it: stored sealed, never answered.");

const facts = {
  auth: auth.optional(),
  cadence: Cadence.optional().describe("How often it is pulled by itself; `manual`: only when asked."),
  consent: Consent.optional().describe("Nothing is pulled without `granted`; sources_list has the question."),
  agent: z.string().min(1).max(200).optional().describe("The agent whose sessions it holds."),
  anonymize: z.boolean().optional().describe("Whether identifying values are replaced; says the same as data_access."),
  data_access: DataAccess.optional().describe(
    "anonymized: keyed pseudonyms that keep form and joins; shapes: types, no value.",
  ),
  import: SourceImport.optional().describe("Which part of what it already holds the first pull takes."),
  label: z.string().min(1).max(200).optional(),
  last_sync: z.number().min(0).max(1e11).optional().describe("The unix second up to which it was pulled elsewhere."),
  scope: SourceScope.strict().optional().describe("What of it is pulled, by kind."),
  services: z.array(z.string().min(1).max(200)).max(100).optional().describe("obs: only spans of these services."),
  ...byField,
};

/** Places that evidence comes from: connect, change, pull, disconnect. */
export const sources = [
  operation({
    name: "sources_list",
    title: "List sources",
    description:
      "Lists where the org's evidence comes from: consent, cadence, data access, when each is pulled next and what is in the way; also the kinds and cadences there are. Never a credential.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/sources",
    input: z.object({ ...orgRef, surface: z.string().min(1).max(100).optional(), ...pageInput }),
    output: z.object({
      kinds: z.array(SourceKind),
      cadences: z.array(Cadence),
      consent_questions: z.record(z.string(), z.string()),
      pullable: z.array(SourceKind),
      sources: z.array(SourceView),
      next: z.string().optional(),
    }),
    handle: listSources,
  }),
  operation({
    name: "sources_post",
    title: "Connect a source",
    description:
      "Connects a place that evidence comes from: a tracing project, a tool server, a JSON address, a repository, or one that sends (upload, otlp). Grant consent, then call sources_sync or set a cadence; the observability vendor has sources_obs_connect.",
    scope: "push",
    effect: "create",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/sources",
    input: z.object({
      ...orgRef,
      kind: SourceKind,
      surface: z.string().min(1).max(100).optional().describe("The surface its evidence joins; `main` when absent."),
      external_id: z
        .string()
        .min(1)
        .max(500)
        .describe("A URL (trace_store, mcp_server, http_json), owner/repository (vcs), else a name."),
      ...facts,
    }),
    output: SourceView,
    handle: addSource,
  }),
  operation({
    name: "sources_get",
    title: "Read a source",
    description:
      "Reads one source: consent, data access, where its keys are kept, when it is pulled next, what is in the way, where the next pull goes on, and what its evidence holds.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/sources/{sid}",
    input: z.object({ ...orgRef, sid }),
    output: SourceView,
    handle: getSource,
  }),
  operation({
    name: "sources_patch",
    title: "Change a source",
    description:
      "Changes a source: consent, cadence, data access, credential, what is pulled, which stored evidence came from it. `anon_key` sets a key of its own for pseudonyms; `forget_anon_key` deletes it, and nothing leads back then.",
    scope: "push",
    effect: "update",
    route: "PATCH /v0/orgs/{orgtag}/sources/{sid}",
    input: z.object({
      ...orgRef,
      sid,
      anon_key: z.string().min(16).max(500).optional().describe("Chosen by the org; stored sealed, never answered."),
      forget_anon_key: z.boolean().optional(),
      evidence: z.array(z.string().min(1).max(200)).max(500).optional(),
      pull_pending: z.boolean().optional().describe("Whether somebody else is to pull it, or does."),
      ...facts,
    }),
    output: SourceView.extend({ changes: z.array(z.string()), forgotten: z.boolean() }),
    handle: patchSource,
  }),
  operation({
    name: "sources_delete",
    title: "Disconnect a source",
    description:
      "Disconnects a source at once: its credential and its own key of pseudonyms are deleted. Its evidence is kept; the answer says how many records.",
    scope: "admin",
    effect: "delete",
    route: "DELETE /v0/orgs/{orgtag}/sources/{sid}",
    input: z.object({ ...orgRef, sid, ...byField }),
    output: z.object({ deleted: z.string(), evidence_kept: z.number().int() }),
    handle: deleteSource,
  }),
  ...sync,
  operation({
    name: "sources_pulled",
    title: "Record a pull made elsewhere",
    description:
      "Records that somebody else pulled this source and sent the evidence: it is as fresh as now and no pull is pending. Needs consent.",
    scope: "push",
    effect: "update",
    route: "POST /v0/orgs/{orgtag}/sources/{sid}/pulled",
    input: z.object({ ...orgRef, sid }),
    output: SourceView,
    handle: recordPulled,
  }),
];

import { z } from "zod";
import { byField, orgRef } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { Cadence, SourceKind } from "../../chapters/records/sources/sources.ts";
import { sid } from "../../chapters/sources/fields.ts";
import { SourceView } from "../../chapters/sources/source-view.ts";
import {
  addSource,
  deleteSource,
  getSource,
  listSources,
  NewSource,
  patchSource,
  recordPulled,
  SourcePatch,
} from "../../chapters/sources/sources.ts";
import { operation } from "../kernel/operation.ts";
import { sync } from "./sync.ts";

/** Places that evidence comes from: connect, change, pull, disconnect. */
export const sources = [
  operation({
    name: "sources_list",
    title: "List sources",
    description:
      "Lists where the org's evidence comes from: consent, cadence, data access, when each is pulled next and what is in the way; also the kinds and cadences there are. Never a credential.",
    scope: "read",
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
    input: NewSource,
    output: SourceView,
    handle: addSource,
  }),
  operation({
    name: "sources_get",
    title: "Read a source",
    description:
      "Reads one source: consent, data access, where its keys are kept, when it is pulled next, what is in the way, where the next pull goes on, and what its evidence holds.",
    scope: "read",
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
    route: "PATCH /v0/orgs/{orgtag}/sources/{sid}",
    input: SourcePatch,
    output: SourceView.extend({ changes: z.array(z.string()), forgotten: z.boolean() }),
    handle: patchSource,
  }),
  operation({
    name: "sources_delete",
    title: "Disconnect a source",
    description:
      "Disconnects a source at once: its credential and its own key of pseudonyms are deleted. Its evidence is kept; the answer says how many records.",
    scope: "admin",
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

import { z } from "zod";
import { ExcludedKind } from "../../chapters/exports/entries.ts";
import { KindIds, orgRecord, orgRecords, RecordsInput } from "../../chapters/exports/org-records.ts";
import { orgRef, recordId } from "../../chapters/fields.ts";
import { Tier } from "../../chapters/tier.ts";
import { operation } from "../kernel/operation.ts";

/** The org's records as a copy sees them. */
export const records = [
  operation({
    name: "org_records",
    title: "List all records by kind",
    description:
      "Lists the ids of every kind of record that a copy of this org takes, and how many stay behind and why. Name a kind to page through its ids.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/records",
    input: RecordsInput,
    output: z.object({
      org: z.string(),
      kinds: z.array(KindIds),
      stays_behind: z.array(ExcludedKind),
      tier: Tier,
    }),
    handle: orgRecords,
  }),
  operation({
    name: "org_record_get",
    title: "Read a record as stored",
    description:
      "Reads one record exactly as stored, with the digest of its text, of a kind that org_records lists. To look at a trace, evidence_get shows it as a tree.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/records/{kind}/{rid}",
    input: z.object({ ...orgRef, kind: z.string().min(1).max(60), rid: recordId("record") }),
    output: z.object({
      kind: z.string(),
      id: z.string(),
      digest: z.string(),
      record: z.record(z.string(), z.unknown()),
    }),
    handle: orgRecord,
  }),
];

import { z } from "zod";
import { byField, count, orgRef } from "../../chapters/fields.ts";
import { deleteOrg, purgePreview, renameOrg } from "../../chapters/organization/org-lifecycle.ts";
import { operation } from "../kernel/operation.ts";

const counts = z.record(z.string(), count);
const tier = z.literal("deterministic");

/** The org as a whole: what it owns, its end, its tag. */
export const orgLife = [
  operation({
    name: "org_purge_preview",
    title: "Preview a deletion",
    description:
      "Counts what org_delete would remove, by table and kind, without removing anything. Show the total to the person who asked before org_delete.",
    scope: "admin",
    route: "GET /v0/orgs/{orgtag}/purge",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      records: counts.describe("Records by kind."),
      evidence_sidecars: counts.describe("What was read of evidence, beside its records."),
      ontology_graph: count.describe("Records of the ontology and its dimensions."),
      ids: z.record(z.string(), z.array(z.string())).describe("The first ids of each kind."),
      jobs_note: z.string(),
      tables: counts.describe("Rows by table."),
      total: count.describe("Rows in all tables together."),
      tier,
    }),
    handle: purgePreview,
  }),
  operation({
    name: "org_delete",
    title: "Delete the org",
    description:
      "Deletes the org with everything it owns, at once and for good. Ask the person first, with what org_purge_preview counts; `confirm` must be the org's tag.",
    scope: "admin",
    hints: { idempotent: false },
    route: "DELETE /v0/orgs/{orgtag}",
    input: z.object({ ...orgRef, confirm: z.string().min(1).max(64).describe("The org's tag, once more.") }),
    output: z.object({
      org: z.string(),
      deleted: z.literal(true),
      records: counts,
      tables: counts,
      total: count,
      scrubbed: z.boolean().describe("Whether the deleted content is also out of the database's own files."),
      note: z.string(),
      tier,
    }),
    handle: deleteOrg,
  }),
  operation({
    name: "org_rename",
    title: "Rename the org",
    description:
      "Gives the org another tag, as one move; tokens and ids stay valid, addresses with the old tag answer no more. A tag that another org has is refused.",
    scope: "admin",
    effect: "update",
    hints: { idempotent: false },
    route: "POST /v0/orgs/{orgtag}/rename",
    input: z.object({
      ...orgRef,
      to: z.string().min(1).max(63).describe("The new tag: lower-case letters, digits and inner hyphens."),
      ...byField,
    }),
    output: z.object({ org: z.string(), was: z.string(), moved: count, note: z.string(), tier }),
    handle: renameOrg,
  }),
];

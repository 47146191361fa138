import { z } from "zod";
import { FileInput, fileAttributes, readAttributes } from "../../../chapters/evidence/attributes/attributes.ts";
import { eid, reach } from "../../../chapters/evidence/fields.ts";
import { count } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { FieldSummary, TraceAttributes } from "../../../chapters/records/evidence/attribute.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

/** What was read of each trace, and selecting traces by it. */
export const attributes = [
  operation({
    name: "evidence_attributes_post",
    title: "File attributes of traces",
    description:
      "Files what was read of one evidence record's traces: per trace, fields with a short value, where it was read, and how (extractor_model or method; else a person's word). All or nothing.",
    scope: "push",
    effect: "create",
    hints: { idempotent: true },
    route: "POST /v0/evidence/{eid}/attributes",
    orgResolution: reach,
    input: FileInput,
    output: z.object({
      _v: count.describe("The version of the form they are kept in."),
      id: z.string(),
      attributes: z.array(FieldSummary).describe("The record's fields, as they are filled now."),
      extracted: z.object({
        traces: count,
        values: count,
        extractor_model: z.string().nullable(),
        method: z.string().nullable(),
        tier: Tier,
      }),
    }),
    handle: fileAttributes,
  }),
  operation({
    name: "evidence_attributes_get",
    title: "Read attributes of traces",
    description:
      "Reads the stored attributes of one evidence record trace by trace, in order: each value with where it was read, by what and how; on the first page also how far each field is filled.",
    scope: "read",
    route: "GET /v0/evidence/{eid}/attributes",
    orgResolution: reach,
    input: z.object({ eid, ...pageInput }),
    output: z.object({
      id: z.string(),
      org: z.string(),
      _v: count,
      fields: z.array(FieldSummary).optional().describe("Over the whole record; on the first page alone."),
      attributes: z.array(TraceAttributes),
      next: z.string().optional(),
    }),
    handle: readAttributes,
  }),
];

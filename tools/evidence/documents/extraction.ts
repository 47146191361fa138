import { z } from "zod";
import {
  ExtractionRequest,
  ExtractRequest,
  getExtraction,
  startExtract,
  startReExtract,
} from "../../../chapters/evidence/documents/extraction.ts";
import { eid, reach } from "../../../chapters/evidence/fields.ts";
import { count } from "../../../chapters/fields.ts";
import { Started } from "../../../chapters/job.ts";
import { ExtractionMap } from "../../../chapters/records/evidence/extraction.ts";
import { Tier } from "../../../chapters/tier.ts";
import { operation } from "../../kernel/operation.ts";

const Version = z.object({
  pin: z.string(),
  document: z.string(),
  version: count,
  state: z.enum(["current", "superseded"]),
  superseded_by: z.string().nullable(),
  created_at: z.number(),
  by: z.string(),
  model: z.string().nullable(),
  prompt_version: z.string().nullable(),
  usd: z.number(),
  tier: Tier,
  statements: count,
});

/** Reading evidence: attributes of traces, and what documents say. */
export const extraction = [
  operation({
    name: "evidence_extract",
    title: "Read evidence",
    description:
      "Starts reading what nobody read of one evidence record yet (attributes of traces, statements of documents, pinned); values that somebody filed stay. Next: evidence_match, facets_post.",
    scope: "push",
    effect: "start",
    route: "POST /v0/evidence/{eid}/extract",
    orgResolution: reach,
    input: ExtractRequest,
    output: Started.extend({
      evidence_id: z.string(),
      traces: count.describe("How many are to be read."),
      documents: count,
      estimate_usd: z.number().describe("What it may cost at most; 0 by rule."),
    }),
    handle: startExtract,
  }),
  operation({
    name: "evidence_extraction_get",
    title: "Read what documents contributed",
    description:
      "Answers what the documents of one evidence record contributed, as pinned: current pins, their versions, the values they share, and pins whose text is gone or changed. `cites` adds the passages.",
    scope: "read",
    route: "GET /v0/evidence/{eid}/extraction",
    orgResolution: reach,
    input: ExtractionRequest,
    output: z.object({
      id: z.string(),
      current: Version.extend({
        chars: count,
        read_chars: count,
        says: z.array(z.object({ field: z.string(), value: z.string(), at: count })),
      }).nullable(),
      documents: z.array(
        z.object({
          document: z.string(),
          title: z.string().nullable(),
          chars: count,
          pin: z.string().nullable(),
          version: count.nullable(),
          statements: count.nullable(),
        }),
      ),
      map: z
        .object({
          pins: z.array(z.string()),
          values: ExtractionMap.schema.shape.values,
          drawn_at: z.number(),
          tier: Tier,
        })
        .nullable(),
      cites: z.array(
        z.object({
          pin: z.string(),
          document: z.string(),
          field: z.string(),
          value: z.string(),
          quote: z.string(),
          at: count.describe("Where the passage begins, characters."),
        }),
      ),
      orphaned: z.array(z.object({ pin: z.string(), document: z.string(), reason: z.string() })),
      versions: z.array(Version),
      note: z.string(),
    }),
    handle: getExtraction,
  }),
  operation({
    name: "evidence_re_extract",
    title: "Read documents anew",
    description:
      "Starts reading every document of one evidence record anew: each gets a new pin, the old one stays as a version. The only way a pin is replaced.",
    scope: "push",
    effect: "start",
    route: "POST /v0/evidence/{eid}/re-extract",
    orgResolution: reach,
    input: z.object({ eid }),
    output: Started.extend({ evidence_id: z.string() }),
    handle: startReExtract,
  }),
];

import { z } from "zod";
import { orgField, recordId } from "../../../chapters/fields.ts";
import { pageInput } from "../../../chapters/page.ts";
import { ListingDiff } from "../../../chapters/records/evidence/listing-diff.ts";
import { PublicProposal } from "../../../chapters/records/sandboxes/proposals.ts";
import { BundleRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { bundleManifest, listBundles } from "../../../chapters/sandboxes/surfaces/bundles.ts";
import { ShownEffect, ToolDefinition } from "../../../worlds/bundle.ts";
import { operation } from "../../kernel/operation.ts";

/** Compiled tool surfaces. */
export const bundles = [
  operation({
    name: "bundles_list",
    title: "List bundles",
    description:
      "Lists compiled versions of surfaces, newest first: tools, tables, gaps, recorded exceptions and measured fidelity. For the systems themselves and their environments use surfaces_list.",
    scope: "read",
    route: "GET /v0/bundles",
    input: z.object({ ...orgField, ...pageInput }),
    output: z.object({
      bundles: z.array(
        BundleRecord.schema
          .omit({ bundle_blob: true, base_blob: true, wrong_blob: true, inputs: true })
          .extend({ proposed: PublicProposal.optional() }),
      ),
      next: z.string().optional(),
    }),
    handle: listBundles,
  }),
  operation({
    name: "bundle_manifest",
    title: "Read a bundle's tools",
    description:
      "Answers exactly what an agent sees on a tools listing of this bundle's worlds, and which of the tools only read.",
    scope: "read",
    route: "GET /v0/bundles/{bundle_id}/manifest",
    orgResolution: { from: "record", kind: BundleRecord, param: "bundle_id" },
    input: z.object({ bundle_id: recordId("bundle") }),
    output: z.object({
      bundle_id: z.string(),
      tool_count: z.number().int(),
      readonly_tools: z
        .array(z.string())
        .describe(
          "Tools that evidence or a listing shows to change nothing; of the others `effects` tells what is known.",
        ),
      effects: z
        .record(z.string(), ShownEffect)
        .optional()
        .describe(
          "By tool: `none`, `changes` or `unknown`, whether that was seen, declared, or is so in its fitted behaviour, and `n`: how often a question was answered alike before and after its calls (for `changes`: otherwise).",
        ),
      user_tools: z
        .array(z.string())
        .optional()
        .describe(
          "Tools that only the user's side was seen to call; no agent is shown them. Absent where there is none.",
        ),
      listings: ListingDiff.optional().describe(
        "How the newest of the surface's tool listings differs from the others that stand; absent where it does not.",
      ),
      tools: z.array(ToolDefinition),
    }),
    handle: bundleManifest,
  }),
];

import { z } from "zod";
import { pageInput } from "../../chapters/page.ts";
import { bundleManifest, listBundles } from "../../chapters/sandboxes/bundles.ts";
import { BundleRecord } from "../../chapters/sandboxes/schema.ts";
import { ToolDefinition } from "../../worlds/bundle.ts";
import { orgField, recordId } from "../kernel/fields.ts";
import { operation } from "../kernel/operation.ts";

/** Compiled tool surfaces. */
export const bundles = [
  operation({
    name: "bundles_list",
    title: "List bundles",
    description:
      "Lists compiled tool surfaces, newest first: tools, tables, gaps, recorded exceptions and measured fidelity.",
    scope: "read",
    effect: "read",
    route: "GET /v0/bundles",
    input: z.object({ ...orgField, ...pageInput }),
    output: z.object({
      bundles: z.array(BundleRecord.schema.omit({ bundle_blob: true, base_blob: true, inputs: true })),
      next: z.string().optional(),
    }),
    handle: listBundles,
  }),
  operation({
    name: "bundle_manifest",
    title: "A bundle's tools",
    description:
      "Answers exactly what an agent sees on a tools listing of this bundle's worlds, and which of the tools only read.",
    scope: "read",
    effect: "read",
    route: "GET /v0/bundles/{bundle_id}/manifest",
    reach: { from: "record", kind: BundleRecord, param: "bundle_id" },
    input: z.object({ bundle_id: recordId("bundle") }),
    output: z.object({
      bundle_id: z.string(),
      tool_count: z.number().int(),
      readonly_tools: z.array(z.string()),
      tools: z.array(ToolDefinition),
    }),
    handle: bundleManifest,
  }),
];

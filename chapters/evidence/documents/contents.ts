import { z } from "zod";
import { ToolDefinition } from "../../../worlds/bundle.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { Ctx } from "../../context.ts";
import { unprocessable } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";
import type { CapturedHttp, DocumentContent, RecordTable } from "../formats/format.ts";

/** What the blob of a listing, a document or a capture holds. */
const Contents = z.object({
  tools: z.array(ToolDefinition).optional(),
  texts: z.array(z.object({ id: z.string().optional(), title: z.string().optional(), text: z.string() })).optional(),
  tables: z
    .array(
      z.object({ name: z.string(), columns: z.array(z.string()), rows: z.array(z.record(z.string(), z.unknown())) }),
    )
    .optional(),
  exchanges: z.array(z.custom<CapturedHttp>()).optional(),
});

/** The blob's bytes for what was read of a listing, a document or a capture. */
export function contentBytes(
  contents:
    | { readonly tools: readonly ToolDefinition[] }
    | { readonly exchanges: readonly CapturedHttp[] }
    | DocumentContent,
): Uint8Array {
  return Buffer.from(JSON.stringify(contents));
}

/** The tools of stored evidence of kind `tool_listing`. */
export async function readToolListing(ctx: Ctx, evidence: Doc<typeof Evidence>): Promise<ToolDefinition[]> {
  return (await read(ctx, evidence)).tools ?? [];
}

/** The tables of a stored database export by name, each a list of rows. */
export async function readRecords(ctx: Ctx, evidence: Doc<typeof Evidence>): Promise<Record<string, JsonObject[]>> {
  const tables = ((await read(ctx, evidence)).tables ?? []) as readonly RecordTable[];
  return Object.fromEntries(tables.map((table) => [table.name, [...table.rows]]));
}

/** The texts of a stored document. */
export async function readTexts(ctx: Ctx, evidence: Doc<typeof Evidence>): Promise<DocumentContent["texts"]> {
  return ((await read(ctx, evidence)).texts ?? []) as DocumentContent["texts"];
}

/** The exchanges of a stored HTTP capture. */
export async function readExchanges(ctx: Ctx, evidence: Doc<typeof Evidence>): Promise<readonly CapturedHttp[]> {
  return (await read(ctx, evidence)).exchanges ?? [];
}

async function read(ctx: Ctx, evidence: Doc<typeof Evidence>) {
  const bytes = evidence.blob === undefined ? undefined : await ctx.store.blobs.get(evidence.blob);
  if (!bytes) throw unprocessable("This evidence holds no listing, no document and no capture.");
  return Contents.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
}

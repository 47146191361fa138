import type { z } from "zod";
import type { Ctx } from "../context.ts";
import { badField } from "../errors.ts";
import type { PrivacyRule } from "../evidence/anonymize/index.ts";
import { DataAccess } from "../evidence/schema.ts";
import { Source } from "./schema.ts";
import { privacyFor } from "./secrets.ts";

/**
 * How evidence that is sent is read: as its sender says, else as the source it came through says. A sender cannot let
 * more through than the source does.
 */
export async function sourceAccess(
  ctx: Ctx,
  source: string | undefined,
  said: z.infer<typeof DataAccess> | undefined,
): Promise<PrivacyRule | undefined> {
  const doc = source === undefined ? undefined : await ctx.store.records.get(Source, source);
  const order = DataAccess.options;
  if (doc && said !== undefined && order.indexOf(said) < order.indexOf(doc.data_access))
    throw badField("data_access", "lets more through than the source it names");
  return privacyFor(ctx, said ?? doc?.data_access ?? "full", doc);
}

import type { z } from "zod";
import type { Ctx } from "../../context.ts";
import { badField, conflict, orNotFound } from "../../errors.ts";
import { DataAccess } from "../../records/evidence/evidence.ts";
import { Source } from "../../records/sources/sources.ts";
import type { PrivacyRule } from "../anonymize/index.ts";
import { privacyFor } from "../anonymize/pseudonym-keys.ts";

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

/** Refuses evidence through a source that the org does not have, or whose keeping somebody declined. */
export async function mayKeep(ctx: Ctx, source: string | undefined): Promise<void> {
  if (source === undefined) return;
  const doc = orNotFound(await ctx.store.records.get(Source, source), "source");
  if (doc.consent === "declined")
    throw conflict(
      "Consent to this source was declined; nothing of it is kept. sources_patch with consent granted lets it in.",
    );
}

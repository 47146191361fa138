import type { Ctx } from "../context.ts";
import { privacyFor } from "../evidence/anonymize/pseudonym-keys.ts";
import { NothingTaken, storeEvidence } from "../evidence/intake/store-evidence.ts";
import { once } from "../evidence/reading/bytes.ts";
import { Evidence } from "../records/evidence/evidence.ts";
import type { SourceDoc } from "./source-view.ts";

/** A body that was pulled. */
export interface PulledContent {
  readonly bytes: Uint8Array;
  readonly kind?: string | undefined;
  readonly format?: string | undefined;
  readonly tag?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** What became of it. */
export interface Stored {
  /** The record; absent where nothing of the body could be taken. */
  readonly evidence?: string | undefined;
  readonly fresh: boolean;
  readonly traces: number;
  readonly refused: number;
}

/** Stores what was pulled of a source, under the source's data access. A body of which nothing can be taken is counted. */
export async function storePulled(ctx: Ctx, source: SourceDoc, content: PulledContent): Promise<Stored> {
  const { bytes, ...facts } = content;
  try {
    const { doc, stored } = await storeEvidence(ctx, once(bytes), {
      ...facts,
      by: source.by,
      surface: source.surface,
      source: source.id,
      origin: "pull",
      progress: false,
      privacy: await privacyFor(ctx, source.data_access, source),
    });
    if (stored && source.agent !== undefined) {
      const { agent } = source;
      await ctx.store.records.update(Evidence, doc.id, (row) => ({ ...row, agent }));
    }
    return { evidence: doc.id, fresh: stored, traces: stored ? doc.stats.traces : 0, refused: doc.stats.refused };
  } catch (cause) {
    if (!(cause instanceof NothingTaken)) throw cause;
    return { fresh: false, traces: 0, refused: cause.tally.refusedCount };
  }
}

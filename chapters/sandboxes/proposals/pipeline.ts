import { z } from "zod";
import type { JobCtx } from "../../job.ts";
import type { Doc } from "../../record.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";
import { KeptProposal, type ProposedPrograms } from "../../records/sandboxes/proposals.ts";
import { BundleRecord, type Surface } from "../../records/sandboxes/sandboxes.ts";
import type { SurfaceInputs } from "../surfaces/surface-evidence.ts";
import { requestDigest } from "./ask.ts";
import { askForSurface, judgedProposal, keptProposal } from "./kept.ts";

/** What a pipeline that was interrupted has paid for already. */
const Paid = z.object({ asked: KeptProposal });

interface Asking {
  readonly input: { readonly model?: string | undefined; readonly usd_cap?: number | undefined; readonly seed: string };
  /** The bundle that the same evidence compiled to before. */
  readonly known: Doc<typeof BundleRecord> | undefined;
  readonly evidence: readonly Doc<typeof Evidence>[];
  readonly inputs: () => Promise<SurfaceInputs>;
}

/** What a pipeline's model was asked for. */
interface ProposalRequest {
  readonly report: ProposedPrograms;
  /** Something was proposed that the evidence was not compiled with yet. */
  readonly anew: boolean;
  /** What a compile is given; absent where it takes what the served bundle has. */
  readonly compileWith?: KeptProposal;
}

/**
 * Has the model of a pipeline asked, where it names one. What the same evidence was asked for is not asked again, nor
 * what was paid for before an interruption.
 */
export async function requestPrograms(
  ctx: JobCtx,
  surface: Doc<typeof Surface>,
  { input: { model, usd_cap: usdCap, seed }, known, evidence, inputs }: Asking,
): Promise<ProposalRequest | undefined> {
  if (model === undefined) return undefined;
  const given = await inputs();
  const name = requestDigest(given.digest, model);
  const stood = known?.proposed;
  if (stood?.proposal_blob !== undefined && stood.request_digest === name) return { report: stood, anew: false };
  ctx.progress(0, undefined, `ask ${model}`);
  const paid = Paid.safeParse(ctx.job.state).data?.asked;
  const kept =
    paid?.request_digest === name ? paid : await askForSurface(ctx, surface, given, evidence, { model, usdCap, seed });
  await ctx.job.checkpoint({ asked: kept });
  await ctx.job.audit("proposed", { rounds: kept.rounds, proposed: kept.proposal_blob !== undefined });
  const judged = judgedProposal(kept, undefined);
  if (kept.proposal_blob !== undefined) return { report: judged, anew: true, compileWith: kept };
  // Nothing new to compile with: what was asked is kept with the bundle, unless an earlier proposal serves in it.
  if ((await keptProposal(ctx, surface))?.proposal_blob !== undefined) return { report: judged, anew: false };
  if (known !== undefined)
    await ctx.store.records.update(BundleRecord, known.id, (row) => ({ ...row, proposed: judged }));
  return { report: judged, anew: false, compileWith: kept };
}

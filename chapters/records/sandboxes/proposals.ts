import { z } from "zod";
import { Standing } from "../../../worlds/propose/schema.ts";
import { Tier } from "../../tier.ts";

/** What a model was asked for and what it cost; texts are kept as blobs. */
export const KeptProposal = z.object({
  model: z.string(),
  prompt_version: z.string(),
  /** Names the evidence, the model and the prompt: the same is not asked twice. */
  request_digest: z.string(),
  rounds: z.number().int(),
  usd: z.number(),
  /** Ids of the `model_call` records of answers that could be read. */
  calls: z.array(z.string()),
  /** Blob of every exchange, word for word: `surface_representation` shows it as the part `proposals`. */
  exchanges_blob: z.string(),
  /** Blob of the proposal that was judged; absent where no answer could be replayed. */
  proposal_blob: z.string().optional(),
  /** Why asking ended early, or was not begun. */
  note: z.string().optional(),
});
export type KeptProposal = z.infer<typeof KeptProposal>;

/** What a model proposed for a bundle, and what replay took of it. */
export const ProposedPrograms = KeptProposal.extend({
  /** Of the tools that stand. */
  tier: Tier,
  /** Whether some of it serves. */
  taken: z.boolean(),
  /** One sentence: why, or why not, with the held-out calls without it and with it. */
  reason: z.string(),
  tools: z.array(
    z.object({
      tool: z.string(),
      reason: z.string().describe("What its program stands on, or why it was not taken."),
      standing: Standing.optional(),
    }),
  ),
  /** What was cut of it, and why. */
  cut: z.array(z.string()),
});
export type ProposedPrograms = z.infer<typeof ProposedPrograms>;

/** The same without the names of blobs, as answers tell it. */
export const PublicProposal = ProposedPrograms.omit({
  exchanges_blob: true,
  proposal_blob: true,
  request_digest: true,
});

/** A record's proposal as answers tell it. */
export function publicProposal({
  exchanges_blob: _e,
  proposal_blob: _p,
  request_digest: _a,
  ...rest
}: ProposedPrograms) {
  return rest;
}

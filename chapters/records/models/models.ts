import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/**
 * One exchange with a model, written before its answer is used: how a number was graded is read from these. Texts are
 * kept as SHA-256 digests only.
 */
export const ModelCall = recordKind({
  kind: "model_call",
  prefix: "mc",
  schema: z.object({
    ...recordBase,
    /** What it was asked for: the pass, or `react` for a turn of the tool loop. */
    pass: z.string(),
    prompt_version: z.string(),
    model: z.string(),
    job: z.string().nullable(),
    /** The attempt of a run that it was asked for; absent where it was for none. */
    trial: z.string().optional(),
    input_digest: z.string(),
    /** Null when there was no answer. */
    output_digest: z.string().nullable(),
    tokens: z.object({ input: z.number().int(), output: z.number().int() }),
    /** `provider` as the provider counted them, `estimated` from the length of the texts. */
    tokens_source: z.enum(["provider", "estimated"]),
    /** Micro-dollars. */
    micro_usd: z.number().int(),
    outcome: z.enum(["answered", "malformed", "refused", "failed"]),
  }),
  fields: ["pass", "job", "trial"],
});

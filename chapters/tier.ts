import { z } from "zod";

/** How a number or a text was made: a person said so, code decided it from stored records, a model wrote or decided it. */
export const Tier = z.enum(["human", "deterministic", "llm-derived"]);
export type Tier = z.infer<typeof Tier>;

const STRENGTH: Record<Tier, number> = { human: 2, deterministic: 1, "llm-derived": 0 };

/** The tier of a mix: its weakest part's. With no part given, `deterministic`. */
export function weakestTier(tiers: Iterable<Tier>): Tier {
  let weakest: Tier | undefined;
  for (const tier of tiers) if (weakest === undefined || STRENGTH[tier] < STRENGTH[weakest]) weakest = tier;
  return weakest ?? "deterministic";
}

import { z } from "zod";

/** How a number or a text was made: a person said so, code decided it from stored records, a model wrote or decided it. */
export const Tier = z.enum(["human", "deterministic", "llm-derived"]);
export type Tier = z.infer<typeof Tier>;

const WEAKEST_FIRST: readonly Tier[] = ["llm-derived", "deterministic", "human"];

/** The tier of a mix: its weakest. Undefined of nothing. */
export function weakestTier(tiers: Iterable<Tier>): Tier | undefined {
  const present = new Set(tiers);
  return WEAKEST_FIRST.find((tier) => present.has(tier));
}

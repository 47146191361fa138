import { z } from "zod";

/** How a number or a text was made: a person said so, code decided it from stored records, a model wrote or decided it. */
export const Tier = z.enum(["human", "deterministic", "llm-derived"]);
export type Tier = z.infer<typeof Tier>;

import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** Models run side by side on the same tasks: a group per pin. */
export const ProviderComparison = recordKind({
  kind: "provider_comparison",
  prefix: "pc",
  schema: z.object({
    ...recordBase,
    environment: z.string(),
    /** The environment's label at the start. */
    label: z.string(),
    pins: z.array(z.object({ pin: z.string(), label: z.string(), model: z.string(), group: z.string() })),
    tasks: z.number().int(),
    trials: z.number().int(),
  }),
});

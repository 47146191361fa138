import { z } from "zod";

/** What every start of long work answers. */
export const Started = z.object({
  job: z.string(),
  status: z.string(),
  deduplicated: z.boolean().describe("Whether the same work ran already; `job` is that one then."),
  poll: z.string().describe("Where to ask how it goes."),
});

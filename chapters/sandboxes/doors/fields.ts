import { z } from "zod";

/** Where a door is reached. */
export const urls = {
  base_url: z.string().optional().describe("Where a client's upstream is pointed; cut short for read-only callers."),
  gaps_url: z.string().optional().describe("Lists by route what no evidence answered."),
};

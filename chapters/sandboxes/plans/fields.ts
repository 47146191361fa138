import { z } from "zod";

/** Whether rows are invented. */
export const augment = z
  .boolean()
  .optional()
  .describe("Whether rows may be drawn beside the observed ones; off when absent.");

/** How many tasks are written; `when` of them when the caller does not say. */
export const tasks = (when: number) =>
  z.number().int().min(1).max(500).optional().describe(`How many tasks; ${when} when absent.`);

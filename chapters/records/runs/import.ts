import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/**
 * What was taken in once: a bundle by its digest, with the run made of it, or a source's group, with the group made of
 * it. Its id is made of that value, so that two who import the same cannot both store it.
 */
export const RunImport = recordKind({
  kind: "run_import",
  prefix: "ri",
  schema: z.object({ ...recordBase, group: z.string(), run: z.string().optional() }),
});

import { z } from "zod";
import { CheckVerdict, Script } from "../../../worlds/tasks/schema.ts";
import { recordBase, recordKind } from "../../record.ts";

/** What a dry run of a script came to. */
export const DryRun = z.object({
  /** The draw it ran on: a later one is another world. */
  bundle: z.string(),
  base_blob: z.string(),
  /** Digest of the checks that it was held to; absent on dry runs of before this was kept. */
  checks_digest: z.string().optional(),
  end: z.enum(["met", "failed", "invalid", "did_not_run"]),
  /** The call that could not be made, from 1; absent where all were. */
  failed_at: z.number().int().optional(),
  /** In words; empty when met. */
  cause: z.string(),
  checks: z.array(CheckVerdict),
});
export type DryRun = z.infer<typeof DryRun>;

/** Another way to do a task that a person wrote: `stored` when it met every check in its dry run, else a draft. One record a script. */
export const TaskScript = recordKind({
  kind: "task_script",
  prefix: "sc",
  schema: z.object({
    ...recordBase,
    environment: z.string(),
    index: z.number().int(),
    name: z.string().optional(),
    script: Script,
    status: z.enum(["stored", "draft"]),
    dry_run: DryRun,
  }),
  fields: ["environment", "index", "status"],
});

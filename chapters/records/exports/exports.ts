import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** The kind of job that sends rounds. Its own rows are about this workspace and are not copied. */
export const MIRROR_JOB = "mirror";

/** A job that has ended, as a copy takes it. Times are unix seconds. */
export const JobMember = z.strictObject({
  id: z.string(),
  kind: z.string(),
  key: z.string(),
  status: z.enum(["landed", "failed", "stopped", "cancelled"]),
  note: z.string().nullable(),
  parent: z.string().nullable(),
  by: z.string(),
  input: z.unknown(),
  state: z.unknown(),
  result: z.unknown(),
  attempt: z.number().int(),
  done: z.number(),
  total: z.number().nullable(),
  message: z.string().nullable(),
  stop_by: z.string().nullable(),
  created_at: z.number(),
  started_at: z.number().nullable(),
  ended_at: z.number(),
});

/** A member that another workspace sent and this one did not take, at the digest it had; forgotten once it is taken. */
export const MirrorRefusal = recordKind({
  kind: "mirror_refusal",
  prefix: "mr",
  schema: z.object({
    ...recordBase,
    member_kind: z.string(),
    member: z.string(),
    sha256: z.string(),
    reason: z.string(),
  }),
  copy: { staysBehind: "what was not taken here" },
  scope: "admin",
});

/**
 * A send that is made once: its id is made of the channel and of what is sent. Without a reference it is on its way, or
 * its sender was killed while it was.
 */
export const SentOnce = recordKind({
  kind: "sent_once",
  prefix: "so",
  schema: z.object({
    ...recordBase,
    channel: z.string(),
    group: z.string(),
    /** What the receiver calls it. */
    reference: z.record(z.string(), z.string()).optional(),
    /** Its line of the delivery log: whose it is, where to, and what it says beside the reference. */
    log: z
      .object({
        id: z.string(),
        by: z.string(),
        target: z.string().nullable(),
        says: z.record(z.string(), z.string()),
      })
      .optional(),
  }),
  copy: { staysBehind: "what this workspace sent" },
  scope: "admin",
});

/** The newest export of a run. Its id is made of the run's. */
export const RunExport = recordKind({
  kind: "run_export",
  prefix: "rx",
  schema: z.object({
    ...recordBase,
    run: z.string(),
    /** From 1; one more for every export that came out another. */
    version: z.number().int(),
    /** The bundle: a JSON blob, by its digest. */
    blob: z.string(),
    reexported_at: z.number(),
  }),
});

import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** A record that an answer rests on, and the tool that read it. */
export const RootCite = z.object({ tool: z.string(), id: z.string() });

/** A tool that was called for an answer, and whether it answered. */
export const RootCall = z.object({ tool: z.string(), status: z.number().int() });

/** A conversation of one caller with the assistant. Nobody else reads it, and it stays where it was held. */
export const RootThread = recordKind({
  kind: "root_thread",
  prefix: "rth",
  schema: z.object({
    ...recordBase,
    /** The credential that holds it: an org token's id, else what kind of caller it is. */
    owner: z.string(),
    title: z.string(),
    updated_at: z.number(),
    turns: z.number().int(),
  }),
  fields: ["owner"],
  copy: { staysBehind: "a caller's own conversation; the caller's token stays behind too" },
  scope: "admin",
  staffOnly: () => true,
});

/** One question of a thread with its answer, as it was given. */
export const RootTurn = recordKind({
  kind: "root_turn",
  prefix: "rtt",
  schema: z.object({
    ...recordBase,
    thread: z.string(),
    /** Secrets in it are taken out. */
    text: z.string(),
    answer: z.string(),
    cites: z.array(RootCite),
    calls: z.array(RootCall),
    tier: Tier,
    /** Null where rules answered. */
    model: z.string().nullable(),
    usd: z.number(),
  }),
  fields: ["thread"],
  copy: { staysBehind: "a caller's own conversation; the caller's token stays behind too" },
  scope: "admin",
  staffOnly: () => true,
});

import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";

/** What connecting a served repository goes through, in order. */
export const SERVED_STAGES = ["checkout", "source", "serve", "surface"] as const;
const Stage = z.enum(SERVED_STAGES);

/** A customer's MCP server at one commit, its upstream pointed at a door. One a connection; a newer of the same address supersedes it. */
export const ServedRepo = recordKind({
  kind: "served_repo",
  prefix: "sr",
  schema: z.object({
    ...recordBase,
    url: z.string(),
    label: z.string(),
    state: z.enum(["connecting", "connected", "refused"]),
    stage: Stage.optional().describe(
      "The last stage that was finished; a refusal names the one that it was refused at.",
    ),
    job: z.string().optional(),
    /** The door that its upstream is pointed at, and the path below it that its addresses begin with. */
    door: z.object({ sandbox: z.string(), tid: z.string(), path: z.string() }),
    installation: z.string().optional(),
    token_env: z.string().optional(),
    ref: z.string().optional(),
    /** The ref as a person would say it. */
    ref_words: z.string().optional(),
    commit: z.string().optional(),
    connected_at: z.number().optional(),
    refused_at: z.number().optional(),
    /** Why it was refused and at which stage; nothing of what the server or its host said. */
    refusal: z.object({ stage: Stage, reason: z.string() }).optional(),
    /** What the commit holds and was not written out, counted. */
    removed_at_checkout: z.object({ links: z.number().int(), submodules: z.number().int() }).optional(),
    transport: z.literal("stdio"),
    /** How it is started, and what sets it up before, as one shell line each. */
    run: z.string().optional(),
    setup: z.string().optional(),
    /** The environment variable that its upstream's address is read from. */
    upstream_env: z.string().optional(),
    surface_id: z.string().optional(),
    bundle: z.string().optional(),
    operations: z.number().int().optional(),
    /** SHA-256 of the canonical listing that it answered. */
    manifest_hash: z.string().optional(),
    /** Recorded calls of its read tools with their answers; calls whose upstream the door could not answer are only counted. */
    recorded: z.object({ calls: z.number().int(), upstream_gaps: z.number().int() }).optional(),
    /** The evidence record of those calls. */
    recording: z.string().optional(),
    /** How many members of answers its client code reads, over all routes. */
    response_keys: z.number().int().optional(),
    /** Routes that its client code asks and the door does not serve: they are gaps. */
    held: z.array(z.string()).optional(),
    /** Blob of what its source asks and reads (chapters/repositories.ts). */
    read_blob: z.string().optional(),
    superseded_by: z.string().optional(),
    tier: Tier,
  }),
  fields: ["url", "state", "superseded_by", "surface_id"],
});

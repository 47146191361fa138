import { z } from "zod";
import { Obstacle, Unused } from "../../../worlds/tasks/losses.ts";
import { Certificate, ReviewVerdict, Task } from "../../../worlds/tasks/schema.ts";
import { recordBase, recordKind } from "../../record.ts";
import { Tier } from "../../tier.ts";
import { ListingDiff } from "../evidence/listing-diff.ts";
import { ProposedPrograms } from "./proposals.ts";

/** Who took a record off the org's pages, when and why; a restore clears it. */
const retirement = {
  retired_at: z.number().optional(),
  retired_by: z.string().optional(),
  retired_reason: z.string().optional(),
};

/** An org's served system: its compiled versions, newest last, and what it was compiled from. */
export const Surface = recordKind({
  kind: "surface",
  prefix: "sf",
  schema: z.object({
    ...recordBase,
    /** The name callers use; unique in the org. */
    name: z.string(),
    /** The bundle served now; absent until the first compile lands. */
    bundle: z.string().optional(),
    versions: z.array(z.object({ bundle: z.string(), digest: z.string(), created_at: z.number(), by: z.string() })),
    evidence: z.array(z.string()),
    /** The surface that takes its place, where one was named; set to its own id where none was. */
    superseded_by: z.string().optional(),
    superseded_at: z.number().optional(),
    superseded_reason: z.string().optional(),
    /** When each rebuild in place happened, and of which version. */
    rebuilt: z
      .array(
        z.object({ was: z.string(), is: z.string(), at: z.number(), by: z.string(), reason: z.string().optional() }),
      )
      .optional(),
    ...retirement,
  }),
  fields: ["name"],
});

/** What something beside the world would have answered to the same calls. */
const Beside = z.object({
  identical: z.number().int(),
  identical_volatile: z.number().int(),
  not_served: z.number().int().optional(),
  wrong_success: z.number().int().optional(),
  wrong_answer: z.number().int().optional(),
});

/** Counts of a replay against observed or live answers; shares are these over `calls`. */
export const FidelityCounts = z.object({
  calls: z.number().int(),
  identical: z.number().int(),
  identical_volatile: z.number().int(),
  same_shape: z.number().int(),
  same_class: z.number().int(),
  not_served: z.number().int(),
  wrong_success: z.number().int(),
  /** Served answers that are not the system's, wrong refusals included; absent where an earlier version measured. */
  wrong_answer: z.number().int().optional(),
  recording: Beside,
  recording_nth: Beside.optional(),
  floor: Beside.optional(),
});
export type FidelityCounts = z.infer<typeof FidelityCounts>;

const ToolsAnswered = z.record(
  z.string(),
  z.object({ calls: z.number().int(), right: z.number().int(), wrong: z.number().int() }),
);

/** A tool that two versions of a system answer differently. */
const ChangedTool = z.object({
  tool: z.string(),
  asked: z.number().int().describe("Questions that sessions of both versions asked."),
  differ: z.number().int().describe("Those that the versions answer differently."),
  fields: z.array(z.string()).describe("Where the answers differ, as JSON pointers with [] for list items."),
});

/** A compiled tool surface: the bundle and its observed initial state as blobs, and what is known of them. */
export const BundleRecord = recordKind({
  kind: "bundle",
  prefix: "bd",
  schema: z.object({
    ...recordBase,
    surface: z.string(),
    /** SHA-256 of the bundle's canonical JSON. */
    digest: z.string(),
    /** Blob of the bundle, canonical JSON. */
    bundle_blob: z.string(),
    /** Blob of the observed initial state, canonical JSON. */
    base_blob: z.string(),
    evidence: z.array(z.string()),
    /** Digest over the inputs: a compile of the same inputs is not repeated. */
    inputs: z.string(),
    tools: z.number().int(),
    readonly_tools: z.array(z.string()),
    /** Tools that only the user's side was seen to call: in no listing for the agent. Absent where there is none. */
    user_tools: z.array(z.string()).optional(),
    /** How the newest of the surface's listings differs from the others that stand; absent where it does not. */
    listings: ListingDiff.optional(),
    tables: z.record(z.string(), z.number().int()),
    exceptions: z.number().int(),
    gaps: z.array(z.object({ tool: z.string(), reason: z.string(), n: z.number().int() })),
    conflicts: z.number().int(),
    /** Traces of an older version of the system, which answers otherwise: they were not compiled. Absent where none was. */
    set_aside: z.number().int().optional(),
    /** Tools that the two versions answer differently at a state that nobody had changed. Absent where none was asked by both. */
    changed_tools: z.array(ChangedTool).optional(),
    /** What a person declared over the bundle that was compiled; its fidelity is not measured. */
    declared: z
      .object({
        over: z.string(),
        /** Blob of the declarations, as they were given. */
        blob: z.string(),
        tools_added: z.array(z.string()),
        tools_redeclared: z.array(z.string()),
        tools_removed: z.array(z.string()),
        descriptions_changed: z.array(z.string()),
        schemas_changed: z.array(z.string()).optional(),
      })
      .optional(),
    /** What a model proposed, and what replay took of it; absent where none was asked. */
    proposed: ProposedPrograms.optional(),
    /** Measured on traces that were not used to compile; absent when there were too few. */
    fidelity: z
      .object({
        all: FidelityCounts,
        tools: z.record(z.string(), FidelityCounts),
        traces: z.number().int(),
        tier: Tier,
      })
      .optional(),
    /** Blob of each tool's first calls that were not answered as observed; absent where fidelity was not measured or they were not kept. */
    wrong_blob: z.string().optional(),
    /** By tool, what held-out sessions were answered in the compile; absent where there were too few to hold some out. */
    out_of_fold: z
      .object({
        /** Of tasks of which the world knew other sessions. */
        known: ToolsAnswered,
        unknown: ToolsAnswered,
        /** Questions asked again within a task with nothing between that changes the answer. */
        again: ToolsAnswered.exactOptional(),
      })
      .optional(),
  }),
  fields: ["surface", "digest", "inputs"],
});

/** One drawn state with its tasks. */
export const Environment = recordKind({
  kind: "environment",
  prefix: "env",
  schema: z.object({
    ...recordBase,
    label: z.string(),
    surface: z.string(),
    bundle: z.string(),
    hypothesis: z.enum(["observed", "fitted", "export", "declared"]),
    seed: z.string(),
    /** Blob of the drawn state, canonical JSON. */
    base_blob: z.string(),
    /** Rows per table, and how many of them were drawn rather than observed. */
    rows: z.record(z.string(), z.object({ rows: z.number().int(), drawn: z.number().int() })),
    selection: z.record(z.string(), z.array(z.string())),
    /** How many tasks were written; their index counts from 0. */
    tasks: z.number().int(),
    /** What stood in the way of more; absent where as many were written as were asked for. */
    lost: z.array(Obstacle).optional(),
    /** Tools of which drafts were lost and no task was written; absent where not every kind of task was asked for. */
    unused: z.array(Unused).optional(),
    revision: z.number().int(),
    /** Digest of what it was drawn and its tasks written with: the same plan is not drawn twice. */
    plan: z.string().optional(),
    ...retirement,
    /** The surface that it was retired with: a restore of that one puts it back. */
    retired_with: z.string().optional(),
  }),
  fields: ["surface", "bundle", "plan"],
});

/** A task's life: only `certified` ones count in a run. */
export const TaskStatus = z.enum(["draft", "certified", "held", "refused", "retired"]);

/** A task of an environment with its review. */
export const TaskRecord = recordKind({
  kind: "task",
  prefix: "tk",
  schema: z.object({
    ...recordBase,
    environment: z.string(),
    index: z.number().int(),
    /** SHA-256 of the task's canonical JSON. */
    digest: z.string(),
    task: Task,
    status: TaskStatus,
    /** Why it does not count, in words. */
    reason: z.string().optional(),
    /** The person who holds it; absent on a held task that was never admitted. */
    held_by: z.string().optional(),
    /** What a retired task was: a restore puts that back. */
    was: z.object({ status: TaskStatus, reason: z.string().optional() }).optional(),
    reviewed_at: z.number().optional(),
    verdicts: z.array(ReviewVerdict),
    certificate: Certificate.optional(),
    /** Wrong trials made and rejected, equal ones made and spared, in its review. */
    health: z
      .object({
        mutants: z.number().int(),
        rejected: z.number().int(),
        equals: z.number().int(),
        spared: z.number().int(),
      })
      .optional(),
  }),
  fields: ["environment", "index", "status"],
});

/** A running instance of an environment: base, journal, an MCP endpoint. */
export const WorldRecord = recordKind({
  kind: "world",
  prefix: "wl",
  schema: z.object({
    ...recordBase,
    bundle: z.string(),
    environment: z.string(),
    /** Blob of the drawn state it stands on; absent on older records, which stand on their environment's. */
    base_blob: z.string().optional(),
    /** The group of recorded sessions whose start it has; the drawn state when absent. */
    start: z.string().optional(),
    seed: z.string(),
    label: z.string().optional(),
    /** The trial it was made for; such worlds are put away when the trial ends. */
    trial: z.string().optional(),
    /** Set on worlds that a caller minted, so that they are found among those of trials. */
    minted: z.literal(true).optional(),
    /** Bundles it stood on before a new draw: the addresses that were handed out with them stay good. */
    earlier: z.array(z.string()).optional(),
    ended_at: z.number().optional(),
  }),
  fields: ["environment", "bundle", "trial", "minted"],
  copy: { staysBehind: "a running instance; an environment makes new ones" },
});

/** A tool that reads, as the assistant may call it; `schema` is the JSON Schema of its arguments. */
export interface ReadTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a reading tool answered: `body` as the route has it; a shaped one's verdict, the lines of its counts and what is next too. */
export interface ToolRead {
  readonly status: number;
  readonly body: unknown;
  readonly verdict?: string;
  readonly counts?: readonly string[];
  readonly next?: string;
}

/** An operation that a question's words are about. */
export interface FoundTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether it is one of the reading tools. */
  readonly reads: boolean;
  /** Whether it answers a file and in no other form. */
  readonly file: boolean;
  readonly effect: string;
  readonly scope: string;
  /** The names of all that it takes beside the org. */
  readonly takes: readonly string[];
  /** What it has to be given beside the org. */
  readonly required: readonly string[];
}

/** What a question is near to: a fact of the assistant, an operation, or a sentence that answers it as it stands. */
export type NearAnswer = {
  /** How near it is; compares with that of other questions. */
  readonly score: number;
  /** A question that it answers. */
  readonly question: string;
} & ({ readonly fact: string } | { readonly tool: FoundTool } | { readonly text: string });

/**
 * What is less near than this is not answered, where it is told from records, and where an operation or a page is named;
 * set on the known questions, each left out in turn, and on questions of other things.
 */
const NEAR = { answered: 1.62, named: 1.2 } as const;
/** Whether the first of what is near is near enough to be answered. */
export function isNear([first]: readonly NearAnswer[]): boolean {
  return first !== undefined && first.score >= NEAR[howOf(first)];
}
/** How near a known question has to be to be offered. */
export const OFFERED = NEAR.answered / 2;

/** Whether it is told from records, or an operation or a page is named. */
export function howOf(near: NearAnswer): "answered" | "named" {
  return "text" in near || isAct(near) || ("tool" in near && near.tool.file) ? "named" : "answered";
}

/** Whether it names an operation that changes something. */
export function isAct(near: NearAnswer): boolean {
  return "tool" in near && near.tool.effect !== "read";
}

/**
 * The service's own tools of scope `read` that change nothing, in one org and as its caller with no more than that scope:
 * a record of another org is not found, whoever asks.
 */
export interface ReadTools {
  /** What a question is near to, the nearest first; `around` is what was asked just before. */
  nearest(question: string, around?: string): readonly NearAnswer[];
  /** The operation of this name. */
  named(name: string): FoundTool | undefined;
  /** Those of these names that there are, in the order asked for. */
  list(names: readonly string[]): readonly ReadTool[];
  /** Calls one. A refusal comes back as its status with the error as body; a tool that is not one of these is a 404. */
  call(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolRead>;
}

/** What the assistant may read with: what an org asks about its work, and no settings, tables of worlds or transcripts. */
export const ROOT_TOOLS = [
  "org_status",
  "run_groups_list",
  "run_group",
  "run_group_levels",
  "clean_runs",
  "live_runs",
  "compare_runs",
  "delivery_get",
  "failure_modes",
  "failure_mode_proposals",
  "reports_ledger",
  "spend_summary",
  "coverage_matrix",
  "org_readiness_get",
  "agents_list",
  "sandboxes_list",
  "environment_tasks",
  "environment_fidelity",
  "environment_review",
  "surfaces_list",
  "surface_progress",
  "sources_list",
  "schedules_list",
  "evidence_list",
  "reports_list",
  "job_status",
  "provider_comparison",
  "comparisons_list",
] as const;

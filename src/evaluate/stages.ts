import { setTimeout as sleep } from "node:timers/promises";
import { AppError, unavailable } from "../../chapters/errors.ts";
import type { FidelityCounts } from "../../chapters/records/sandboxes/sandboxes.ts";
import type { EndedAtOnce } from "../../chapters/runs/ended-at-once.ts";
import type { Rates } from "../../chapters/runs/trials/rates.ts";
import type { WrongAnswer } from "../../chapters/sandboxes/surfaces/read-wrong-answers.ts";
import { refusedFor } from "../../chapters/sandboxes/tasks/no-tasks.ts";
import type { ChangedTool } from "../../worlds/compile/versions/contradictions.ts";
import { digestOf } from "../../worlds/digest.ts";
import type { Api } from "./api.ts";
import type { NamedAgent } from "./options.ts";
import type { Tell } from "./progress.ts";
import type { AgentRun, EvaluationReport, MeasuredFidelity, ReadFile } from "./report.ts";
import { counted } from "./words.ts";

interface JobView {
  readonly status: string;
  readonly note: string | null;
  readonly message: string | null;
  readonly done: number;
  readonly total: number | null;
  readonly result: unknown;
}

/** A short job is seen to end at once; progress is written every 250 ms, and no look between tells more. */
const POLL_MS = { first: 20, longest: 250 };
/** How often, in times asked, the disk is looked at. */
const ROOM_EVERY = 10;
const ENDED = new Set(["landed", "failed", "stopped", "cancelled", "partial"]);

/** Waits for a job to end. Throws with its own sentence when it did not land. */
async function landed(api: Api, job: string, tell: Tell): Promise<JobView> {
  const view = await ended(api, job, tell);
  if (view.status !== "landed") throw new AppError("internal", view.note ?? `The job ended ${view.status}.`);
  return view;
}

async function ended(api: Api, job: string, tell: Tell): Promise<JobView> {
  for (let asked = 0; ; asked++) {
    if (asked % ROOM_EVERY === 0) api.requireRoom?.();
    const view = await api.call<JobView>("job_status", { job_id: job });
    if (view.status === "held") throw unavailable(view.note ?? "The job waits for budget.");
    if (ENDED.has(view.status)) return view;
    // A job's own message says how long its rest takes.
    tell([view.total ? `${view.done} of ${view.total}` : "", view.message ?? view.status].filter(Boolean).join(" "));
    await sleep(Math.min(POLL_MS.longest, POLL_MS.first * (asked + 1)));
  }
}

interface PipelineResult {
  readonly bundle: string;
  readonly environments: readonly { readonly id: string; readonly note?: string }[];
  readonly proposed?: EvaluationReport["proposed"];
}

/** What was built: the bundle and first environment, and what became of certificates that no longer held, where there were some. */
export interface Built {
  readonly bundle: string;
  /** Absent where no task could be written: none is kept then. */
  readonly environment?: string;
  readonly proposed?: NonNullable<EvaluationReport["proposed"]>;
  readonly again?: NonNullable<EvaluationReport["tasks"]["again"]>;
  /** Why none or few of the tasks count, where that is so. */
  readonly note?: string;
}

/** Runs the pipeline of a surface; answers its bundle and first environment, whose tasks are certified by this version. */
export async function build(
  api: Api,
  surface: string,
  tell: Tell,
  asked: { readonly model?: string | undefined; readonly usdCap?: number | undefined } = {},
): Promise<Built> {
  const { job } = await api.call<{ job: string }>("pipeline_post", {
    surface,
    ...(asked.model === undefined ? {} : { model: asked.model }),
    ...(asked.usdCap === undefined ? {} : { usd_cap: asked.usdCap }),
  });
  const { status, note: why, result } = await ended(api, job, tell);
  const { bundle, environments, proposed } = (result ?? {}) as Partial<PipelineResult>;
  // One that wrote no task fails, and says what it compiled.
  if (bundle === undefined || environments === undefined || (status !== "landed" && environments.length > 0))
    throw new AppError("internal", why ?? `The job ended ${status}.`);
  const [first] = environments;
  const environment = first?.id;
  const note = first === undefined ? (why ?? undefined) : first.note;
  const again = environment === undefined ? undefined : await certifyAgain(api, environment, tell);
  return {
    bundle,
    ...(environment === undefined ? {} : { environment }),
    ...(proposed === undefined ? {} : { proposed }),
    ...(again === undefined ? {} : { again }),
    ...(note === undefined ? {} : { note }),
  };
}

/** Reviews tasks whose certificates no longer hold, as those of a data folder that an earlier version wrote, and says how many passed. */
async function certifyAgain(api: Api, environment: string, tell: Tell): Promise<Built["again"]> {
  const rows = async () =>
    (await api.call<{ tasks: readonly TaskRow[] }>("environment_tasks", { env_id: environment })).tasks;
  const lapsed = new Set((await rows()).flatMap(({ id, stale }) => (stale === undefined ? [] : [id])));
  if (lapsed.size === 0) return undefined;
  tell(`the certificates of ${counted(lapsed.size, "task")} no longer hold; they are reviewed again`);
  const { job } = await api.call<{ job: string }>("environment_review_post", { env_id: environment });
  await landed(api, job, tell);
  const certified = (await rows()).filter(({ id, status }) => lapsed.has(id) && status === "certified").length;
  return { lapsed: lapsed.size, certified };
}

interface TaskRow {
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
  readonly stale?: string;
}

interface BundleView {
  readonly id: string;
  readonly evidence: readonly string[];
  readonly digest: string;
  readonly tools: number;
  readonly tables: Readonly<Record<string, number>>;
  readonly exceptions: number;
  readonly set_aside?: number;
  readonly changed_tools?: readonly ChangedTool[];
  readonly gaps: readonly { readonly tool: string; readonly reason: string; readonly n: number }[];
  readonly fidelity?: {
    readonly all: FidelityCounts;
    readonly tools: Readonly<Record<string, FidelityCounts>>;
    readonly traces: number;
  };
}

/** What was compiled, and how it answers the traces that were held back. */
export async function describeBundle(
  api: Api,
  id: string,
  files: readonly ReadFile[],
): Promise<Pick<EvaluationReport, "bundle" | "heldOut">> {
  const { bundles } = await api.call<{ bundles: BundleView[] }>("bundles_list", { limit: 500 });
  const found = bundles.find((row) => row.id === id);
  if (!found) throw new AppError("not_found", "The compiled bundle is not listed.");
  const { digest, tools, tables, exceptions, set_aside = 0, changed_tools = [], gaps, fidelity } = found;
  const sent = new Set(files.map((file) => file.evidence));
  const earlier = found.evidence.filter((record) => !sent.has(record)).length;
  const bundle = { id, digest, tools, rows: tables, exceptions, earlier, set_aside, changed_tools, gaps };
  if (fidelity === undefined) return { bundle };
  const heldOut: MeasuredFidelity = {
    against: "observed",
    sessions: fidelity.traces,
    counts: fidelity.all,
    tools: fidelity.tools,
  };
  return { bundle, heldOut };
}

/** Tools whose wrong answers the page holds. */
const OPENED_TOOLS = 60;

/** A measurement with the calls behind its figures: what was observed beside what the world answered. */
export async function withWrongAnswers(
  api: Api,
  environment: string,
  measured: MeasuredFidelity,
): Promise<MeasuredFidelity> {
  const wrong = Object.entries(measured.tools).filter(
    ([, { calls, identical_volatile }]) => identical_volatile < calls,
  );
  const opened: Record<string, readonly WrongAnswer[]> = {};
  for (const [tool] of wrong.slice(0, OPENED_TOOLS)) {
    const told = await api.call<{ wrong?: readonly WrongAnswer[] }>("environment_fidelity", {
      env_id: environment,
      wrong_of: tool,
    });
    if (told.wrong !== undefined && told.wrong.length > 0) opened[tool] = told.wrong;
  }
  return { ...measured, opened };
}

interface TasksView {
  readonly world_snapshot: string;
  readonly review_counts: {
    readonly certified: number;
    readonly refused: number;
    readonly held: number;
    readonly draft: number;
  };
  readonly distinct: number;
  readonly left_out: readonly { readonly tool: string; readonly why?: string }[];
  readonly check: { readonly poor: number };
  readonly coverage: Readonly<Record<string, number>>;
  readonly tasks: readonly (TaskRow & { readonly digest: string; readonly index: number })[];
  readonly verifier_health?: NonNullable<EvaluationReport["tasks"]["health"]>;
}

/** The tasks of an environment, counted, with digests that say whether two evaluations wrote the same; none without one. */
export async function describeTasks(
  api: Api,
  environment: string | undefined,
): Promise<Pick<EvaluationReport, "tasks" | "environment">> {
  if (environment === undefined) return { tasks: { written: 0, certified: 0, refused: 0, families: {} } };
  const view = await api.call<TasksView>("environment_tasks", { env_id: environment });
  const { certified, refused, held, draft } = view.review_counts;
  const health = view.verifier_health;
  return {
    environment: {
      id: environment,
      base_digest: view.world_snapshot,
      tasks_digest: digestOf(view.tasks.map((task) => task.digest)),
    },
    tasks: {
      written: certified + refused + held + draft,
      certified,
      distinct: view.distinct,
      ...(view.check.poor === 0 ? {} : { poor: view.check.poor }),
      ...(view.left_out.length === 0 || certified === 0
        ? {}
        : { left_out: view.left_out.map(({ tool, why }) => (why === undefined ? { tool } : { tool, why })) }),
      refused,
      families: view.coverage,
      ...(refused === 0 ? {} : { refused_for: refusedFor(view.tasks) }),
      ...(health === undefined ? {} : { health }),
    },
  };
}

interface AgentView {
  readonly id: string;
  readonly name: string;
  readonly notes?: string;
  readonly versions: readonly { readonly version: string; readonly notes?: string }[];
}

/** What plays: a built-in harness, or a version of a connected agent. */
export type Playing = { readonly harness: string } | { readonly agent: string; readonly agent_version: string };

/**
 * Connects a command as an agent, or takes the one of this name. A version is known by what is run, whose digest stands in
 * its notes, and the first in its agent's: a command that moved or changed becomes a version of its own, under its label
 * where that is free, else under the next number.
 */
export async function connect(api: Api, name: string, agent: NamedAgent, label?: string): Promise<Playing> {
  const target = { command: [...agent.command], cwd: process.cwd(), env: { ...agent.env } };
  const notes = `What it runs: ${digestOf(target).slice(0, 16)}`;
  const { agents } = await api.call<{ agents: AgentView[] }>("agents_list", { limit: 500 });
  const known = agents.find((row) => row.name === name);
  if (!known) {
    const version = label ?? "1";
    const made = await api.call<{ agent: AgentView }>("agents_post", {
      ...{ kind: "command", name, version, notes },
      ...target,
    });
    return { agent: made.agent.id, agent_version: version };
  }
  const first = known.notes === notes ? known.versions[0] : undefined;
  const same = first ?? known.versions.find((row) => row.notes === notes);
  if (same !== undefined) return { agent: known.id, agent_version: same.version };
  const free = label !== undefined && known.versions.every(({ version }) => version !== label);
  const added = await api.call<{ version: { version: string } }>("agent_versions_post", {
    ...{ aid: known.id, notes },
    ...(free ? { version: label } : {}),
    ...target,
  });
  return { agent: known.id, agent_version: added.version.version };
}

interface GroupView {
  readonly rates: Pick<Rates, "met" | "valid" | "infra" | "invalid" | "clustered">;
  readonly ended_at_once?: EndedAtOnce;
}

/** Runs one agent over the environment's certified tasks and counts what came of it. */
export async function runAgent(
  api: Api,
  environment: string,
  name: string,
  playing: Playing,
  limits: { readonly trials: number; readonly timeout_seconds: number },
  tell: Tell,
): Promise<AgentRun> {
  const { group } = await api.call<{ group: string; job: string }>("start_run", { environment, ...playing, ...limits });
  await landed(api, group, tell);
  const { rates, ended_at_once } = await api.call<GroupView>("run_group", { gid: group });
  const { met, valid, infra, invalid, clustered } = rates;
  return {
    ...{ name, group, met, valid, infra, invalid, low: clustered.low, high: clustered.high },
    ...(ended_at_once === undefined ? {} : { ended_at_once }),
  };
}

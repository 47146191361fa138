import { z } from "zod";
import { aid } from "../../agents/fields.ts";
import { changeDoc } from "../../agents/save.ts";
import { changesOf, touches } from "../../agents/versions/change-areas.ts";
import { newestVersion, withVersion } from "../../agents/versions/versions.ts";
import { auditAct } from "../../audit.ts";
import { openRepository, type RepositoryAccess } from "../../code-host/repository-access.ts";
import type { Ctx } from "../../context.ts";
import { AppError, conflict } from "../../errors.ts";
import { orgRef } from "../../fields.ts";
import { type AgentDoc, findAgent } from "../../find-agent.ts";
import { type JobCtx, job } from "../../job.ts";
import { everyRow } from "../../page.ts";
import { SurfaceVersion } from "../../records/agents/agents.ts";
import { Surface } from "../../records/sandboxes/sandboxes.ts";
import { ScheduleCadence } from "../../records/sources/sources.ts";
import { keepScanSchedule } from "../../sources/scan-schedule.ts";
import { takeRef } from "./server-refs.ts";

/** Refs that one scan takes as versions at most; the next scan takes what is left. */
const MOST_TAKEN = 20;

const ScanInput = z.object({ agent: z.string(), paths: z.array(z.string()) });

/** A version that a scan found: of an agent its label, of a server's ref the id of its row. */
export interface FoundVersion {
  readonly version: string;
  readonly ref: string;
  readonly sha: string;
  /** Commits that it has and what it is held against does not. */
  readonly commits: number;
  readonly status: string;
  readonly line: string;
}

/** What a scan looked at and found. */
export interface ScanResult {
  readonly agent: string;
  readonly looked: number;
  /** Refs with new commits that touch none of the paths. */
  readonly passed_over: number;
  /** Refs whose commit could not be read: it went away, or the host does not give it. */
  readonly unread: number;
  readonly found: readonly FoundVersion[];
  readonly line: string;
}

/** Looks for commits that no version was made from, and makes versions of them. */
export const scanJob = job<z.infer<typeof ScanInput>, ScanResult>({
  kind: "agent_scan",
  input: ScanInput,
  key: ({ agent }) => agent,
  attempts: 3,
  ends: "cancel",
  concurrency: 2,
  run: scan,
});

/** What `agent_scan` takes. */
export const StartInput = z.object({
  ...orgRef,
  aid,
  paths: z
    .array(z.string().min(1).max(500))
    .max(100)
    .optional()
    .describe("A commit must touch one of these; the last scan's or the server's when absent."),
  cadence: z
    .enum(["manual", ...ScheduleCadence.options])
    .optional()
    .describe("How often it is scanned by itself; `manual` ends that."),
});
export type StartInput = z.output<typeof StartInput>;

/** Starts a scan now, or answers the one that runs. A cadence keeps it going by the clock; `manual` ends that. */
export async function startScan(ctx: Ctx, input: StartInput) {
  const agent = await findAgent(ctx, input.aid);
  const blocked = scanBlocked(agent);
  if (blocked !== null) throw conflict(blocked);
  const paths = [...(input.paths ?? agent.scanned?.paths ?? agent.server?.paths ?? [])];
  const schedule =
    input.cadence === undefined
      ? undefined
      : await keepScanSchedule(ctx, { agent: agent.id, surface: await surfaceName(ctx, agent) }, input.cadence);
  const handle = await ctx.jobs.start(scanJob, { agent: agent.id, paths });
  await auditAct(ctx, "agent_scanned", { agent: agent.id, job: handle.job });
  const stages = ["refs", "compare", "versions"];
  return { agent: agent.id, ...handle, stages, paths, ...(schedule === undefined ? {} : { schedule }) };
}

/** Why an agent cannot be scanned, in words; null when it can. */
export function scanBlocked(agent: AgentDoc): string | null {
  if (agent.retired_at !== undefined) return "The agent is retired; restore it first.";
  const { kind } = newestVersion(agent).target;
  if (kind === "repository") return null;
  if (kind !== "surface") return "This agent is made of no repository; there is nothing to scan.";
  return agent.server ? null : "Name the repository of this agent's server first (agent_server_repo).";
}

async function surfaceName(ctx: Ctx, agent: AgentDoc): Promise<string> {
  const { target } = newestVersion(agent);
  const surface = target.kind === "surface" ? await ctx.store.records.get(Surface, target.surface) : undefined;
  return surface?.name ?? "main";
}

async function scan(ctx: JobCtx, input: z.infer<typeof ScanInput>): Promise<ScanResult> {
  const agent = await findAgent(ctx, input.agent);
  const { kind } = newestVersion(agent).target;
  const outcome =
    kind === "surface" ? await scanServer(ctx, agent, input.paths) : await scanAgent(ctx, agent, input.paths);
  const { looked, passed_over, unread = 0, found, sha } = outcome;
  const scanned = { at: ctx.now(), paths: input.paths, ...(sha === undefined ? {} : { sha }) };
  await changeDoc(ctx, agent.id, (doc) => ({ doc: { ...doc, scanned } }));
  await ctx.job.audit("scanned", { agent: agent.id, looked, found: found.length, passed_over });
  const over = passed_over === 0 ? "" : ` ${passed_over} more touch none of the paths.`;
  const lost = unread === 0 ? "" : ` ${unread} could not be read.`;
  const line = `${looked} ${looked === 1 ? "ref" : "refs"} looked at: ${found.length} new.${over}${lost}`;
  return { agent: agent.id, looked, passed_over, unread, found, line };
}

interface Outcome {
  readonly looked: number;
  readonly passed_over: number;
  readonly unread?: number;
  readonly found: FoundVersion[];
  readonly sha?: string;
}

/** A repository agent: the head of the branch that its newest version was made from, as a version run as that one is. */
async function scanAgent(ctx: JobCtx, agent: AgentDoc, paths: readonly string[]): Promise<Outcome> {
  const { target, origin } = newestVersion(agent);
  if (target.kind !== "repository") throw new Error("the agent is of another kind");
  const access = await openRepository(ctx, target.url);
  const ref = origin?.ref ?? target.ref;
  const commit = { ...(await access.commit(ref)), repo: access.repo };
  const { sha } = commit;
  if (agent.versions.some((row) => row.origin?.sha === sha)) return { looked: 1, passed_over: 0, found: [], sha };
  const compare = await access.compare(target.sha, sha);
  if (compare.ahead === 0 || !touches(compare.files, paths))
    return { looked: 1, passed_over: compare.ahead === 0 ? 0 : 1, found: [], sha };
  const changes = changesOf(compare, sha, access.repo === undefined ? "git" : "code_host");
  const doc = await changeDoc(ctx, agent.id, (now) => {
    if (now.versions.some((row) => row.origin?.sha === sha)) return { doc: now };
    const made = withVersion(ctx, now, {}, undefined, { commit });
    const versions = made.doc.versions.map((row, i, all) => (i === all.length - 1 ? { ...row, changes } : row));
    return { ...made, doc: { ...made.doc, versions } };
  });
  const { version } = newestVersion(doc);
  const found = { version, ref, sha, commits: compare.ahead, status: "added", line: changes.line };
  return { looked: 1, passed_over: 0, found: [found], sha };
}

/** A surface agent: every branch and open pull request of its server that has commits its base has not, each as a ref taken. */
async function scanServer(ctx: JobCtx, agent: AgentDoc, paths: readonly string[]): Promise<Outcome> {
  const { server } = agent;
  if (!server) throw conflict("The repository of this agent's server is no longer named.");
  const access = await openRepository(ctx, server.url, "covered");
  const known = await takenCommits(ctx, agent.id);
  const refs = await candidates(access);
  const found: FoundVersion[] = [];
  let passed_over = 0;
  let unread = 0;
  for (const [i, { name, sha }] of refs.entries()) {
    ctx.signal.throwIfAborted();
    ctx.progress(i, refs.length, "refs");
    if (known.has(sha) || sha === server.base_sha || found.length >= MOST_TAKEN) continue;
    known.add(sha);
    const compared = await elseUndefined(access.compare(server.base_sha, sha));
    if (!compared) unread += 1;
    if (!compared || compared.ahead === 0) continue;
    const { ahead, files } = compared;
    if (!touches(files, paths)) {
      passed_over += 1;
      continue;
    }
    const { surface_version: row } = (await takeRef(ctx, { aid: agent.id, ref: name })).body;
    found.push({
      version: row.id,
      ref: name,
      sha,
      commits: ahead,
      status: row.status,
      line: row.changes?.line ?? "Its files were not read.",
    });
  }
  return { looked: refs.length, passed_over, unread, found };
}

/** What a ref's commit is compared to; undefined where the host does not give it, which is no fault of the other refs. */
async function elseUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof AppError && error.code === "unprocessable") return undefined;
    throw error;
  });
}

/** Open pull requests, and the branches that have none. */
async function candidates(access: RepositoryAccess) {
  const refs = await access.refs();
  const pulls = refs.filter(({ kind }) => kind === "pull");
  const pulled = new Set(pulls.map(({ branch }) => branch));
  return [...pulls, ...refs.filter(({ kind, name }) => kind === "branch" && !pulled.has(name))];
}

async function takenCommits(ctx: Ctx, agent: string): Promise<Set<string>> {
  const shas = new Set<string>();
  for await (const row of everyRow((page) => ctx.store.records.list(SurfaceVersion, { ...page, where: { agent } })))
    shas.add(row.sha);
  return shas;
}

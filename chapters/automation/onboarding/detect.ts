import { z } from "zod";
import { proposalOf } from "../../agents/repositories/detect-rules.ts";
import { changeDoc } from "../../agents/save.ts";
import { newestVersion, withVersion } from "../../agents/versions/versions.ts";
import { auditAct } from "../../audit.ts";
import { openRepository } from "../../code-host/repository-access.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { type AgentDoc, findAgent, type VersionDoc } from "../../find-agent.ts";
import { type JobCtx, job } from "../../job.ts";
import type { Detection } from "../../records/agents/version.ts";
import { startProbe } from "./probe.ts";

type RepositoryTarget = Extract<VersionDoc["target"], { kind: "repository" }>;

const DetectInput = z.object({ agent: z.string() });

/** Reads an agent's repository, proposes how it is run, pins that as a version and tries it. */
export const detectJob = job<z.infer<typeof DetectInput>, Detection>({
  kind: "agent_detect",
  input: DetectInput,
  key: ({ agent }) => agent,
  attempts: 3,
  ends: "cancel",
  concurrency: 2,
  run: detect,
});

/** Starts reading a repository agent's repository, or answers the job that does so already. */
export async function startDetect(ctx: Ctx, input: { readonly aid: string }) {
  const agent = await findAgent(ctx, input.aid);
  repositoryTarget(agent);
  const handle = await ctx.jobs.start(detectJob, { agent: agent.id });
  await auditAct(ctx, "agent_detected", { agent: agent.id, job: handle.job });
  return { agent: agent.id, ...handle };
}

/** How the newest version of a repository agent is reached; other kinds are a conflict. */
export function repositoryTarget(agent: AgentDoc): RepositoryTarget {
  const { target } = newestVersion(agent);
  if (target.kind === "repository") return target;
  throw conflict("This agent is made of no repository; there is nothing to read.");
}

async function detect(ctx: JobCtx, input: z.infer<typeof DetectInput>): Promise<Detection> {
  const agent = await findAgent(ctx, input.agent);
  const was = repositoryTarget(agent);
  const access = await openRepository(ctx, was.url);
  const commit = { ...(await access.commit(was.ref)), repo: access.repo };
  const checkout = await access.checkout(commit.sha);
  ctx.progress(1, 3, "repository read");
  const files = await ctx.repositories.files(checkout);
  const proposal = await proposalOf(files, (path) => ctx.repositories.text(checkout, path));
  const { env } = await ctx.repositories.source(checkout, ctx.signal);
  const own = env.filter((name) => !name.startsWith("SVC_TRIAL_"));
  ctx.progress(2, 3, "sources read");
  const given = { setup: was.setup ?? proposal.setup, run: was.command ?? proposal.command };
  const news = given.run !== undefined && (was.command === undefined || was.sha !== commit.sha);
  const doc = news
    ? await changeDoc(ctx, agent.id, (now) =>
        hasIt(now, commit.sha, given.run) ? { doc: now } : withVersion(ctx, now, given, undefined, { commit }),
      )
    : agent;
  const version = given.run === undefined ? undefined : newestVersion(doc).version;
  const tried = version === undefined ? undefined : await probed(ctx, agent.id, version);
  const { setup, command, read } = proposal;
  const detected: Detection = {
    sha: commit.sha,
    at: ctx.now(),
    ...(setup === undefined ? {} : { setup }),
    ...(command === undefined ? {} : { command }),
    // What reads the trial's environment speaks the contract; of anything else nothing is known.
    ...(own.length < env.length ? { adapter: "svc" as const } : {}),
    read,
    env: own.sort(),
    ...(version === undefined ? {} : { version }),
    ...(tried === undefined ? {} : { probe: tried }),
    line: lineOf(proposal.command !== undefined, was.command !== undefined, news, tried !== undefined),
    tier: "deterministic",
  };
  await changeDoc(ctx, agent.id, (now) => ({ doc: { ...now, detected } }));
  await ctx.job.audit("detected", { agent: agent.id, files: files.length, proposed: command !== undefined });
  ctx.progress(3, 3, "proposal kept");
  return detected;
}

function hasIt(agent: AgentDoc, sha: string, run: readonly string[] | undefined): boolean {
  const { target } = newestVersion(agent);
  return target.kind === "repository" && target.sha === sha && JSON.stringify(target.command) === JSON.stringify(run);
}

/** Tries it where commands may run; the probe is a job of its own. */
async function probed(ctx: Ctx, aid: string, version: string): Promise<Detection["probe"]> {
  if (!ctx.settings.commandsAllowed) return undefined;
  const { job: id, probe } = await startProbe(ctx, { aid, version });
  return { job: id, probe };
}

function lineOf(proposed: boolean, given: boolean, news: boolean, tried: boolean): string {
  const found = given
    ? "How it is run was given."
    : proposed
      ? "Its files say how it is run."
      : "None of its files says how it is run: add a version with run.";
  const pinned = news ? " A version was pinned." : "";
  const probing = tried ? " It is being tried." : proposed || given ? " It was not tried: commands are off here." : "";
  return `${found}${pinned}${probing}`;
}

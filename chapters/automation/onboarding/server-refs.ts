import { z } from "zod";
import type { Declarations } from "../../../worlds/declare.ts";
import { readListing, ToolsUnread } from "../../agents/repositories/server-listing.ts";
import { serverOf } from "../../agents/repositories/server-repo.ts";
import { changeDoc } from "../../agents/save.ts";
import { changesOf } from "../../agents/versions/change-areas.ts";
import { declarationsOf, listingDiff } from "../../agents/versions/listing-diff.ts";
import { addSurfaceVersion, connectedTools } from "../../agents/versions/surface-versions.ts";
import { auditAct } from "../../audit.ts";
import { openRepository } from "../../code-host/repository-access.ts";
import { actor, type Ctx } from "../../context.ts";
import { AppError, badField, conflict, notFound, orNotFound } from "../../errors.ts";
import { byField, orgRef, recordId } from "../../fields.ts";
import { type AgentDoc, findAgent } from "../../find-agent.ts";
import { type JobCtx, job } from "../../job.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { SurfaceVersion } from "../../records/agents/agents.ts";
import { Reply } from "../../reply.ts";
import { startOnboard } from "./onboard.ts";

type RowDoc = Doc<typeof SurfaceVersion>;

const RefInput = z.object({ row: z.string() });

/** Reads the tools of a server's ref, declares what it changes over the connected ones, and adds that as a version. */
export const serverRefJob = job<z.infer<typeof RefInput>, RowDoc>({
  kind: "server_ref",
  input: RefInput,
  key: ({ row }) => row,
  attempts: 3,
  ends: "cancel",
  concurrency: 2,
  run: readyRef,
});

export const aid = recordId("surface agent, or its name");

/** What `agent_server_refs` takes. */
export const RefsInput = z.object({
  ...orgRef,
  aid,
  ref: z.string().min(1).max(250).describe("Branch, tag, commit, or pull request as pull/12."),
  behaviours: z
    .record(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), z.string().min(1).max(20_000))
    .optional()
    .describe("What tools do, by name: a line of the behaviour language each."),
  supersedes: z.string().min(1).max(100).optional().describe("A declared version that this ref takes the place of."),
  ...byField,
});
export type RefsInput = z.output<typeof RefsInput>;

/**
 * Makes a ref of the server's repository a version of the surface, by its commit. A head that the base already reaches
 * is merged, and what was readied with the same behaviours stands: both answer at once, and nothing is compiled.
 */
export async function takeRef(ctx: Ctx, input: RefsInput) {
  const agent = await findAgent(ctx, input.aid);
  const server = serverOf(agent);
  if (input.supersedes !== undefined) declaredVersion(agent, input.supersedes);
  const access = await openRepository(ctx, server.url, "covered");
  const { sha, branch } = await access.commit(input.ref);
  const id = idOfValue(SurfaceVersion, agent.id, sha);
  const known = await ctx.store.records.get(SurfaceVersion, id);
  // What made it fail is not kept: it is given anew.
  const behaviours = { ...(known?.status === "failed" ? {} : known?.behaviours), ...input.behaviours };
  const asBefore = known && JSON.stringify(behaviours) === JSON.stringify(known.behaviours);
  const stands = asBefore && (input.supersedes ?? known.supersedes) === known.supersedes;
  if (stands && (known.status === "ready" || known.status === "merged" || known.status === "needs_behaviour"))
    return answered(agent, known, true);
  if (known?.status === "readying" && !stands && (await underWay(ctx, known)))
    throw conflict("This ref is being readied with other behaviours; wait for its job.");
  if (known?.status === "readying" && stands) return started(ctx, agent, known, true);
  const {
    reason: _reason,
    problems: _problems,
    ...found
  } = known ?? {
    ...(await forkOf(access, server.base_sha, sha)),
    reason: undefined,
    problems: undefined,
  };
  const { supersedes = known?.supersedes } = input;
  const row: RowDoc = {
    ...found,
    id,
    created_at: known?.created_at ?? ctx.now(),
    by: known?.by ?? actor(ctx, input.by),
    agent: agent.id,
    ref: input.ref,
    ...(branch === undefined ? {} : { branch }),
    behaviours,
    ...(supersedes === undefined ? {} : { supersedes }),
    status: found.status === "merged" ? "merged" : "readying",
    updated_at: ctx.now(),
  };
  await ctx.store.records.put(SurfaceVersion, row);
  await auditAct(ctx, "agent_server_ref", { agent: agent.id, version: id, status: row.status }, input.by);
  if (row.status === "merged") return answered(agent, row, false);
  return started(ctx, agent, row, false);
}

async function started(ctx: Ctx, agent: AgentDoc, row: RowDoc, same: boolean) {
  const { job: id, poll } = await ctx.jobs.start(serverRefJob, { row: row.id });
  const surface_version = await update(ctx, row.id, { job: id });
  return new Reply(202, { agent: agent.id, job: id, poll, same, surface_version });
}

async function underWay(ctx: Ctx, row: RowDoc): Promise<boolean> {
  const found = row.job === undefined ? undefined : await ctx.store.jobs.get(row.job);
  return found !== undefined && found.ended_at === null;
}

function answered(agent: AgentDoc, row: RowDoc, same: boolean) {
  return new Reply(200, { agent: agent.id, job: null, poll: null, same, surface_version: row });
}

/** Where a head parted from the base, and what lies between; merged where the base has it already. */
async function forkOf(access: Awaited<ReturnType<typeof openRepository>>, base: string, head: string) {
  const compare = await access.compare(base, head);
  return {
    sha: head,
    fork: compare.base,
    status: compare.ahead === 0 ? ("merged" as const) : ("readying" as const),
    needs: [],
    changes: changesOf(compare, head, access.repo === undefined ? "git" : "code_host"),
  };
}

async function readyRef(ctx: JobCtx, input: z.infer<typeof RefInput>): Promise<RowDoc> {
  const row = orNotFound(await ctx.store.records.get(SurfaceVersion, input.row), "surface version");
  try {
    return await ready(ctx, row);
  } catch (error) {
    if (error instanceof AppError) {
      const problems = (error.details.fields ?? []).map(({ path, message }) => ({ path, message }));
      const reason = problems.length === 0 ? error.reason : "The behaviours cannot be declared so; see problems.";
      await update(ctx, row.id, { status: "failed", reason, ...(problems.length === 0 ? {} : { problems }) });
    }
    throw error;
  }
}

async function ready(ctx: JobCtx, row: RowDoc): Promise<RowDoc> {
  const agent = await findAgent(ctx, row.agent);
  const server = serverOf(agent);
  const { bundle } = await connectedTools(ctx, agent);
  const fork = await readListing(ctx, agent, server, row.fork).then(
    ({ tools }) => tools,
    (error: unknown) => {
      // A model reads what was changed; the tools that are connected are what it was changed from.
      if (error instanceof ToolsUnread && ctx.models.offered.length > 0) return bundle.tools;
      throw error;
    },
  );
  ctx.progress(1, 3, "listing at the fork point read");
  const head = await readListing(ctx, agent, server, row.sha, { sha: row.fork, tools: fork });
  ctx.progress(2, 3, "listing at the head read");
  const diff = listingDiff(fork, head.tools);
  const served = new Set(bundle.tools.map(({ name }) => name));
  const { declared, needs, unknown } = declarationsOf(diff, head.tools, served, row.behaviours);
  if (unknown.length > 0) throw conflict("Behaviours name tools that the ref does not have.", { names: [...unknown] });
  if (needs.length > 0)
    return update(ctx, row.id, {
      status: "needs_behaviour",
      needs: [...needs],
      diff,
      reason: "Tools that are new or take other parameters do nothing yet: give each a behaviour.",
    });
  const origin = {
    kind: "branch" as const,
    ref: row.branch ?? row.ref,
    sha: row.sha,
    ...(server.repo === undefined ? {} : { repo: server.repo }),
  };
  const { version } = await addSurfaceVersion(ctx, agent, { declared, origin, by: row.by }).catch((error: unknown) => {
    throw error instanceof AppError ? asGiven(error, declared) : error;
  });
  await changeDoc(ctx, agent.id, (doc) => ({
    doc: {
      ...doc,
      versions: doc.versions.map((one) => ({
        ...one,
        ...(one.version === version.version && row.changes ? { changes: row.changes } : {}),
        ...(one.version === row.supersedes ? { superseded_by: row.id } : {}),
      })),
    },
  }));
  await ctx.job.audit("surface_version", { agent: agent.id, version: version.version, tools: head.tools.length });
  ctx.progress(3, 3, "version added");
  const onboarding = await onboarded(ctx, agent.id, version.version);
  const done = { status: "ready" as const, needs: [], diff, version: version.version };
  return update(ctx, row.id, { ...done, ...(onboarding === undefined ? {} : { onboarding }) });
}

/** The job that runs the version beside main on shared tasks; none where nothing to run on stands yet. */
async function onboarded(ctx: Ctx, aid: string, version: string): Promise<string | undefined> {
  try {
    return (await startOnboard(ctx, { aid, version })).job;
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") return undefined;
    throw error;
  }
}

/** A refusal of declarations, told by the behaviours they were made of. */
function asGiven(error: AppError, declared: Declarations): AppError {
  const fields = error.details.fields?.map(({ path, message }) => {
    const [, list, index, rest] = /^(added|redeclared)_tools\[(\d+)\]\.behaviour(.*)$/.exec(path) ?? [];
    const tool = declared[list === "added" ? "added_tools" : "redeclared_tools"]?.[Number(index)];
    return list === undefined || !tool ? { path, message } : { path: `behaviours.${tool.name}${rest}`, message };
  });
  return fields ? new AppError(error.code, error.reason, { ...error.details, fields }) : error;
}

/** Writes what changed of a row; what is wrong with it goes with the status it was for. */
async function update(ctx: Ctx, id: string, changes: Partial<RowDoc>): Promise<RowDoc> {
  const after = await ctx.store.records.update(SurfaceVersion, id, ({ reason, problems, ...doc }) => ({
    ...doc,
    ...(changes.status === undefined && reason !== undefined ? { reason } : {}),
    ...(changes.status === undefined && problems !== undefined ? { problems } : {}),
    ...changes,
    updated_at: ctx.now(),
  }));
  if (!after) throw notFound("surface version");
  return after;
}

/** A version that a person declared, which a branch may replace. */
function declaredVersion(agent: AgentDoc, named: string): void {
  const found = orNotFound(
    agent.versions.find((row) => row.version === named),
    "agent version",
  );
  const declared = found.target.kind === "surface" && found.target.declared !== undefined;
  if (!declared || found.origin?.kind === "branch")
    throw badField("supersedes", "is no version that was declared by a person");
}

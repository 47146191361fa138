import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { byField, orgRef, recordId, visibility } from "../../fields.ts";
import { findAgent } from "../../find-agent.ts";
import { type Audience, audienceOf, mayRead, shownTo, visibilityOf } from "../../modes/note-audience.ts";
import { type ModeDoc, modeOfKey, recordMode } from "../../modes/record-modes.ts";
import { everyRow } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { type ToolWrites, WRITE_PATH_THRESHOLD, WritePathCount } from "../../records/agents/write-path.ts";
import { Reply } from "../../reply.ts";
import { writePathJob } from "./count-write-paths.ts";

/** The last count of an agent's write paths with what was accepted of it, and the count that runs, if one does. */
export async function readWritePath(
  ctx: Ctx,
  input: { readonly aid: string; readonly audience?: Audience | undefined },
) {
  const agent = await findAgent(ctx, input.aid);
  const audience = audienceOf(ctx, input.audience);
  const count = await newestCount(ctx, agent.id);
  const running = await runningCount(ctx, agent.id);
  const accepted = [];
  for (const { tool } of count?.tools ?? []) {
    const mode = await modeOfKey(ctx, modeKey(agent.id, tool));
    if (mode && shownTo(mode, audience)) accepted.push({ tool, mode: mode.id, at: mode.created_at, by: mode.by });
  }
  return {
    org: ctx.org.tag,
    agent: agent.id,
    audience,
    counted: count !== undefined,
    counted_at: count?.created_at ?? null,
    running: running !== undefined,
    job: running ?? null,
    threshold: { ...WRITE_PATH_THRESHOLD },
    accepted,
    ...(count === undefined
      ? {}
      : {
          tools: count.tools,
          coverage: count.coverage,
          proposals: count.tools.filter(proposedIn(count)).map(proposal),
        }),
    tier: "deterministic" as const,
  };
}

type CountDoc = Doc<typeof WritePathCount>;

async function newestCount(ctx: Ctx, agent: string): Promise<CountDoc | undefined> {
  return (await ctx.store.records.list(WritePathCount, { where: { agent }, limit: 1 })).items[0];
}

async function runningCount(ctx: Ctx, agent: string): Promise<string | undefined> {
  const live = { live: true, kind: writePathJob.kind };
  for await (const { id, input } of everyRow((page) => ctx.store.jobs.list({ ...page, ...live })))
    if ((input as { agent?: unknown }).agent === agent) return id;
  return undefined;
}

const modeKey = (agent: string, tool: string) => ["write_path", agent, tool];
const proposedIn = (count: CountDoc) => (row: ToolWrites) => count.proposals.includes(row.tool);

function proposal(row: ToolWrites) {
  return { tool: row.tool, behaviour: "unverified_write" as const, title: titleOf(row), line: lineOf(row) };
}

function titleOf({ tool }: ToolWrites): string {
  return `${tool} changes rows that were not read first`;
}

function lineOf({ tool, with_row, unread, unread_sessions, share = 0 }: ToolWrites): string {
  const percent = (share * 100).toFixed(1);
  return `${unread} of ${with_row} writes by ${tool} (${percent} %), in ${unread_sessions} sessions, changed a row that the session had not read before.`;
}

/** Starts a count over every stored trace batch. One that runs already is a conflict. */
export async function startWritePathCount(ctx: Ctx, input: { readonly aid: string }) {
  const agent = await findAgent(ctx, input.aid);
  const handle = await ctx.jobs.start(writePathJob, { agent: agent.id });
  if (handle.deduplicated)
    throw conflict("A count of this agent's write paths runs already; details name its job.", {
      names: [handle.job],
    });
  await auditAct(ctx, "write_path_counted", { agent: agent.id, job: handle.job });
  const { job, poll, status } = handle;
  return { job, poll, status, agent: agent.id, stages: ["read", "count"], model_calls: 0 };
}

export const ref = { ...orgRef, aid: recordId("agent, or its name") };

/** What `write_path_accept` takes. */
export const AcceptInput = z.object({
  ...ref,
  tool: z.string().min(1).max(200).describe("A proposed tool, by its name."),
  author_member: z.string().min(1).max(200).optional().describe("The member whose decision it is."),
  visibility,
  ...byField,
});
export type AcceptInput = z.output<typeof AcceptInput>;

/** Records what the last count proposed for a tool as a known failure mode, once. A tool that it did not propose is refused. */
export async function acceptWritePath(ctx: Ctx, input: AcceptInput) {
  const agent = await findAgent(ctx, input.aid);
  const visibility = visibilityOf(ctx, input.visibility);
  const count = await newestCount(ctx, agent.id);
  if (!count) throw conflict("The agent's write paths were not counted yet; call write_path_count.");
  const row = count.tools.find((tool) => tool.tool === input.tool && proposedIn(count)(tool));
  const known = row ? undefined : await modeOfKey(ctx, modeKey(agent.id, input.tool));
  if (!row && !known)
    throw conflict("The last count proposes no failure mode for this tool; details name it.", {
      names: [input.tool],
    });
  const by = actor(ctx, input.by);
  const { mode, duplicate } =
    row === undefined
      ? { mode: known as ModeDoc, duplicate: true }
      : await recordMode(
          ctx,
          {
            text: lineOf(row),
            by,
            author_member: input.author_member,
            visibility,
            origin: row.examples.every(({ provenance }) => provenance === "production") ? "production" : "console",
            origin_source: "write_path",
          },
          {
            title: titleOf(row),
            status: "confirmed",
            behaviour: "unverified_write",
            target: { tool: row.tool },
            cites: row.examples.map(({ trace, session }) => ({
              trace,
              session,
              tier: "deterministic" as const,
              at: count.created_at,
            })),
            tier: "deterministic",
          },
          modeKey(agent.id, row.tool),
        );
  if (!mayRead(ctx, mode)) throw conflict("This tool's proposal was accepted before, and is not shown to the org.");
  const { moved_from: _from, ...shown } = mode;
  const answer = {
    org: ctx.org.tag,
    agent: agent.id,
    tool: input.tool,
    mode: shown,
    duplicate,
    stored: !duplicate,
    next: duplicate
      ? "It was accepted before; the mode stands as it is."
      : "Name the sandbox that its tasks go on with failure_modes_patch, then have tasks written for it.",
    model_calls: 0,
  };
  return duplicate ? new Reply(200, answer) : answer;
}

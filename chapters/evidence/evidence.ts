import { z } from "zod";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { badField, notFound, orNotFound } from "../errors.ts";
import { byField } from "../fields.ts";
import { everyRow, type PageInput } from "../page.ts";
import type { Doc } from "../record.ts";
import { Agent } from "../records/agents/agents.ts";
import { DataAccess, Evidence, Provenance } from "../records/evidence/evidence.ts";
import { EvidenceRevision } from "../records/evidence/revision.ts";
import { eid } from "./fields.ts";
import { toolUse } from "./traces/tool-use.ts";
import { traceOf, traceTree, traceView } from "./traces/trace-view.ts";
import { evidenceView } from "./view.ts";
import { deriveOf, sourceName } from "./view-context.ts";

type EvidenceDoc = Doc<typeof Evidence>;

/** The evidence of an id; 404 when the org holds none. */
export async function evidenceOf(ctx: Ctx, id: string): Promise<EvidenceDoc> {
  return orNotFound(await ctx.store.records.get(Evidence, id), "evidence");
}

/** The org's evidence, newest first, and how many records there are of each data access. */
export async function listEvidence(
  ctx: Ctx,
  input: PageInput & { readonly kind?: EvidenceDoc["kind"] | undefined; readonly surface?: string | undefined },
) {
  const where = {
    ...(input.kind === undefined ? {} : { kind: input.kind }),
    ...(input.surface === undefined ? {} : { surface: input.surface }),
  };
  const page = await ctx.store.records.list(Evidence, { limit: input.limit, cursor: input.cursor, where });
  const counts = await Promise.all(
    DataAccess.options.map(
      async (access) => [access, await ctx.store.records.count(Evidence, { data_access: access })] as const,
    ),
  );
  const sources = [...new Set(page.items.flatMap(({ source }) => source ?? []))];
  const names = new Map(await Promise.all(sources.map(async (id) => [id, await sourceName(ctx, id)] as const)));
  return {
    data_access: Object.fromEntries(counts.filter(([, n]) => n > 0)),
    evidence: page.items.map((doc) => ({
      ...evidenceView(ctx.org.tag, doc, { sourceName: names.get(doc.source ?? "") }),
      refused: [],
    })),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

const PREVIEW = 5;

/** What `getEvidence` is asked. */
export const EvidenceRequest = z.object({
  eid,
  summary: z
    .boolean()
    .optional()
    .describe("The tools that its traces call, with errors, and first requests, in its place."),
  trace: z.string().min(1).max(200).optional().describe("The id of one of its traces, to read that."),
  view: z.enum(["flat", "tree"]).optional().describe("How the trace is shown; flat when absent."),
});
export type EvidenceRequest = z.output<typeof EvidenceRequest>;

/**
 * One record with the versions it stands among; with `summary`, its first traces' requests and the tools they call in place of
 * the refusals; with `trace`, that trace with its turns and calls too.
 */
export async function getEvidence(ctx: Ctx, input: EvidenceRequest) {
  const doc = await evidenceOf(ctx, input.eid);
  if (input.view !== undefined && input.trace === undefined) throw badField("view", "needs trace, the id of one");
  const row = input.trace === undefined ? undefined : await traceOf(ctx, doc.id, input.trace);
  const view = evidenceView(ctx.org.tag, doc, {
    agentName: await agentName(ctx, doc.agent),
    sourceName: await sourceName(ctx, doc.source),
    derive: await deriveOf(ctx, doc),
  });
  const versions = await versionsOf(ctx, doc);
  if (input.summary === true)
    return { ...view, refused: [], versions, preview: await previewOf(ctx, doc), ...(await toolUse(ctx, doc.id)) };
  return {
    ...view,
    created_at: doc.created_at,
    by: doc.by,
    digest: doc.digest,
    ...(doc.tables === undefined ? {} : { tables: doc.tables }),
    versions,
    ...(row === undefined ? {} : input.view === "tree" ? { tree: traceTree(row) } : { trace: traceView(row) }),
  };
}

async function previewOf(ctx: Ctx, doc: EvidenceDoc) {
  const { items } = await ctx.store.traces.heads(doc.id, { limit: PREVIEW });
  const rows = await Promise.all(items.map((head) => ctx.store.traces.get(head.id)));
  return rows.flatMap((row) =>
    row
      ? [
          {
            id: row.id,
            session: row.trace.session,
            request: row.trace.request.slice(0, 300),
            calls: row.trace.calls.length,
            final_answer_class: row.trace.final_answer_class,
          },
        ]
      : [],
  );
}

/** A record, or a revision of it, among those that stand for the same evidence. */
export const EvidenceVersion = z.object({
  id: z.string(),
  created_at: z.number(),
  traces: z.number().int(),
  current: z.boolean(),
  revision_of: z
    .string()
    .optional()
    .describe("Of a revision kept when the traces of this record were converted again: the record."),
});
type EvidenceVersion = z.infer<typeof EvidenceVersion>;

/** The records that this one replaced or was replaced by, and what this one was before its traces were converted again, oldest first. */
async function versionsOf(ctx: Ctx, doc: EvidenceDoc) {
  const chain = [doc];
  const seen = new Set([doc.id]);
  for (let older = doc; chain.length < 100; ) {
    const { items } = await ctx.store.records.list(Evidence, { where: { superseded_by: older.id }, limit: 1 });
    const next = items[0];
    if (!next || seen.has(next.id)) break;
    seen.add(next.id);
    chain.unshift(next);
    older = next;
  }
  for (let newer: EvidenceDoc | undefined = doc; newer?.superseded_by !== undefined && chain.length < 100; ) {
    newer = seen.has(newer.superseded_by) ? undefined : await ctx.store.records.get(Evidence, newer.superseded_by);
    if (newer) {
      seen.add(newer.id);
      chain.push(newer);
    }
  }
  const versions = chain.map((each) => ({
    id: each.id,
    created_at: each.created_at,
    traces: each.stats.traces,
    current: each.superseded_by === undefined,
  }));
  const revisions: EvidenceVersion[] = [];
  for await (const kept of everyRow((page) =>
    ctx.store.records.list(EvidenceRevision, { ...page, order: "oldest", where: { evidence: doc.id } }),
  ))
    revisions.push({
      id: kept.id,
      created_at: kept.created_at,
      traces: Number(kept.stats.traces ?? 0),
      current: false,
      revision_of: doc.id,
    });
  const own = chain.indexOf(doc);
  return [...versions.slice(0, own), ...revisions, ...versions.slice(own)];
}

/** What `assignEvidence` may change; what is absent stays. */
export const Assignment = z.object({
  eid,
  agent: z.string().min(1).max(100).optional().describe("The id of the agent."),
  agent_version: z.string().min(1).max(100).optional().describe("Its version label."),
  pipeline: z.string().min(1).max(100).optional().describe("Your own name for where it was made."),
  provenance: Provenance.optional(),
  superseded_by: z.string().min(1).max(100).optional().describe("The id of the evidence that replaces it."),
  ...byField,
});
export type Assignment = z.output<typeof Assignment>;

/** Says whose evidence it is, where it comes from, or what replaces it; written to the audit trail. */
export async function assignEvidence(ctx: Ctx, input: Assignment) {
  const before = await evidenceOf(ctx, input.eid);
  const agent = input.agent ?? before.agent;
  if (input.agent !== undefined && (await agentName(ctx, input.agent)) === undefined)
    throw badField("agent", "no such agent");
  if (input.agent_version !== undefined && agent === undefined) throw badField("agent_version", "needs an agent");
  if (input.superseded_by !== undefined) {
    const newer =
      input.superseded_by === input.eid ? undefined : await ctx.store.records.get(Evidence, input.superseded_by);
    if (!newer) throw badField("superseded_by", "no such other evidence");
    if (newer.superseded_by === input.eid) throw badField("superseded_by", "that evidence is superseded by this one");
  }
  const after = await ctx.store.records.update(Evidence, input.eid, (doc) => ({
    ...doc,
    ...(input.agent === undefined ? {} : { agent: input.agent, linked_by: "assigned" as const }),
    ...(input.agent_version === undefined ? {} : { agent_version: input.agent_version }),
    ...(input.pipeline === undefined ? {} : { pipeline: input.pipeline }),
    ...(input.provenance === undefined ? {} : { provenance: input.provenance, provenance_detected: false }),
    ...(input.superseded_by === undefined ? {} : { superseded_by: input.superseded_by }),
  }));
  if (!after) throw notFound("evidence");
  await auditAct(ctx, "evidence_assign", { evidence: after.id }, input.by);
  return {
    id: after.id,
    org: ctx.org.tag,
    agent: after.agent ?? null,
    agent_version: after.agent_version ?? null,
    pipeline: after.pipeline ?? null,
    provenance_kind: after.provenance,
    provenance_kind_before: before.provenance,
    superseded_by: after.superseded_by ?? null,
    surface: after.surface ?? null,
  };
}

async function agentName(ctx: Ctx, agent: string | undefined): Promise<string | undefined> {
  return agent === undefined ? undefined : (await ctx.store.records.get(Agent, agent))?.name;
}

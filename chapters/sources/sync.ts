import { z } from "zod";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { countOf } from "../count-of.ts";
import { AppError, conflict, unprocessable } from "../errors.ts";
import { type JobCtx, job } from "../job.ts";
import type { PullTarget, SourceAuth } from "../ports/source-vendor.ts";
import { Source } from "../records/sources/sources.ts";
import { Reply } from "../reply.ts";
import { waitOf } from "./busy.ts";
import { pullBodies } from "./pull-bodies.ts";
import { pullSpans } from "./pull-spans.ts";
import { openSecret, putSecret } from "./secrets.ts";
import { type SourceDoc, syncBlocked } from "./source-view.ts";
import { findSource } from "./sources.ts";

/** What a pull brought. */
export interface Pulled {
  readonly evidence: readonly string[];
  readonly traces: number;
  readonly refused: number;
  /** Bodies that were as they were before. */
  readonly unchanged: number;
  /** The source asked to wait before it had given everything: so many seconds. */
  readonly wait?: number | undefined;
}

/** What a pull answers when it lands. */
export interface SyncResult extends Pulled {
  readonly source: string;
  readonly outcome: "landed" | "busy";
  readonly note: string;
}

const SyncInput = z.object({ source: z.string() });

/** Pulls a source: from where the last pull ended, with its consent, as far as the source lets it. */
export const syncJob = job<z.infer<typeof SyncInput>, SyncResult>({
  kind: "source_sync",
  input: SyncInput,
  key: ({ source }) => source,
  attempts: 3,
  ends: "cancel",
  concurrency: 2,
  run: runSync,
});

async function runSync(ctx: JobCtx, input: z.infer<typeof SyncInput>): Promise<SyncResult> {
  const doc = await allowed(ctx, input.source);
  try {
    const pulled = await pull(ctx, doc);
    const outcome = pulled.wait === undefined ? "landed" : "busy";
    const note = noteOf(pulled);
    await ended(ctx, doc, outcome, note, pulled);
    return { source: doc.id, outcome, note, ...pulled };
  } catch (cause) {
    if (ctx.signal.aborted) throw cause;
    const note = cause instanceof AppError ? cause.reason : "The service met a fault of its own while it pulled.";
    await ended(ctx, doc, "failed", note, { evidence: [], traces: 0, refused: 0, unchanged: 0 });
    throw cause;
  }
}

async function pull(ctx: JobCtx, doc: SourceDoc): Promise<Pulled> {
  const target = await targetOf(ctx, doc);
  const spans = doc.kind === "obs" || doc.kind === "trace_store";
  try {
    return await (spans ? pullSpans(ctx, doc, target) : pullBodies(ctx, doc, target));
  } catch (cause) {
    const wait = waitOf(cause);
    if (wait === undefined) throw cause;
    return { evidence: [], traces: 0, refused: 0, unchanged: 0, wait };
  }
}

/** The source, if it may be pulled now; a conflict in words if not. */
export async function allowed(ctx: Ctx, sid: string): Promise<SourceDoc> {
  const doc = await findSource(ctx, sid);
  const blocked = await syncBlocked(ctx, doc);
  if (blocked !== null) throw conflict(blocked);
  return doc;
}

/** The source with what opens it, in the open. A grant that is about to end is renewed first. */
export async function targetOf(ctx: Ctx, doc: SourceDoc): Promise<PullTarget> {
  const { id, kind, external_id, scope, services } = doc;
  const auth = (await openSecret(ctx, id)) ?? {};
  return { kind, external_id, scope, services, auth: await renewed(ctx, doc, auth) };
}

/** A grant is renewed this many seconds before it ends. */
const RENEW_BEFORE = 120;

async function renewed(ctx: Ctx, doc: SourceDoc, auth: SourceAuth): Promise<SourceAuth> {
  const { grant } = auth;
  if (grant === undefined || grant.expires_at - RENEW_BEFORE > ctx.now()) return auth;
  if (grant.refresh_token === undefined)
    throw unprocessable("The vendor's consent has run out; connect the source again.");
  const ask = { site: doc.scope.site ?? "", refreshToken: grant.refresh_token };
  const next = { ...auth, grant: { ...grant, ...(await ctx.vendors.sources.obs.refresh(ask, ctx.signal)) } };
  await putSecret(ctx, doc.id, next);
  return next;
}

async function ended(
  ctx: JobCtx,
  { id }: SourceDoc,
  outcome: "landed" | "busy" | "failed",
  note: string,
  pulled: Pulled,
): Promise<void> {
  const at = ctx.now();
  await ctx.store.records.update(Source, id, ({ retry_at: _was, ...doc }) => ({
    ...doc,
    ...(outcome === "landed" ? { last_sync: at, pull_pending: false } : {}),
    ...(pulled.wait === undefined ? {} : { retry_at: at + pulled.wait }),
    last_pull: { at, outcome, note, evidence: pulled.evidence.slice(0, 100) },
  }));
  await ctx.job.audit("pulled", { source: id, outcome, traces: pulled.traces, evidence: pulled.evidence.length });
}

function noteOf({ evidence, traces, refused, unchanged, wait }: Pulled): string {
  const what =
    evidence.length === 0
      ? unchanged > 0
        ? "Nothing has changed since the last pull."
        : "There was nothing new."
      : `${countOf(evidence.length, "evidence record")} with ${countOf(traces, "trace")}; ${refused} refused.`;
  return wait === undefined
    ? what
    : `${what} The source asked to wait ${Math.ceil(wait)} seconds; the next pull goes on from there.`;
}

/** Pulls a source now, or answers the pull that runs. What is in the way is a conflict in words. */
export async function syncSource(ctx: Ctx, input: { readonly sid: string }) {
  const doc = await allowed(ctx, input.sid);
  const handle = await startSync(ctx, doc);
  const { deduplicated, job: id, poll, status } = handle;
  const row = await ctx.store.jobs.get(id);
  const note = row?.note ?? (deduplicated ? "A pull of this source runs already." : null);
  return new Reply(deduplicated ? 200 : 202, { deduplicated, job: id, note, poll, source: doc.id, status });
}

/** Starts the pull of a source that may be pulled. */
export async function startSync(ctx: Ctx, doc: SourceDoc) {
  const handle = await ctx.jobs.start(syncJob, { source: doc.id });
  if (!handle.deduplicated) await auditAct(ctx, "source_sync", { source: doc.id, job: handle.job });
  return handle;
}

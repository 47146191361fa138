import type { JobCtx } from "../../job.ts";
import type { PullTarget, SpanAsk } from "../../ports/source-vendor.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import { type PrivacyRule, privacyOf } from "../anonymize/index.ts";
import { once } from "../reading/bytes.ts";
import { openEvidence } from "../reading/evidence.ts";

/** How far the vendor lets one look back, seconds. */
export const RETENTION = 15 * 86_400;
/** Spans of a trace begin no later than this after its first, seconds. */
const LONGEST = 86_400;
/** Stored times are rounded: a trace's first span is looked for this much around them, seconds. */
const AROUND = 1;

/** What became of a trace that was asked for. */
export type PulledTrace = { readonly trace: CanonicalTrace } | { readonly none: "gone" | "refused" };

/**
 * Pulls the spans of a stored trace again, by its id at the vendor, and converts them as it was converted. An id that was
 * made a pseudonym is found among the traces that began when it did: the same key makes the same pseudonym of it.
 */
export async function pullTrace(
  ctx: JobCtx,
  target: PullTarget,
  stored: CanonicalTrace,
  rule: PrivacyRule | undefined,
): Promise<PulledTrace> {
  const known = traceId(stored);
  const privacy = rule && privacyOf(rule);
  const plain = privacy === undefined || privacy.session(known) === known;
  const ids = plain ? [known] : (await beganWith(ctx, target, stored)).filter((id) => privacy.session(id) === known);
  for (const id of ids) {
    const values = await spansOf(ctx, target, id, stored.started_at);
    if (values.length === 0) continue;
    const lines = `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;
    const open = await openEvidence(once(Buffer.from(lines)), { kind: "traces", format: "obs-spans", privacy: rule });
    for await (const { trace } of open.traces()) if (traceId(trace) === known) return { trace };
    return { none: "refused" };
  }
  return { none: "gone" };
}

/** The id that a trace has at its vendor, as it is stored. */
function traceId(trace: CanonicalTrace): string {
  return trace.labels.trace_id ?? trace.session;
}

async function spansOf(ctx: JobCtx, target: PullTarget, trace: string, began: number | undefined): Promise<unknown[]> {
  const to = ctx.now();
  const from = Math.max(to - RETENTION, (began ?? 0) - AROUND);
  const range = { from, to: began === undefined ? to : Math.min(to, began + LONGEST) };
  const values = await everySpan(ctx, target, { ...range, of: "spans", trace });
  const requests =
    target.scope.requests_ml_app === undefined ? [] : await everySpan(ctx, target, { ...range, of: "requests", trace });
  return [...values, ...requests].map(({ value }) => value);
}

async function beganWith(ctx: JobCtx, target: PullTarget, { started_at: began }: CanonicalTrace): Promise<string[]> {
  if (began === undefined) return [];
  const spans = await everySpan(ctx, target, { from: began - AROUND, to: began + AROUND, of: "spans" });
  return [...new Set(spans.map(({ trace }) => trace))];
}

async function everySpan(ctx: JobCtx, target: PullTarget, ask: SpanAsk) {
  const spans = [];
  let cursor: string | undefined;
  do {
    ctx.signal.throwIfAborted();
    const page = await ctx.vendors.sources.spans(target, { ...ask, cursor }, ctx.signal);
    spans.push(...page.spans);
    cursor = page.next === cursor ? undefined : page.next;
  } while (cursor !== undefined);
  return spans;
}

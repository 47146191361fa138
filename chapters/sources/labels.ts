import { z } from "zod";
import { auditAct } from "../audit.ts";
import type { Ctx } from "../context.ts";
import { badField } from "../errors.ts";
import { privacyOf } from "../evidence/anonymize/index.ts";
import { privacyFor } from "../evidence/anonymize/pseudonym-keys.ts";
import { postLabels } from "../evidence/feedback/labels.ts";
import { orgRef, recordId } from "../fields.ts";
import { recordMode } from "../modes/record-modes.ts";
import { everyRow } from "../page.ts";
import { type Doc, idOfValue } from "../record.ts";
import { Evidence } from "../records/evidence/evidence.ts";
import { RootCause } from "../records/runs/runs.ts";
import { SourceLabel } from "../records/sources/sources.ts";
import { type Tier, weakestTier } from "../tier.ts";
import type { SourceDoc } from "./source-view.ts";
import { findSource } from "./sources.ts";

/** The forms that labels come in: our own, the tracing tool's scores, the observability vendor's evaluations. */
export const LabelFormat = z.enum(["plain", "trace_store", "obs"]);

type LabelDoc = Doc<typeof SourceLabel>;
type Polarity = LabelDoc["polarity"];

/** What an item says, in whichever form it came. */
interface ItemLabel {
  readonly session: string;
  readonly name?: string | undefined;
  /** As it is told; absent, the score says it where the direction of its name is known. */
  readonly polarity?: Polarity | undefined;
  readonly score?: number | undefined;
  readonly value?: string | undefined;
  readonly note?: string | undefined;
  readonly tier: z.infer<typeof Tier>;
}

const LONGEST = 2000;
const text = z.string().min(1).max(LONGEST);
const ANNOTATOR = {
  person: "human",
  human: "human",
  code: "deterministic",
  model: "llm-derived",
  llm: "llm-derived",
} as const;

const Plain = z
  .object({
    trace: text.optional(),
    session: text.optional(),
    name: z.string().min(1).max(200).optional(),
    polarity: z.enum(["good", "bad", "unclear"]).optional(),
    score: z.number().optional(),
    value: text.optional(),
    note: text.optional(),
    annotator: z.enum(["person", "human", "code", "model", "llm"]).optional(),
  })
  .refine(({ trace, session }) => trace !== undefined || session !== undefined)
  .transform(
    (item): ItemLabel => ({
      session: item.trace ?? item.session ?? "",
      name: item.name,
      polarity: item.polarity,
      score: item.score,
      value: item.value,
      note: item.note,
      tier: ANNOTATOR[item.annotator ?? "person"],
    }),
  );

const Score = z
  .object({
    traceId: text.nullish(),
    sessionId: text.nullish(),
    name: z.string().min(1).max(200),
    value: z.union([z.number(), z.string().max(LONGEST)]).nullish(),
    stringValue: z.string().max(LONGEST).nullish(),
    comment: z.string().max(LONGEST).nullish(),
    source: z.string().nullish(),
  })
  .refine(({ traceId, sessionId }) => Boolean(traceId ?? sessionId))
  .transform((item): ItemLabel => {
    const score = typeof item.value === "number" ? item.value : undefined;
    const value = item.stringValue ?? (typeof item.value === "string" ? item.value : undefined);
    return {
      session: item.traceId ?? item.sessionId ?? "",
      name: item.name,
      score,
      value: value ?? undefined,
      note: item.comment ?? undefined,
      tier: item.source === "ANNOTATION" ? "human" : item.source === "EVAL" ? "llm-derived" : "deterministic",
    };
  });

const Evaluation = z
  .object({
    join_on: z.object({ span: z.object({ trace_id: text }) }),
    label: z.string().min(1).max(200),
    score_value: z.number().optional(),
    categorical_value: z.string().max(LONGEST).optional(),
    boolean_value: z.boolean().optional(),
    assessment: z.enum(["pass", "fail"]).optional(),
    reasoning: z.string().max(LONGEST).optional(),
  })
  .transform((item): ItemLabel => {
    const score = item.score_value ?? (item.boolean_value === undefined ? undefined : Number(item.boolean_value));
    const assessed = item.assessment && (item.assessment === "pass" ? ("good" as const) : ("bad" as const));
    return {
      session: item.join_on.span.trace_id,
      name: item.label,
      polarity: assessed,
      score,
      value: item.categorical_value,
      note: item.reasoning,
      tier: "llm-derived",
    };
  });

const READERS = { plain: Plain, trace_store: Score, obs: Evaluation } as const;

/** What `sources_labels` takes. */
export const LabelsInput = z.object({
  ...orgRef,
  sid: recordId("source"),
  items: z.array(z.record(z.string(), z.unknown())).min(1).max(5000).describe("In the form that `format` names."),
  format: LabelFormat.optional().describe("`plain` when absent."),
  name: z.string().min(1).max(200).optional().describe("What is judged, for items that do not say."),
  as_failure_modes: z.boolean().optional().describe("Make a failure mode of each bad label as well."),
  higher_is: z
    .enum(["better", "worse"])
    .optional()
    .describe("Which way scores from 0 to 1 count, for items that tell no polarity."),
});
export type LabelsInput = z.output<typeof LabelsInput>;

/** An item that is no label of the format. */
export const RefusedLabel = z.object({ line: z.number().int(), reason: z.string() });
type RefusedLabel = z.infer<typeof RefusedLabel>;

const REFUSALS_TOLD = 100;

/**
 * Stores what was said of a source's traces, each label once: sent again it stands in the place of the one before. A
 * label is of the stored trace of its id, where there is one; what people said of those is their verdict, by which tasks are
 * mined. Notes are read under the source's data access. Bad labels
 * that are meant as failure modes report one mode for each name.
 */
export async function addLabels(ctx: Ctx, input: LabelsInput) {
  const source = await findSource(ctx, input.sid);
  const format = input.format ?? "plain";
  const refused: RefusedLabel[] = [];
  const said = input.items.flatMap((item, i) => {
    const read = READERS[format].safeParse(item);
    if (read.success) return [read.data];
    refused.push({ line: i + 1, reason: `no label of format ${format}` });
    return [];
  });
  if (said.length === 0) throw badField("items", `hold no label of format ${format}`);
  const rule = await privacyFor(ctx, source.data_access, source);
  const privacy = rule && privacyOf(rule);
  const own = await ownIds(ctx, source, said);
  // An id that the store gave is no vendor's: it says nothing of anybody and stays as it is.
  const session = (id: string) => (own.has(id) ? id : (privacy?.session(id) ?? id));
  const traces = await tracesOf(ctx, source, new Set(said.map((each) => session(each.session))));
  const now = ctx.now();
  const docs = said.map((each): LabelDoc => {
    const told = session(each.session);
    const trace = traces.get(told);
    const name = each.name ?? input.name ?? "label";
    const polarity = each.polarity ?? polarityOf(each.score, name, input.higher_is);
    const clean = (value: string | undefined) => (value === undefined || !privacy ? value : privacy.text(value));
    const [value, note] = [clean(each.value), clean(each.note)];
    return {
      id: idOfValue(SourceLabel, source.id, name, told),
      created_at: now,
      by: ctx.caller.name,
      source: source.id,
      name,
      session: told,
      ...(trace === undefined ? {} : { trace }),
      polarity,
      ...(each.score === undefined ? {} : { score: each.score }),
      ...(value === undefined ? {} : { value }),
      ...(note === undefined ? {} : { note }),
      failure_mode: input.as_failure_modes === true && polarity === "bad",
      tier: each.tier,
    };
  });
  const kept = [...new Map(docs.map((doc) => [doc.id, doc])).values()];
  await ctx.store.records.apply(kept.map((doc) => ({ op: "put" as const, kind: SourceLabel, doc })));
  await judge(ctx, kept);
  for (const [name, of] of Map.groupBy(
    kept.filter((doc) => doc.failure_mode),
    (doc) => doc.name,
  ))
    await recordMode(
      ctx,
      { text: wordsOf(name, of), by: ctx.caller.name, origin: "sheet", origin_source: source.id },
      {
        title: name,
        ...(notesOf(of).length === 0 ? {} : { description: notesOf(of).join("\n").slice(0, LONGEST) }),
        behaviour: RootCause.safeParse(name).data,
        reported: of.map(({ trace, session }) => trace ?? session).slice(0, REPORTED),
        tier: weakestTier(of.map(({ tier }) => tier)),
      },
      ["label", name],
    );
  await auditAct(ctx, "source_labels", { source: source.id, labels: kept.length, refused: refused.length });
  const count = (keep: (doc: LabelDoc) => boolean) => kept.filter(keep).length;
  return {
    org: ctx.org.tag,
    source: source.id,
    format,
    received: input.items.length,
    stored: kept.length,
    matched: count((doc) => doc.trace !== undefined),
    polarity: Object.fromEntries(
      (["good", "bad", "unclear"] as const).map((each) => [each, count((doc) => doc.polarity === each)]),
    ),
    failure_modes: count((doc) => doc.failure_mode),
    refused: refused.slice(0, REFUSALS_TOLD),
    tier: "deterministic" as const,
  };
}

/** What people said of stored traces is their verdict on them too; a trace that one calls bad is not right. */
async function judge(ctx: Ctx, docs: readonly LabelDoc[]): Promise<void> {
  const verdicts = new Map<string, "positive" | "negative">();
  for (const { trace, polarity, tier } of docs) {
    if (trace === undefined || tier !== "human" || polarity === "unclear") continue;
    if (verdicts.get(trace) !== "negative") verdicts.set(trace, polarity === "good" ? "positive" : "negative");
  }
  if (verdicts.size > 0)
    await postLabels(ctx, { labels: [...verdicts].map(([trace, polarity]) => ({ trace, polarity })) });
}

/** Most traces that a mode made of labels names. */
const REPORTED = 100;

/** What was noted, each once. */
function notesOf(labels: readonly LabelDoc[]): string[] {
  return [...new Set(labels.flatMap(({ note, value }) => note ?? value ?? []))];
}

function wordsOf(name: string, labels: readonly LabelDoc[]): string {
  return [name, ...notesOf(labels)].join("\n").slice(0, LONGEST);
}

/** Names of scores that are better the higher, and of those that are worse. */
const BETTER =
  /accura|correct|helpful|faithful|ground|relevan|quality|success|satisf|pass|complete|coheren|concise|precision|recall|thumbs|approv|resolv|good|safety|similarity/;
const WORSE =
  /toxic|hallucin|error|fail|bias|harm|risk|pii|leak|offens|profan|unsafe|incorrect|inaccura|irrelevan|unhelp|unfaithful|unground|dissatisf|incomplete|incoheren|contradict|wrong|bad|injection|jailbreak|violat|abus|hate|frustrat|complain|escalat|latency|cost/;

/**
 * A share or a yes or no is on one side of the middle; which side is good, the sender tells, or the name where it is one of
 * those above. All else says nothing by itself, and so does a score on another scale.
 */
function polarityOf(score: number | undefined, name: string, told: LabelsInput["higher_is"]): Polarity {
  if (score === undefined || score < 0 || score > 1) return "unclear";
  const plain = name.toLowerCase();
  const higher = told ?? (WORSE.test(plain) ? "worse" : BETTER.test(plain) ? "better" : undefined);
  if (higher === undefined) return "unclear";
  return score >= 0.5 === (higher === "better") ? "good" : "bad";
}

/** Of the ids said, those that the store gave to traces of the source. */
async function ownIds(ctx: Ctx, source: SourceDoc, said: readonly ItemLabel[]): Promise<Set<string>> {
  const own = new Set<string>();
  for (const id of new Set(said.map(({ session }) => session))) {
    const row = id.startsWith("tr_") ? await ctx.store.traces.get(id) : undefined;
    const evidence = row && (await ctx.store.records.get(Evidence, row.evidence));
    if (evidence?.source === source.id) own.add(id);
  }
  return own;
}

/** The stored traces of the source that have these ids: of their session, of their own, or those that their source gave them. */
async function tracesOf(ctx: Ctx, source: SourceDoc, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const where = { source: source.id, kind: "traces" };
  for await (const evidence of everyRow((page) => ctx.store.records.list(Evidence, { ...page, where })))
    for await (const head of everyRow((page) => ctx.store.traces.heads(evidence.id, page)))
      for (const id of [head.session, head.id]) if (wanted.has(id) && !found.has(id)) found.set(id, head.id);
  if (found.size === wanted.size) return found;
  const evidence: string[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(Evidence, { ...page, where })))
    evidence.push(row.id);
  for await (const { id, trace } of ctx.store.traces.stream(evidence)) {
    const given = trace.labels.trace_id;
    if (given !== undefined && wanted.has(given) && !found.has(given)) found.set(given, id);
  }
  return found;
}

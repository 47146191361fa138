import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict } from "../../errors.ts";
import { byField, words } from "../../fields.ts";
import { read, readerOf } from "../../models/pass.ts";
import type { ModeDoc } from "../../modes/record-modes.ts";
import type { StoredTrace } from "../../ports/store.ts";
import { FailureMode } from "../../records/findings/findings.ts";
import { Tier, weakestTier } from "../../tier.ts";
import { SESSION_CLASSES, SHOWN, sessionPass, transcript } from "./classify-session.ts";
import { authorField } from "./failure-modes.ts";
import { modeRef } from "./fields.ts";
import { findMode } from "./find-modes.ts";
import { eachOnce, type ReportedSession, reportedSessions, storedTraces } from "./mode-sessions.ts";

/** What `failure_mode_classify` takes. */
export const ClassifyInput = z.object({
  ...modeRef,
  reader: z.enum(["rule", "model"]).optional().describe("rule when absent."),
  holding: z
    .array(words(200))
    .min(1)
    .max(50)
    .optional()
    .describe("The tools that hold what was asked for; the mode's own tool when absent."),
  model: words(200).optional().describe("Of the model reader, as offered."),
  dry_run: z.boolean().optional().describe("Answer what would change, and change nothing."),
  ...byField,
  ...authorField,
});
export type ClassifyInput = z.output<typeof ClassifyInput>;

/** What was read of a session that was reported. */
export const ClassifiedSession = z.object({
  session: z.string(),
  from: z.enum(["mode", "note", "label"]),
  /** Absent where the org holds no trace of the session. */
  trace: z.string().optional(),
  class: z.enum([...SESSION_CLASSES, "not_stored", "too_long"]),
  reason: z.string(),
  tier: Tier,
});
type ClassifiedSession = z.infer<typeof ClassifiedSession>;

/** Sessions that a model is asked about in one call at most. */
const MOST_ASKED = 200;
const ENTITIES = 50;

/**
 * Reads the sessions that were reported against a false no-data mode: whether each was wrong to say that there is nothing,
 * by what the tools that hold the data answered. By rule, or one model call a session. A dry run writes nothing, and with
 * a model asks nothing: it answers what that would cost at most.
 */
export async function classifyMode(ctx: Ctx, input: ClassifyInput) {
  const mode = await findMode(ctx, input.mid);
  if (mode.behaviour !== "false_no_data")
    throw conflict("Only the sessions of a false no-data mode are classified; say its behaviour first.", {
      by: "failure_modes_patch",
    });
  const reader = input.reader ?? "rule";
  if (reader === "rule" && input.model !== undefined) throw badField("model", "only the model reader takes a model");
  const named = await reportedSessions(ctx, mode);
  const found = await storedTraces(
    ctx,
    named.map(({ session }) => session),
  );
  const reported = eachOnce(named, found);
  const traces = new Map([...found].filter(([id]) => reported.some(({ session }) => session === id)));
  const holding = input.holding ?? holdingOf(mode, [...traces.values()]);
  const dry = input.dry_run ?? false;
  const asked = reported.filter(({ session }) => traces.has(session));
  if (reader === "model" && asked.length > MOST_ASKED)
    throw conflict(`A model reads at most ${MOST_ASKED} sessions at once; the rule reads them all.`);
  const estimate = reader === "model" ? estimateOf(ctx, input, [...traces.values()], holding) : null;
  const entries: ClassifiedSession[] = [];
  if (reader === "rule" || !dry)
    for (const one of reported) {
      ctx.signal.throwIfAborted();
      entries.push(await entryOf(ctx, one, traces.get(one.session), holding, input));
      ctx.progress(entries.length, reported.length, "sessions");
    }
  const tier = weakestTier(entries.map((entry) => entry.tier)) ?? ("deterministic" as const);
  const counts = countsOf(entries);
  const after = dry
    ? mode
    : await classified(ctx, mode, { reader, holding, counts, tier }, actor(ctx, input.by ?? input.author));
  return {
    org: ctx.org.tag,
    failure_mode: after.id,
    reader,
    dry_run: dry,
    estimate: estimate === null ? null : { usd: estimate, calls: asked.length },
    holding: [...holding],
    holding_seen_in: [...traces.values()].filter(({ trace }) => trace.calls.some(({ tool }) => holding.includes(tool)))
      .length,
    sessions: reported.length,
    with_turns: traces.size,
    counts,
    entries,
    entities: entitiesOf([...traces.values()], holding),
    tier,
  };
}

/** The mode's own tool, or the tools that answered data in the reported sessions. */
function holdingOf({ target }: ModeDoc, traces: readonly StoredTrace[]): string[] {
  if (target?.tool !== undefined) return [target.tool];
  const answered = traces.flatMap(({ trace }) =>
    trace.calls.flatMap(({ tool, answer_class }) => (answer_class === "data" ? [tool] : [])),
  );
  return [...new Set(answered)].sort();
}

function estimateOf(
  ctx: Ctx,
  { model }: ClassifyInput,
  traces: readonly StoredTrace[],
  holding: readonly string[],
): number {
  const readable = traces.filter(({ trace }) => transcript(trace).length <= SHOWN);
  const costs = readable.map(
    ({ trace }) => readerOf(ctx, sessionPass, { trace, holding }, { reader: "model", model }).estimate_usd,
  );
  return costs.reduce((sum, usd) => sum + usd, 0);
}

async function entryOf(
  ctx: Ctx,
  one: ReportedSession,
  row: StoredTrace | undefined,
  holding: readonly string[],
  { reader, model }: ClassifyInput,
): Promise<ClassifiedSession> {
  const code = { tier: "deterministic" as const };
  if (!row) return { ...one, class: "not_stored", reason: "The org holds no trace of this session.", ...code };
  if (reader === "model" && transcript(row.trace).length > SHOWN)
    return { ...one, trace: row.id, class: "too_long", reason: `It is longer than ${SHOWN} characters.`, ...code };
  const { value, tier } = await read(
    ctx,
    sessionPass,
    { trace: row.trace, holding },
    { reader: reader ?? "rule", model },
  );
  return { ...one, trace: row.id, ...value, tier };
}

type Counts = Record<ClassifiedSession["class"], number>;

function countsOf(entries: readonly ClassifiedSession[]): Counts {
  const counts = Object.fromEntries([...SESSION_CLASSES, "not_stored", "too_long"].map((name) => [name, 0])) as Counts;
  for (const entry of entries) counts[entry.class] += 1;
  return counts;
}

/** What was asked of the holding tools: text arguments, with how many sessions asked each, most first. */
function entitiesOf(traces: readonly StoredTrace[], holding: readonly string[]) {
  const seen = new Map<string, number>();
  for (const { trace } of traces) {
    const asked = trace.calls.filter(({ tool }) => holding.includes(tool)).flatMap(({ args }) => Object.values(args));
    for (const value of new Set(asked.filter((arg): arg is string => typeof arg === "string" && arg !== "")))
      seen.set(value, (seen.get(value) ?? 0) + 1);
  }
  const entities = [...seen].map(([entity, sessions]) => ({ entity, sessions }));
  return entities.sort((a, b) => b.sessions - a.sessions || (a.entity < b.entity ? -1 : 1)).slice(0, ENTITIES);
}

async function classified(
  ctx: Ctx,
  mode: ModeDoc,
  found: Omit<NonNullable<ModeDoc["classified"]>, "at" | "by" | "holding"> & { readonly holding: readonly string[] },
  by: string,
): Promise<ModeDoc> {
  const record = { ...found, holding: [...found.holding], at: ctx.now(), by };
  const after = await ctx.store.records.update(FailureMode, mode.id, (doc) => ({ ...doc, classified: record }));
  await auditAct(ctx, "failure_mode_classified", { mode: mode.id, reader: found.reader }, by);
  return after ?? mode;
}

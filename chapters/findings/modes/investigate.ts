import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, unprocessable } from "../../errors.ts";
import { orgRef, words } from "../../fields.ts";
import { offeredModel } from "../../models/spend.ts";
import {
  type ModeDoc,
  type ModeFields,
  type NoteDoc,
  present,
  recordMode,
  reportedBy,
} from "../../modes/record-modes.ts";
import { everyRow } from "../../page.ts";
import { FailureMode } from "../../records/findings/findings.ts";
import { Source } from "../../records/sources/sources.ts";
import { Reply } from "../../reply.ts";
import { type SourceDoc, syncBlocked } from "../../sources/source-view.ts";
import { startSync } from "../../sources/sync.ts";
import { type ReadReport, readReport } from "../reports/read-report.ts";
import { authorField } from "./failure-modes.ts";
import { addCites, findFailureJob, namedCites } from "./find-failures.ts";
import { type Bucket, bucketFor, buckets } from "./find-modes.ts";
import { storedTraces } from "./mode-sessions.ts";
import { isGeneratable, modeView } from "./mode-view.ts";
import { parkedReport } from "./proposals.ts";
import { TOLD_BY_RULE } from "./shows-failure.ts";

/** What a report is answered that names no trace, no tool and no way of failing. */
const NOTHING_TO_GO_BY =
  "The report names no session, trace or tool, and says no way of failing that rules know: there is nothing to look for. Name one of them, or keep its words with failure_modes_post.";

export const ids = z.array(words(500)).max(500).optional();

/** What `investigate_failure` takes. */
export const InvestigateInput = z.object({
  ...orgRef,
  text: words(20_000).optional().describe("The report's words; required without `report`."),
  report: words(200).optional().describe("The id of a feedback note that holds them."),
  ...authorField,
  ticket: words(500).optional().describe("Its id or address in your tracker."),
  origin_source: words(500).optional().describe("Where it was reported: a channel, a sheet, an address."),
  session_ids: ids.describe("Sessions that the report names."),
  trace_ids: ids.describe("Traces that the report names."),
  window: z
    .object({ from: z.number().optional(), to: z.number().optional() })
    .strict()
    .optional()
    .describe("When the searched traces began, unix seconds."),
  tools: z.array(words(200)).max(50).optional().describe("Tools that the report is about, the foremost first."),
  title: words(200).optional(),
  seen_at: z.number().min(0).optional().describe("Unix seconds."),
  member: words(100).optional().describe("Id of the member who reported it."),
  stats: z
    .record(words(100), z.union([words(1_000), z.number()]))
    .optional()
    .describe("Figures that came with the report; kept on its note."),
  reader: z.enum(["rule", "model"]).optional().describe("Who reads the searched traces; rule when absent."),
  model: words(200).optional().describe("Of the model reader, as offered."),
});
export type InvestigateInput = z.output<typeof InvestigateInput>;

/**
 * Reads a report by rule, records a failure mode that cites the traces it names, pulls those that are not stored from a
 * source that may be asked, and starts a search for traces and trials that show the same. Writes no task. The same report
 * again answers the mode that stands, with what was found since.
 */
export async function investigate(ctx: Ctx, input: InvestigateInput) {
  const reader = input.reader ?? "rule";
  if (reader === "rule" && input.model !== undefined) throw badField("model", "only the model reader takes a model");
  if (reader === "model") offeredModel(ctx, input.model);
  const parked = input.report === undefined ? undefined : await parkedReport(ctx, input.report);
  if (parked && input.text !== undefined) throw badField("text", "the parked report has its own words");
  const text = parked?.text ?? input.text;
  if (text === undefined) throw badField("text", "give the report's words, or the id of a parked one in report");
  const all = await buckets(ctx);
  const read = readReport(text, input.tools ?? [], [...new Set(all.flatMap(({ tools }) => tools))]);
  const ids = [...(input.session_ids ?? []), ...(input.trace_ids ?? []), ...read.named];
  if (read.behaviour === undefined && read.tool === undefined && ids.length === 0)
    throw unprocessable(NOTHING_TO_GO_BY);
  const { mode: first, duplicate } = await recorded(ctx, input, text, parked, read, bucketFor(all, read.tool));
  const stored = await storedTraces(ctx, first.reported);
  const mode = await addCites(ctx, first.id, namedCites(stored, ctx.now()));
  const wanted = mode.reported.filter((id) => !stored.has(id));
  const pull = wanted.length === 0 ? null : await pullFor(ctx);
  const search = await searchFor(ctx, input, mode, pull?.job ?? undefined);
  const body = {
    org: ctx.org.tag,
    duplicate,
    failure_mode: modeView(mode),
    behaviour_words: [...read.behaviour_words],
    cited: mode.cites.flatMap(({ trace }) => trace ?? []),
    wanted,
    trace_state: stateOf(mode, wanted, pull?.job ?? null, search?.job ?? null),
    pull,
    search,
    generatable: isGeneratable(mode),
    why_no_tasks: whyNone(mode),
    tier: "deterministic" as const,
  };
  return new Reply(duplicate ? 200 : 201, body);
}

async function recorded(
  ctx: Ctx,
  input: InvestigateInput,
  text: string,
  parked: NoteDoc | undefined,
  read: ReadReport,
  bucket: Bucket | undefined,
): Promise<{ readonly mode: ModeDoc; readonly duplicate: boolean }> {
  const { author, ticket, origin_source, seen_at, member, stats } = input;
  const by = actor(ctx, author);
  const reported = [...new Set([...(input.trace_ids ?? []), ...(input.session_ids ?? []), ...read.named])];
  const fields: ModeFields = {
    title: input.title ?? read.title,
    reported,
    ...present({ behaviour: read.behaviour, ticket, seen_at, bucket: bucket?.environment.id }),
    ...(read.tool === undefined ? {} : { target: { tool: read.tool } }),
  };
  if (!parked) {
    const filed = stats && Object.fromEntries(Object.entries(stats).map(([name, value]) => [name, String(value)]));
    const words = { text, by, author, author_member: member, origin_source, fields: filed };
    const made = await recordMode(ctx, words, fields, ["investigate", text.trim(), ticket ?? ""]);
    return made.duplicate ? { ...made, mode: await alsoReported(ctx, made.mode, reported) } : made;
  }
  const known = parked.failure_mode && (await ctx.store.records.get(FailureMode, parked.failure_mode));
  if (known) return { mode: await alsoReported(ctx, known, reported), duplicate: true };
  const { mode, changes } = reportedBy(ctx, parked, fields, by);
  await ctx.store.records.apply(changes);
  await auditAct(ctx, "failure_mode_reported", { mode: mode.id, note: parked.id }, by);
  return { mode, duplicate: false };
}

/** The mode with ids that a later report of it names too. */
async function alsoReported(ctx: Ctx, mode: ModeDoc, ids: readonly string[]): Promise<ModeDoc> {
  if (ids.every((id) => mode.reported.includes(id))) return mode;
  const after = await ctx.store.records.update(FailureMode, mode.id, (doc) => ({
    ...doc,
    reported: [...new Set([...doc.reported, ...ids])],
  }));
  return after ?? mode;
}

/** Kinds of source that sessions can be pulled from. */
const OF_SESSIONS = new Set<SourceDoc["kind"]>(["obs", "trace_store"]);

/** Starts the pull that may bring what is not stored, or says why none does. */
async function pullFor(ctx: Ctx) {
  let blocked: string | null = null;
  for await (const source of everyRow((page) => ctx.store.records.list(Source, page))) {
    if (!OF_SESSIONS.has(source.kind)) continue;
    const why = await syncBlocked(ctx, source);
    blocked ??= why;
    if (why !== null) continue;
    const { job, poll } = await startSync(ctx, source);
    return { state: "started" as const, source: source.id, job, poll, note: null };
  }
  const note = blocked ?? "No source of traces is connected that could be asked for them.";
  return { state: "not_started" as const, source: null, job: null, poll: null, note };
}

/** Starts the search for what shows the mode, where there is something to go by. */
async function searchFor(ctx: Ctx, input: InvestigateInput, mode: ModeDoc, pull: string | undefined) {
  const reader = input.reader ?? "rule";
  const canTell = mode.behaviour !== undefined && (reader === "model" || TOLD_BY_RULE.has(mode.behaviour));
  if (!canTell && pull === undefined) return null;
  const { from, to } = input.window ?? {};
  const search = {
    mode: mode.id,
    reader,
    tools: [...(input.tools ?? [])],
    window: present({ from, to }),
    ...present({ pull, model: input.model }),
  };
  const { job, poll } = await ctx.jobs.start(findFailureJob, search);
  return { job, poll };
}

function stateOf(mode: ModeDoc, wanted: readonly string[], pull: string | null, search: string | null) {
  if (wanted.length > 0) return pull === null ? ("not_stored" as const) : ("pulling" as const);
  if (mode.cites.length > 0) return "cited" as const;
  return search === null ? ("not_named" as const) : ("searching" as const);
}

/** Why no task came of it: one is written when a person confirms the mode. */
function whyNone(mode: ModeDoc): string {
  if (mode.tasks.length > 0) return "Tasks hold agents to this mode already.";
  if (mode.behaviour === undefined)
    return "The report's words do not say how the agent fails; say the mode's behaviour.";
  if (!isGeneratable(mode)) return "Rules write no task for this behaviour; add tasks of your own.";
  if (mode.bucket === undefined) return "No live sandbox serves what the report is about.";
  return "Investigating writes no task: propose the mode by its note, and have a person confirm it.";
}

import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { mayChange } from "../../../worlds/shown-effects.ts";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { AppError, orNotFound } from "../../errors.ts";
import { type JobCtx, job } from "../../job.ts";
import { read } from "../../models/pass.ts";
import type { ModeDoc } from "../../modes/record-modes.ts";
import { everyRow } from "../../page.ts";
import type { StoredTrace } from "../../ports/store.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { FeedbackNote } from "../../records/evidence/feedback.ts";
import { FailureMode, type ModeCite } from "../../records/findings/findings.ts";
import { Environment } from "../../records/sandboxes/sandboxes.ts";
import { SHOWN, transcript } from "./classify-session.ts";
import { storedTraces } from "./mode-sessions.ts";
import { failedTrials, hasCause } from "./mode-trials.ts";
import { showsPass } from "./shows-failure.ts";

/** What a search goes by. */
const SearchInput = z.object({
  mode: z.string(),
  /** The pull that is to bring what the report names: waited for first. */
  pull: z.string().optional(),
  tools: z.array(z.string()),
  window: z.object({ from: z.number().optional(), to: z.number().optional() }),
  reader: z.enum(["rule", "model"]),
  model: z.string().optional(),
});
type SearchInput = z.infer<typeof SearchInput>;

/** Finds the traces and trials that show a mode, and cites them on it. Safe to repeat: nothing is cited twice. */
export const findFailureJob = job({
  kind: "find_failure",
  input: SearchInput,
  key: ({ mode }) => mode,
  attempts: 3,
  ends: "cancel",
  concurrency: 1,
  run: search,
});

/** Traces read at most: by rule, and by a model. */
const MOST_READ = { rule: 20_000, model: 50 };
/** Traces and trials cited of one search at most, each. */
const MOST_CITED = 20;
/** Newest run groups whose trials are looked at. */
const GROUPS = 50;
const LOOK_MS = 200;

async function search(ctx: JobCtx, input: SearchInput) {
  await pulled(ctx, input.pull);
  const mode = await modeNow(ctx, input.mode);
  const named = namedCites(await storedTraces(ctx, mode.reported), ctx.now());
  const traces = await tracesShowing(ctx, mode, input);
  const trials = await trialsShowing(ctx, mode);
  const cites = [...named, ...traces.cites, ...trials];
  await addCites(ctx, mode.id, cites);
  await ctx.job.audit("searched", { mode: mode.id, read: traces.read, cited: cites.length });
  return {
    failure_mode: mode.id,
    read: traces.read,
    traces: traces.cites.length + named.length,
    trials: trials.length,
  };
}

async function pulled(ctx: JobCtx, id: string | undefined): Promise<void> {
  while (id !== undefined) {
    const row = await ctx.store.jobs.get(id);
    if (!row || row.ended_at !== null) return;
    ctx.progress(0, undefined, "waiting for the pull");
    await sleep(LOOK_MS, undefined, { signal: ctx.signal });
  }
}

async function modeNow(ctx: Ctx, id: string): Promise<ModeDoc> {
  return orNotFound(await ctx.store.records.get(FailureMode, id), "failure mode");
}

/** The stored traces that a report names, as cites: a person said so. */
export function namedCites(rows: ReadonlyMap<string, StoredTrace>, at: number): ModeCite[] {
  return [...rows.values()].map((row) => citeOf(row, "human", at));
}

function citeOf({ id, trace }: StoredTrace, tier: ModeCite["tier"], at: number): ModeCite {
  return { trace: id, session: trace.session, tier, at };
}

async function tracesShowing(ctx: JobCtx, mode: ModeDoc, input: SearchInput) {
  const cites: ModeCite[] = [];
  let seen = 0;
  if (mode.behaviour === undefined) return { cites, read: seen };
  const note = await ctx.store.records.get(FeedbackNote, mode.note);
  const question = {
    behaviour: mode.behaviour,
    tool: mode.target?.tool,
    writes: await writingTools(ctx, mode),
    report: note?.text ?? mode.title,
  };
  const known = new Set(mode.cites.map(({ trace }) => trace));
  for await (const row of candidates(ctx, input)) {
    ctx.signal.throwIfAborted();
    if (known.has(row.id)) continue;
    if (input.reader === "model" && transcript(row.trace).length > SHOWN) continue;
    seen += 1;
    const { value, tier } = await read(ctx, showsPass, { ...question, trace: row.trace }, input);
    if (value.shows) cites.push(citeOf(row, tier, ctx.now()));
    if (cites.length >= MOST_CITED || seen >= MOST_READ[input.reader]) break;
    if (seen % 100 === 0) ctx.progress(seen, undefined, "traces read");
  }
  return { cites, read: seen };
}

/** Stored traces in the window that call one of the tools, the newest evidence first. */
async function* candidates(ctx: Ctx, { window, tools }: SearchInput): AsyncGenerator<StoredTrace> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = window;
  const bounded = window.from !== undefined || window.to !== undefined;
  const where = { kind: "traces" };
  for await (const record of everyRow((page) => ctx.store.records.list(Evidence, { ...page, where }))) {
    if (record.superseded_by !== undefined) continue;
    for await (const row of ctx.store.traces.stream([record.id])) {
      const at = row.trace.started_at;
      if (bounded && (at === undefined || at < from || at > to)) continue;
      if (tools.length === 0 || row.trace.calls.some(({ tool }) => tools.includes(tool))) yield row;
    }
  }
}

/** The tools that change something, as the mode's sandbox serves them; none is known without one. */
async function writingTools(ctx: Ctx, { bucket }: ModeDoc): Promise<string[]> {
  const environment = bucket === undefined ? undefined : await ctx.store.records.get(Environment, bucket);
  if (!environment) return [];
  const { bundle } = await loadBundle(ctx, environment.bundle);
  return bundle.tools.map(({ name }) => name).filter((name) => mayChange(bundle, name));
}

/** Trials of agents in the newest groups that failed in the way of the mode. */
async function trialsShowing(ctx: JobCtx, mode: ModeDoc): Promise<ModeCite[]> {
  const found: ModeCite[] = [];
  if (mode.behaviour === undefined) return found;
  const known = new Set(mode.cites.flatMap(({ trial }) => (trial ? [JSON.stringify(trial)] : [])));
  for await (const row of failedTrials(ctx, GROUPS)) {
    ctx.signal.throwIfAborted();
    const trial = { run: row.run, task: row.task, n: row.n };
    if (hasCause(mode, row) && !known.has(JSON.stringify(trial)))
      found.push({ trial, tier: "deterministic", at: ctx.now() });
    if (found.length >= MOST_CITED) break;
  }
  return found;
}

/** Puts cites on a mode, each once. */
export async function addCites(ctx: Ctx, mode: string, cites: readonly ModeCite[]): Promise<ModeDoc> {
  const name = ({ trace, trial }: ModeCite) => trace ?? JSON.stringify(trial && [trial.run, trial.task, trial.n]);
  const after = await ctx.store.records.update(FailureMode, mode, (doc) => {
    const known = new Set(doc.cites.map(name));
    const more = cites.filter((cite) => !known.has(name(cite)) && known.add(name(cite)));
    return more.length === 0 ? doc : { ...doc, cites: [...doc.cites, ...more] };
  });
  if (!after) throw new AppError("not_found", "The failure mode is gone.");
  return after;
}

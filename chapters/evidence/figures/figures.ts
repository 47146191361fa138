import { setImmediate } from "node:timers/promises";
import type { z } from "zod";
import { digestOf } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { isoWeek } from "../../iso-week.ts";
import { type Doc, idOfValue } from "../../record.ts";
import type { CanonicalTrace, Evidence, Provenance } from "../../records/evidence/evidence.ts";
import { type FigureCell, FigureMark, WeekFigures } from "../../records/evidence/figure.ts";
import { durationOf, LABELS } from "../traces/trace-words.ts";
import { caughtUp, landedRecords, unreadPositions, withRead } from "../traces/unread-traces.ts";

type ProgressDoc = Doc<typeof FigureMark>;
type WeekDoc = Doc<typeof WeekFigures>;

/** Where traces come from that are counted: agents at work, and what nobody said otherwise of. */
const COUNTED: ReadonlySet<z.infer<typeof Provenance>> = new Set(["production", "unknown"]);
const BATCH = 100;
/** Names of one week that are told apart; all others are one. */
const NAMES = 200;
/** The name under which the others stand. */
const OTHERS = "(others)";
/** The week of traces that tell no time. */
export const UNDATED = "undated";

/** The id of the one mark of an org. */
export const FIGURE_MARK = "fgm_traces";

/**
 * Counts traces that were not counted yet into the figures of their weeks, for so many milliseconds; answers whether all
 * are. Each is counted once, whoever counts at the same time. What was erased later stays counted: no value of it is here.
 */
export async function countFigures(ctx: Ctx, milliseconds = Number.POSITIVE_INFINITY): Promise<boolean> {
  const until = performance.now() + milliseconds;
  const now = ctx.now();
  const base = { id: FIGURE_MARK, created_at: now, by: ctx.caller.name, updated_at: now };
  const fresh: ProgressDoc = { ...base, since: 0, read: {}, weeks: [] };
  let mark = await ctx.store.records.get(FigureMark, FIGURE_MARK);
  const records = await landedRecords(ctx, mark?.since ?? 0, ({ provenance }) => COUNTED.has(provenance));
  if (mark === undefined) {
    if (records.length === 0) return true;
    if (!(await ctx.store.records.insert(FigureMark, fresh))) return false;
    mark = fresh;
  }
  try {
    for (const [i, record] of records.entries()) {
      for await (const positions of unreadPositions(ctx, record.id, mark.read[record.id] ?? [], BATCH)) {
        ctx.signal.throwIfAborted();
        if (performance.now() >= until) return false;
        mark = await counted(ctx, mark, record, positions);
        await setImmediate();
      }
      const last = i === records.length - 1;
      const next = caughtUp(mark, records, last ? now : Math.min(now, record.created_at));
      if (next.since > mark.since) mark = await written(ctx, mark, { ...next, updated_at: now }, []);
    }
  } catch (error) {
    // Another call counts the same: it goes on where this one ends.
    if (error instanceof AppError && error.code === "conflict") return false;
    throw error;
  }
  return true;
}

async function counted(
  ctx: Ctx,
  mark: ProgressDoc,
  record: Doc<typeof Evidence>,
  positions: readonly number[],
): Promise<ProgressDoc> {
  const rows = await ctx.store.traces.at(record.id, positions);
  const weeks = Map.groupBy(rows, ({ trace }) =>
    trace.started_at === undefined ? UNDATED : isoWeek(trace.started_at),
  );
  const ids = [...weeks.keys()].map((week) => weekId(week));
  const stored = new Map((await ctx.store.records.getMany(WeekFigures, ids)).map((doc) => [doc.id, doc]));
  const docs = [...weeks].map(([week, of]) => {
    const base = { id: weekId(week), created_at: ctx.now(), by: ctx.caller.name, week };
    const doc = stored.get(base.id) ?? { ...base, all: none(), tool: {}, model: {}, version: {} };
    return of.reduce((sum, { trace }) => withTrace(sum, trace, record.agent_version), structuredClone(doc));
  });
  const named = [...new Set([...mark.weeks, ...weeks.keys()])].sort();
  return written(ctx, mark, { ...withRead(mark, record.id, positions), weeks: named, updated_at: ctx.now() }, docs);
}

async function written(
  ctx: Ctx,
  before: ProgressDoc,
  mark: ProgressDoc,
  weeks: readonly WeekDoc[],
): Promise<ProgressDoc> {
  await ctx.store.records.apply([
    { op: "put", kind: FigureMark, doc: mark, expect: digestOf(before) },
    ...weeks.map((doc) => ({ op: "put" as const, kind: WeekFigures, doc })),
  ]);
  return mark;
}

/** The id of the figures of a week. */
export function weekId(week: string): string {
  return idOfValue(WeekFigures, week);
}

function none(): FigureCell {
  return { traces: 0, calls: 0, errors: 0, ms: {}, priced: 0, usd: 0, tokened: 0, input_tokens: 0, output_tokens: 0 };
}

function withTrace(week: WeekDoc, trace: CanonicalTrace, recordVersion: string | undefined): WeekDoc {
  const version =
    recordVersion ?? LABELS.version.map((name) => trace.labels[name]).find((value) => value !== undefined);
  for (const cell of [week.all, cellOf(week.model, trace.labels.model), cellOf(week.version, version)]) {
    if (cell === undefined) continue;
    cell.traces += 1;
    cell.calls += trace.calls.length;
    cell.errors += trace.calls.filter(({ is_error }) => is_error).length;
    addMs(cell, durationOf(trace));
    if (trace.cost_usd !== undefined) {
      cell.priced += 1;
      cell.usd += trace.cost_usd;
    }
    const { input_tokens, output_tokens } = trace.usage ?? {};
    if (input_tokens === undefined && output_tokens === undefined) continue;
    cell.tokened += 1;
    cell.input_tokens += input_tokens ?? 0;
    cell.output_tokens += output_tokens ?? 0;
  }
  const called = new Set<FigureCell>();
  for (const { tool, is_error, ms } of trace.calls) {
    const cell = cellOf(week.tool, tool);
    if (cell === undefined) continue;
    called.add(cell);
    cell.calls += 1;
    if (is_error) cell.errors += 1;
    addMs(cell, ms);
  }
  for (const cell of called) cell.traces += 1;
  return week;
}

function cellOf(cells: Record<string, FigureCell>, name: string | undefined): FigureCell | undefined {
  if (name === undefined || name === "") return undefined;
  const known = Object.hasOwn(cells, name);
  const key = known || Object.keys(cells).length < NAMES ? name : OTHERS;
  if (!Object.hasOwn(cells, key))
    // A tool may be called __proto__.
    Object.defineProperty(cells, key, { value: none(), enumerable: true, writable: true, configurable: true });
  return cells[key];
}

const STEPS = 4;

function addMs(cell: FigureCell, ms: number | undefined): void {
  if (ms === undefined || !(ms >= 0)) return;
  const step = String(Math.floor(STEPS * Math.log2(Math.max(1, ms))));
  cell.ms[step] = (cell.ms[step] ?? 0) + 1;
}

/** The time that this share of those timed took at most, milliseconds, within 10 %; undefined where none was timed. */
export function msAt({ ms }: Pick<FigureCell, "ms">, share: number): number | undefined {
  const steps = Object.entries(ms).sort(([a], [b]) => Number(a) - Number(b));
  const n = steps.reduce((sum, [, k]) => sum + k, 0);
  let seen = 0;
  for (const [step, k] of steps) {
    seen += k;
    if (seen >= share * n) return Math.round(2 ** ((Number(step) + 0.5) / STEPS));
  }
  return undefined;
}

/** Two cells as one. */
export function sumOf(a: FigureCell, b: FigureCell): FigureCell {
  const ms = { ...a.ms };
  for (const [step, n] of Object.entries(b.ms)) ms[step] = (ms[step] ?? 0) + n;
  return {
    traces: a.traces + b.traces,
    calls: a.calls + b.calls,
    errors: a.errors + b.errors,
    ms,
    priced: a.priced + b.priced,
    usd: a.usd + b.usd,
    tokened: a.tokened + b.tokened,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
  };
}

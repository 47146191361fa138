import { z } from "zod";
import { sha256 } from "../../worlds/digest.ts";
import { conflict, unprocessable } from "../errors.ts";
import type { JobCtx } from "../job.ts";
import type { PullTarget, SpanAsk } from "../ports/source-vendor.ts";
import type { Doc } from "../record.ts";
import { Source, type SpanResume } from "../records/sources/sources.ts";
import { waitOf } from "./busy.ts";
import type { SourceDoc } from "./source-view.ts";
import { type Stored, storePulled } from "./store-pulled.ts";

/** A trace is whole when nothing of it happened for so many seconds. */
const QUIET = 300;
/** Spans that are younger than this, seconds, may not be listed yet. */
const LAG = 30;
const DAY = 86_400;
const FIRST_DAYS = 15;
const SLICE = { first: 6 * 3600, least: 300, most: 4 * DAY };
/** A slice of more pages than this is cut in half the next time, one of a single page doubled. */
const MANY_PAGES = 20;
/** So many whole traces, or spans of them, become one evidence record. */
const BATCH = { traces: 500, spans: 20_000 };

type Resume = z.infer<typeof SpanResume>;

interface OpenSpans {
  readonly values: unknown[];
  first: number;
  last: number;
}

/** Where the window of this job ends: the same for every attempt, so that a repeated pull asks for the same. */
const State = z.object({ to: z.number() });

interface Sums {
  readonly evidence: string[];
  traces: number;
  refused: number;
}

/**
 * Pulls spans in slices of time, oldest first, and stores traces once they are whole; one that still runs is left to the
 * next pull. Where the next pull goes on is written with every evidence record, so that nothing is pulled twice or lost
 * whatever happens; where the source asks to wait, what is whole is kept.
 */
export async function pullSpans(ctx: JobCtx, source: SourceDoc, target: PullTarget) {
  const known = State.safeParse(ctx.job.state);
  const to = known.success ? known.data.to : ctx.now() - LAG;
  if (!known.success) await ctx.job.checkpoint({ to });
  const begin = source.resume ?? { since: firstSecond(source, ctx.now()), slice_seconds: SLICE.first, done: [] };
  const pull = new SpanPull(ctx, source.id, target, begin);
  let wait: number | undefined;
  try {
    while (pull.at < to) await pull.slice(Math.min(pull.at + pull.sliceSeconds, to), to);
  } catch (cause) {
    wait = waitOf(cause);
    if (wait === undefined) throw cause;
    pull.shorten();
  }
  await pull.flush();
  return { ...pull.sums, unchanged: 0, ...(wait === undefined ? {} : { wait }) };
}

function firstSecond({ import: given, last_sync }: SourceDoc, now: number): number {
  if (given.since !== undefined) return Math.min(given.since, now);
  if (given.days !== undefined) return now - given.days * DAY;
  return last_sync ?? now - FIRST_DAYS * DAY;
}

class SpanPull {
  readonly #ctx: JobCtx;
  readonly #source: string;
  readonly #target: PullTarget;
  readonly #open = new Map<string, OpenSpans>();
  readonly #ready = new Map<string, OpenSpans>();
  readonly #done: Map<string, number>;
  readonly sums: Sums = { evidence: [], traces: 0, refused: 0 };
  /** Every span before this second was asked for. */
  at: number;
  sliceSeconds: number;

  constructor(ctx: JobCtx, source: string, target: PullTarget, begin: Resume) {
    this.#ctx = ctx;
    this.#source = source;
    this.#target = target;
    this.#done = new Map(begin.done.map(({ trace, last }) => [trace, last]));
    this.at = begin.since;
    this.sliceSeconds = begin.slice_seconds;
  }

  /** Asks for all spans that began up to `end`; what of them is whole then is ready to be stored. */
  async slice(end: number, to: number): Promise<void> {
    const seen = new Map<string, OpenSpans>();
    let pages = await this.#pages({ from: this.at, to: end, of: "spans" }, seen);
    if (this.#target.scope.requests_ml_app !== undefined)
      pages += await this.#pages({ from: this.at, to: end, of: "requests" }, seen);
    // Only a slice that was read to its end counts: one that broke off is asked for again from its beginning.
    for (const [trace, { values, first, last }] of seen) {
      const known = this.#open.get(trace) ?? { values: [], first, last };
      known.values.push(...values);
      known.first = Math.min(known.first, first);
      known.last = Math.max(known.last, last);
      this.#open.set(trace, known);
    }
    this.at = end;
    if (pages > MANY_PAGES) this.shorten();
    else if (pages <= 1) this.sliceSeconds = Math.min(this.sliceSeconds * 2, SLICE.most);
    for (const [trace, open] of this.#open) {
      if (open.last > end - QUIET) continue;
      this.#open.delete(trace);
      this.#ready.set(trace, open);
    }
    this.#ctx.progress(
      this.sums.traces + this.#ready.size,
      undefined,
      `spans up to ${new Date(end * 1000).toISOString()}`,
    );
    let spans = 0;
    for (const { values } of this.#ready.values()) spans += values.length;
    if (end < to && (this.#ready.size >= BATCH.traces || spans >= BATCH.spans)) await this.flush();
  }

  shorten(): void {
    this.sliceSeconds = Math.max(SLICE.least, Math.floor(this.sliceSeconds / 2));
  }

  /** Stores the whole traces as one evidence record, then where the next pull goes on. */
  async flush(): Promise<void> {
    const traces = [...this.#ready].sort(([, a], [, b]) => a.first - b.first);
    const since = Math.min(this.at, ...[...this.#open.values()].map(({ first }) => first));
    if (traces.length > 0) this.#count(await this.#store(traces));
    for (const [trace, { last }] of traces) this.#done.set(trace, last);
    this.#ready.clear();
    const done = [...this.#done].filter(([, last]) => last >= since).map(([trace, last]) => ({ trace, last }));
    const resume: Resume = { since, slice_seconds: this.sliceSeconds, done };
    await this.#ctx.store.records.update(Source, this.#source, (doc) => ({ ...doc, resume }));
  }

  async #store(traces: readonly (readonly [string, OpenSpans])[]): Promise<Stored> {
    const lines = traces.flatMap(([, { values }]) => values.map((value) => JSON.stringify(value)));
    const key = sha256(JSON.stringify(traces.map(([trace, { values }]) => [trace, values.length])));
    return storePulled(this.#ctx, await this.#consented(), {
      bytes: Buffer.from(`${lines.join("\n")}\n`),
      kind: "traces",
      format: this.#target.kind === "obs" ? "obs-spans" : "trace_store",
      idempotencyKey: `pull:${this.#source}:${key}`,
    });
  }

  #count({ evidence, traces, refused }: Stored): void {
    if (evidence !== undefined) this.sums.evidence.push(evidence);
    this.sums.traces += traces;
    this.sums.refused += refused;
  }

  async #pages(ask: SpanAsk, seen: Map<string, OpenSpans>): Promise<number> {
    let pages = 0;
    let cursor: string | undefined;
    do {
      this.#ctx.signal.throwIfAborted();
      await this.#consented();
      const page = await this.#ctx.vendors.sources.spans(this.#target, { ...ask, cursor }, this.#ctx.signal);
      for (const { trace, start, end, value } of page.spans) this.#take(hashed(trace), start, end, value, seen);
      if (page.next !== undefined && page.next === cursor)
        throw unprocessable("The source answered the same page twice; the pull was given up.");
      cursor = page.next;
      pages++;
    } while (cursor !== undefined);
    return pages;
  }

  #take(trace: string, start: number, end: number, value: unknown, seen: Map<string, OpenSpans>): void {
    if (this.#done.has(trace) || this.#ready.has(trace)) return;
    const known = seen.get(trace) ?? { values: [], first: start, last: end };
    known.values.push(value);
    known.first = Math.min(known.first, start);
    known.last = Math.max(known.last, end);
    seen.set(trace, known);
  }

  /** The source as it is now; a consent that was taken back ends the pull. */
  async #consented(): Promise<Doc<typeof Source>> {
    const doc = await this.#ctx.store.records.get(Source, this.#source);
    if (doc?.consent !== "granted")
      throw conflict("Consent to the source was taken back, or it was disconnected; the pull ended.");
    return doc;
  }
}

function hashed(trace: string): string {
  return sha256(trace).slice(0, 24);
}

import type { Ctx } from "../context.ts";
import { TOLD_BY_RULE } from "../findings/modes/shows-failure.ts";
import type { StoredTrace } from "../ports/store.ts";
import { DEFAULT_SURFACE, Evidence } from "../records/evidence/evidence.ts";
import { judgeTrace } from "./judge-trace.ts";
import { judgesOf } from "./terms.ts";

/** Newest records that are looked at for traces of a surface. */
const RECORDS = 50;

/** What the rules that alerts go by find among the newest traces of a surface, at most `most`. */
export interface LookBack {
  readonly traces: number;
  /** Traces in which one of the rules finds its failure. */
  readonly failed: number;
  /** Of each rule: the traces that it finds, the newest first, as `<evidence>/<trace>`. */
  readonly found: ReadonlyMap<string, readonly string[]>;
}

/** What an alert on every failure that a rule can tell would have found; no model is asked, and nothing is written down. */
export async function lookBack(ctx: Ctx, surface: string, most: number): Promise<LookBack> {
  const judges = await judgesOf(ctx, { detectors: [...TOLD_BY_RULE], reader: "rule" }, surface);
  const found = new Map<string, string[]>(judges.map(({ name }) => [name, []]));
  let [traces, failed] = [0, 0];
  for await (const { evidence, id, trace } of newestTraces(ctx, surface, most)) {
    const verdicts = await Promise.all(judges.map((judge) => judgeTrace(ctx, judge, trace)));
    const bad = verdicts.filter(({ polarity }) => polarity === "bad");
    for (const { name } of bad) found.get(name)?.push(`${evidence}/${id}`);
    failed += bad.length > 0 ? 1 : 0;
    traces += 1;
  }
  return { traces, failed, found };
}

/** The newest traces of a surface, at most `most`, the newest first. */
export async function* newestTraces(ctx: Ctx, surface: string, most: number): AsyncGenerator<StoredTrace> {
  const { items } = await ctx.store.records.list(Evidence, { limit: RECORDS, where: { kind: "traces" } });
  let traces = 0;
  for (const record of items) {
    if ((record.surface ?? DEFAULT_SURFACE) !== surface || traces >= most) continue;
    const end = record.rolling?.next ?? record.stats.traces;
    const length = Math.min(end, most - traces);
    const rows = await ctx.store.traces.at(
      record.id,
      Array.from({ length }, (_, i) => end - 1 - i),
    );
    yield* rows.toReversed();
    traces += rows.length;
  }
}

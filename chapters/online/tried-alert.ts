import type { Ctx } from "../context.ts";
import { traceEvidence } from "../evidence/attributes/attributes.ts";
import { traceMeets } from "../evidence/traces/filter-traces.ts";
import type { CanonicalTrace } from "../records/evidence/evidence.ts";
import type { OnlineTerms } from "../records/online/online.ts";
import { HOUR, hourOf, hoursOf, turnOf, windowsOf } from "./alert.ts";
import { judgeTrace } from "./judge-trace.ts";
import { newestTraces } from "./look-back.ts";
import { judgesOf } from "./terms.ts";

/** A day at whose end an alert would have looked: traces of its window, those that failed, and whether an incident would have opened. */
interface TriedDay {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly judged: number;
  readonly bad: number;
  readonly opens: boolean;
}

const DAY_HOURS = 24;

/**
 * What an alert would have told of the newest traces of a surface, at most `most`, at the end of each UTC day in which one
 * of them started, the newest first. Traces that do not say when they started are left out. Rules alone read; nothing is
 * written down.
 */
export async function daysOfAlert(ctx: Ctx, surface: string, terms: OnlineTerms, most: number): Promise<TriedDay[]> {
  const judges = await judgesOf(ctx, { ...terms, reader: "rule" }, surface);
  const hours = new Map<number, { judged: number; bad: number; by: Record<string, number> }>();
  const meets = new Map<string, (trace: CanonicalTrace) => boolean>();
  for await (const { evidence, trace } of newestTraces(ctx, surface, most)) {
    const at = trace.started_at;
    if (at === undefined) continue;
    const fits = meets.get(evidence) ?? (await traceMeets(ctx, await traceEvidence(ctx, evidence), terms.filter ?? {}));
    meets.set(evidence, fits);
    if (!fits(trace)) continue;
    const verdicts = await Promise.all(judges.map((judge) => judgeTrace(ctx, judge, trace)));
    const bad = verdicts.filter(({ polarity }) => polarity === "bad");
    const hour = hours.get(hourOf(at)) ?? { judged: 0, bad: 0, by: {} };
    hour.judged += 1;
    hour.bad += bad.length > 0 ? 1 : 0;
    for (const { name } of bad) hour.by[name] = (hour.by[name] ?? 0) + 1;
    hours.set(hourOf(at), hour);
  }
  const each = [...hours].map(([at, of]) => ({ at, ...of }));
  const lasts = [...new Set(each.map(({ at }) => Math.floor(at / (DAY_HOURS * HOUR))))].sort((a, b) => b - a);
  return lasts.map((day) => {
    const end = (day + 1) * DAY_HOURS * HOUR - 1;
    const { window, before } = windowsOf(
      each.filter(({ at }) => at <= end && at > end - 2 * hoursOf(terms) * HOUR),
      terms,
      end,
    );
    return {
      day: new Date(end * 1000).toISOString().slice(0, 10),
      judged: window.judged,
      bad: window.bad,
      opens: turnOf(terms, window, before, undefined) === "opens",
    };
  });
}

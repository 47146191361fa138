import type { Doc } from "../record.ts";
import type { OnlineState, OnlineTerms } from "../records/online/online.ts";
import { differenceOf } from "../statistics/newcombe.ts";
import { wilson } from "../statistics/wilson.ts";

type Hour = Doc<typeof OnlineState>["hours"][number];

/** Judged traces of one window, and those that failed. */
export interface Window {
  readonly judged: number;
  readonly bad: number;
  /** Failures by check or detector. */
  readonly by: Readonly<Record<string, number>>;
}

/** Seconds of an hour. */
export const HOUR = 3600;
const WINDOW_HOURS = 24;
const MIN_TRACES = 20;

/** The hour that a time is in, unix seconds. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR) * HOUR;
}

/** Hours that are kept: those of the window and of the one before. */
export function keptHours(hours: readonly Hour[], terms: OnlineTerms, now: number): Hour[] {
  const from = hourOf(now) - (2 * hoursOf(terms) - 1) * HOUR;
  return hours.filter(({ at }) => at >= from);
}

/** The last hours' traces, the hour that runs included, and those of as many hours before. */
export function windowsOf(hours: readonly Hour[], terms: OnlineTerms, now: number) {
  const length = hoursOf(terms) * HOUR;
  const from = hourOf(now) + HOUR - length;
  return {
    window: sumOf(hours.filter(({ at }) => at >= from)),
    before: sumOf(hours.filter(({ at }) => at >= from - length && at < from)),
  };
}

/** How far an alert looks back, hours. */
export function hoursOf({ window_hours }: OnlineTerms): number {
  return window_hours ?? WINDOW_HOURS;
}

function sumOf(hours: readonly Hour[]): Window {
  const by: Record<string, number> = {};
  let [judged, bad] = [0, 0];
  for (const hour of hours) {
    judged += hour.judged;
    bad += hour.bad;
    for (const [name, n] of Object.entries(hour.by)) by[name] = (by[name] ?? 0) + n;
  }
  return { judged, bad, by };
}

/** The share of a window that failed, with its interval at 95 % (Wilson); null where nothing was judged. */
export function shareOf({ judged, bad }: Pick<Window, "judged" | "bad">) {
  return judged === 0 ? null : { share: bad / judged, ...wilson(bad, judged) };
}

type Baseline = Pick<Window, "judged" | "bad">;

/**
 * Whether an incident opens, closes, or nothing changes. It opens when the whole 95 % interval lies above what is allowed,
 * and closes when the share itself no longer does: between the two it lasts. A window of too few traces changes nothing,
 * but where nothing was judged in it and in the one before, an incident is over: nobody would ever close it.
 */
export function turnOf(
  terms: OnlineTerms,
  window: Window,
  before: Baseline,
  open: { readonly baseline?: Baseline | undefined } | undefined,
): "opens" | "closes" | "stays" {
  const least = terms.min_traces ?? MIN_TRACES;
  if (open && window.judged + before.judged === 0) return "closes";
  if (window.judged < least) return "stays";
  if (terms.change === undefined) {
    const allowed = terms.threshold ?? 1;
    if (open) return window.bad / window.judged <= allowed ? "closes" : "stays";
    return wilson(window.bad, window.judged).low > allowed ? "opens" : "stays";
  }
  const baseline = open?.baseline ?? before;
  if (baseline.judged < least) return "stays";
  const rise = differenceOf({ part: window.bad, n: window.judged }, { part: baseline.bad, n: baseline.judged });
  if (!rise) return "stays";
  if (open) return rise.difference <= terms.change ? "closes" : "stays";
  return rise.low > terms.change ? "opens" : "stays";
}

const NAMED = 3;

/** What is told of a window, a sentence a line, each share with its interval. It holds no text of evidence. */
export function linesOf(terms: OnlineTerms, window: Window, baseline: Baseline | undefined): string[] {
  const hours = hoursOf(terms);
  if (window.judged === 0)
    return [`No trace was judged in the last ${2 * hours} hours: whether what failed still fails is not known.`];
  const of = `in the last ${hours === 1 ? "hour" : `${hours} hours`}`;
  const most = Object.entries(window.by)
    .filter(([, n]) => n > 0)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return [
    `${shareInWords(window)} ${of}. ${allowed(terms, window, baseline)}`,
    ...(most.length === 0
      ? []
      : [
          `What failed most: ${most
            .slice(0, NAMED)
            .map(([name, n]) => `${name} (${n})`)
            .join(", ")}.`,
        ]),
    ...(terms.share === undefined ? [] : [`${percent(terms.share)} of the traces are judged.`]),
  ];
}

function shareInWords({ judged, bad }: Baseline): string {
  const { low, high } = wilson(bad, judged);
  return `${bad} of ${judged} judged traces failed (${percent(judged === 0 ? 0 : bad / judged)}, 95 % interval ${percent(low)} to ${percent(high)})`;
}

function allowed({ threshold, change }: OnlineTerms, window: Window, baseline: Baseline | undefined): string {
  if (change === undefined) return `At most ${percent(threshold ?? 1)} may fail.`;
  const against = baseline ?? { judged: 0, bad: 0 };
  const rise = differenceOf({ part: window.bad, n: window.judged }, { part: against.bad, n: against.judged });
  const points = (share: number) => (share * 100).toFixed(1);
  const by = rise
    ? `: ${points(rise.difference)} points more (95 % interval ${points(rise.low)} to ${points(rise.high)})`
    : "";
  return `Before, ${shareInWords(against)}${by}. A rise of at most ${points(change)} points is allowed.`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

import { parseResult } from "../answers.ts";
import type { Json, JsonObject } from "../json.ts";
import { type ObservedCall, type ObservedTrace, startOf } from "../observation.ts";
import { leavesOf, mapLeaves } from "./leaves.ts";

/**
 * Which parts of calls show the day on which their session is held, or one that lies so many days from it, such as when a
 * row was changed and when a loan is due.
 */
export interface SessionDays {
  /** The days from that of the session which a part shows; a part is a tool with a path of its arguments or its answers. */
  readonly parts: ReadonlyMap<string, ReadonlySet<number>>;
  /** Hours that the system's clock is ahead of UTC. */
  readonly ahead: number;
}

/** The parts for a person, such as `lend answered /due +14`. */
export const partsTold = ({ parts }: SessionDays): string[] =>
  [...parts]
    .flatMap(([part, far]) => [...far].map((days) => (days === 0 ? part : `${part} ${days > 0 ? "+" : ""}${days}`)))
    .sort();

/** Seconds of an hour and of a day. */
const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Hours that clocks are ahead of UTC, the likelier ones first. */
const AHEAD = Array.from({ length: 27 }, (_, i) => i - 12).sort((a, b) => Math.abs(a) - Math.abs(b));
/** Days that lie further from the session's are not taken to follow from it. */
const FURTHEST = 366;
/** Chance that any part of a service is taken for one that follows the session's day and is not. */
const BY_CHANCE = 0.01;
/** Of the days that are taken to follow the session's, at most one in so many may stand there by chance. */
const MOSTLY = 5;

/** The time of day of a moment, as answers write it. */
const HOURS = String.raw`[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`;
/** A day as a whole value or a word of its own, alone or with a time. A text inside JSON text writes the end of a line as `\n`. */
const WORD = new RegExp(
  String.raw`(?<=^|[^\w-]|\\[nrt])\d{4}-\d\d-\d\d(?:${HOURS}(?![\w-])|(?![\w-]| \d\d:\d\d))`,
  "g",
);
const WHOLE = new RegExp(`^(.{10})(${HOURS})?$`);

/** The number of a day since 1970, with the time of day that stands beside it; undefined for what is none. */
function readDay(value: string | number): { readonly day: number; readonly hours: string } | undefined {
  const [, date = "", hours = ""] = (typeof value === "string" && WHOLE.exec(value)) || [];
  const day = Date.parse(date) / DAY / 1000;
  return Number.isNaN(day) || written(day) !== date ? undefined : { day, hours };
}

const written = (day: number): string => new Date(day * DAY * 1000).toISOString().slice(0, 10);

const dayOf = (at: number, ahead: number): number => Math.floor((at + ahead * HOUR) / DAY);

const asked = ({ tool }: ObservedCall, path: string): string => `${tool} asked ${path}`;
const answered = ({ tool }: ObservedCall, path: string): string => `${tool} answered ${path}`;
/** Days that always stand with the same time of day, such as midnight, are a part of their own; a clock's have no such time. */
const withHours = (part: string, hours: string): string => (hours === "" ? part : `${part} ${hours}`);

/** What one part of the calls showed: each day once a session, with when that session was held. */
type ShownDays = Map<string, { readonly at: number; readonly day: number }[]>;

function shownDaysOf(traces: readonly ObservedTrace[]): ShownDays {
  const sights: ShownDays = new Map();
  for (const trace of traces) {
    const at = startOf(trace);
    if (at === undefined) continue;
    const seen = new Set<string>();
    const note = (place: string, value: string | number): void => {
      const { day, hours } = readDay(value) ?? {};
      if (day === undefined || hours === undefined) return;
      const part = withHours(place, hours);
      if (seen.has(`${part} ${day}`)) return;
      seen.add(`${part} ${day}`);
      const own = sights.get(part);
      if (own) own.push({ at, day });
      else sights.set(part, [{ at, day }]);
    };
    for (const call of trace.calls) {
      for (const { path, value } of leavesOf(call.args)) note(asked(call, path), value);
      if (holdsDays(call.result))
        for (const { path, value } of leavesOf(parseResult(call.result).value)) note(answered(call, path), value);
    }
  }
  return sights;
}

const holdsDays = (result: Json): boolean => rawOf(result).search(WORD) >= 0;

const rawOf = (result: Json): string => (typeof result === "string" ? result : JSON.stringify(result));

/**
 * Finds in the sessions of a service the parts that follow the day of their session: those that show it, or a day at a
 * fixed distance, on more days than they would if they showed what sessions of other days are shown.
 */
export function sessionDaysOf(traces: readonly ObservedTrace[]): SessionDays {
  const sights = shownDaysOf(traces);
  const ahead = hoursAhead(sights);
  const found: { readonly part: string; readonly far: number; readonly nats: number }[] = [];
  let tried = 0;
  for (const [part, seen] of sights) {
    // Sessions of one day may be of one task, which shows the same to all of them: a day counts once.
    const shown = new Map<number, Set<number>>();
    for (const { at, day } of seen) {
      const held = dayOf(at, ahead);
      shown.set(held, (shown.get(held) ?? new Set()).add(day));
    }
    if (shown.size < 2) continue;
    // On how many days each day is shown.
    const times = new Map<number, number>();
    for (const day of [...shown.values()].flatMap((days) => [...days])) times.set(day, (times.get(day) ?? 0) + 1);
    const distances = [...shown].flatMap(([held, days]) => [...days].map((day) => ({ held, far: day - held })));
    for (const [far, on] of Map.groupBy(distances, (one) => one.far)) {
      if (Math.abs(far) > FURTHEST) continue;
      tried++;
      const chance = on.reduce(
        (sum, { held }) => sum + ((times.get(held + far) ?? 1) - 1) / (shown.size - 1),
        1 / shown.size,
      );
      const hits = on.length;
      if (hits >= MOSTLY * chance) found.push({ part, far, nats: hits * Math.log(hits / chance) - hits + chance });
    }
  }
  const parts = new Map<string, Set<number>>();
  for (const { part, far, nats } of found)
    if (nats >= Math.log(tried / BY_CHANCE)) parts.set(part, (parts.get(part) ?? new Set()).add(far));
  return { parts, ahead };
}

/** The hours by which the most parts of sessions show the day on which they were held. */
function hoursAhead(sights: ShownDays): number {
  const seen = [...sights.values()].flat().filter(({ at, day }) => Math.abs(day - dayOf(at, 0)) <= 1);
  let best = { ahead: 0, hits: -1 };
  for (const ahead of AHEAD) {
    const hits = seen.filter(({ at, day }) => day === dayOf(at, ahead)).length;
    if (hits > best.hits) best = { ahead, hits };
  }
  return best.ahead;
}

/**
 * Sessions as though all of them were held on the day of `at`, in Unix seconds: days that follow from theirs follow from
 * that one. Sessions of which nobody tells when they were held stay as they are.
 */
export function onDay(
  traces: readonly ObservedTrace[],
  { parts, ahead }: SessionDays,
  at: number,
): readonly ObservedTrace[] {
  if (parts.size === 0 || at === 0) return traces;
  return traces.map((trace) => {
    const started = startOf(trace);
    if (started === undefined) return trace;
    const own = dayOf(started, ahead);
    const shift = dayOf(at, ahead) - own;
    return shift === 0 ? trace : moved(trace, (part, day) => parts.get(part)?.has(day - own) === true, shift);
  });
}

/** Sessions as though all of them were held on the day of `at`, by what they themselves show of their days. */
export function asOfDay(traces: readonly ObservedTrace[], at: number): readonly ObservedTrace[] {
  return onDay(traces, sessionDaysOf(traces), at);
}

/** Sessions as though all of them were held on the day of the newest: the one on which a compiled world's clock stands. */
export function asOfNewestDay(traces: readonly ObservedTrace[]): readonly ObservedTrace[] {
  return asOfDay(
    traces,
    traces.reduce((newest, trace) => Math.max(newest, startOf(trace) ?? 0), 0),
  );
}

const shifted = (value: string, days: number): string =>
  value.replace(/^.{10}/, (date) => written(Date.parse(date) / DAY / 1000 + days));

function moved(trace: ObservedTrace, follows: (part: string, day: number) => boolean, shift: number): ObservedTrace {
  const inArguments = new Set<string>();
  const inAll = new Set<string>();
  const seen = new Set<string>();
  // Days that a part which follows the session's was the first to show: another part that shows one later shows the same.
  const told = new Set<string>();
  const move = (place: string, value: string | number): string | undefined => {
    const read = readDay(value);
    if (read === undefined) return undefined;
    const own = String(value);
    const moves = follows(withHours(place, read.hours), read.day);
    if (moves && !seen.has(own)) told.add(own);
    seen.add(own);
    if (!moves && !told.has(own)) return undefined;
    inAll.add(own);
    return shifted(own, shift);
  };
  const calls = trace.calls.map((call) => {
    const args = mapLeaves(call.args, ({ path, value }) => {
      const to = move(asked(call, path), value);
      if (to !== undefined) inArguments.add(String(value));
      return to ?? value;
    }) as JsonObject;
    return { ...call, args, result: inResult(call.result, (path, value) => move(answered(call, path), value)) };
  });
  if (inAll.size === 0) return trace;
  const words = (which: ReadonlySet<string>) => (text: string) =>
    text.replace(WORD, (day) => (which.has(day) ? shifted(day, shift) : day));
  const { request, turns, answers, finalAnswer } = trace;
  return {
    ...trace,
    calls,
    ...(request === undefined ? {} : { request: words(inArguments)(request) }),
    ...(turns === undefined ? {} : { turns: turns.map(words(inArguments)) }),
    ...(answers === undefined ? {} : { answers: answers.map(words(inAll)) }),
    ...(typeof finalAnswer === "string" ? { finalAnswer: words(inAll)(finalAnswer) } : {}),
  };
}

/** A result with some of its days replaced, written as it was. A day that stands in several places of it keeps its order. */
function inResult(result: Json, move: (path: string, value: string | number) => string | undefined): Json {
  if (!holdsDays(result)) return result;
  const places = new Map<string, (string | undefined)[]>();
  for (const { path, value } of leavesOf(parseResult(result).value)) {
    if (readDay(value) === undefined) continue;
    const own = places.get(String(value)) ?? [];
    places.set(String(value), own);
    own.push(move(path, value));
  }
  const raw = rawOf(result);
  const stands = Map.groupBy(raw.match(WORD) ?? [], (day) => day);
  const passed = new Map<string, number>();
  const out = raw.replace(WORD, (day) => {
    const [own = [], n = 0] = [places.get(day), passed.get(day)];
    passed.set(day, n + 1);
    if (own.every((to) => to === own[0])) return own[0] ?? day;
    // Where a wrapping tells the answer twice, nobody can say which of its days is which.
    return (stands.get(day)?.length === own.length ? own[n] : undefined) ?? day;
  });
  return typeof result === "string" ? out : (JSON.parse(out) as Json);
}

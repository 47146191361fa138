import { argumentCheck } from "../arguments.ts";
import type { ToolDefinition } from "../bundle.ts";
import {
  ACCEPTED_WRONG,
  ANY,
  type ConfidenceModel,
  casesOf,
  isQuestion,
  RULED_OUT,
  taskName,
  UNLISTED,
  WRONG_COSTS,
} from "../confidence.ts";
import { declaredEffect, effectByName } from "./effects.ts";
import type { Session } from "./observations.ts";
import { gainIsSure, type Judged, type Score, utility } from "./utility.ts";
import { byText } from "./values.ts";

/** What wrong answers above that share cost in right ones, beside what all cost. */
const PRICE = 1;
/** Cases that are tried without an answer, at most. */
const TRIED = 24;
/** From this confidence on an answer is worth more than none: a wrong one costs so many right ones. */
const LEAST = WRONG_COSTS / (WRONG_COSTS + 1);
/** What answers are worth before any was tried: their share of right ones, and in how many sessions that was seen. */
const BEFORE = { right: 0.9, weight: 2 };
/** Held-out sessions that asked a question, from which on it is a case of its own. */
const ASKED = 2;
/** In how many sessions the next wider case was seen, where an estimate begins with it. */
const WIDER = 3;
/** What a wrong answer counts in an estimate where the world of all sessions, which saw its session too, has it right. */
const LEARNT = 0.5;
/** 90 % of estimates lie below their bound. */
const Z = 1.2816;

/** A world's trust, and what it is worth with it. */
export interface Trusted {
  readonly confidence: ConfidenceModel;
  readonly score: Score;
}

interface Tally {
  right: number;
  n: number;
}

/** The upper 90 % bound of a share (Wilson). */
export function upperBound(hits: number, n: number): number {
  if (n <= 0) return 1;
  const p = hits / n;
  const z2 = (Z * Z) / n;
  return (p + z2 / 2 + Z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n))) / (1 + z2);
}

/** Each call's share in its situation: calls in one situation count as one. */
function weights(answers: readonly Judged[]): number[] {
  const n = new Map<string, number>();
  for (const { situation } of answers) n.set(situation, (n.get(situation) ?? 0) + 1);
  return answers.map(({ situation }) => 1 / (n.get(situation) as number));
}

/** What sessions say of a case, each at most once: one that goes astray has many wrong answers. */
function counted(sessions: readonly Tally[]): Tally {
  const all = { right: 0, n: 0 };
  for (const { right, n } of sessions) {
    all.right += right / Math.max(1, n);
    all.n += n / Math.max(1, n);
  }
  return all;
}

/** What each session says of a case: right answers and all. */
type Sessions = ReadonlyMap<string, Tally>;

const NONE: Sessions = new Map();

/** What sessions say of a case beyond what they say of the narrower one within it. */
const beyond = (wide: Sessions, narrow: Sessions): Tally[] =>
  [...wide].map(([session, { right, n }]) => {
    const less = narrow.get(session) ?? { right: 0, n: 0 };
    return { right: Math.max(0, right - less.right), n: Math.max(0, n - less.n) };
  });

/** What was answered in each case, by session, and the next wider case of each; of known tasks or of others alone where said. */
function tallied(answers: readonly Judged[], counting: readonly number[], known?: boolean) {
  const cases = new Map<string, Map<string, Tally>>();
  const wider = new Map<string, string | undefined>();
  answers.forEach((answer, i) => {
    const { by, session, right } = answer;
    if (!answer.served || by === "memory" || (known !== undefined && answer.known !== known)) return;
    const counts = counting[i] as number;
    const names = casesOf({ ...answer, by });
    names.forEach((name, at) => {
      const sessions = cases.get(name) ?? new Map<string, Tally>();
      cases.set(name, sessions);
      const tally = sessions.get(session) ?? { right: 0, n: 0 };
      sessions.set(session, tally);
      tally.n += counts;
      if (right) tally.right += counts;
      wider.set(name, names[at + 1]);
    });
  });
  return { cases, wider };
}

/**
 * The confidence of every case that was tried, where tasks are known or where not: what is right of its own answers there,
 * beginning with its other ones, these with those of the next wider case, and so on. Each answer counts once in an estimate.
 */
function estimated(answers: readonly Judged[], known: boolean, counting: readonly number[]) {
  const all = tallied(answers, counting);
  const own = tallied(answers, counting, known);
  const found = new Map<string, number>();
  for (const [name, sessions] of all.cases) {
    if (isQuestion(name) && sessions.size < ASKED) continue;
    const levels: Sessions[] = [own.cases.get(name) ?? NONE];
    for (let at: string | undefined = name; at !== undefined; at = all.wider.get(at))
      levels.push(all.cases.get(at) ?? NONE);
    const sure = levels.reduceRight((before, level, i) => {
      const { right, n } = counted(beyond(level, levels[i - 1] ?? NONE));
      const weight = i === levels.length - 1 ? BEFORE.weight : WIDER;
      return (right + weight * before) / (n + weight);
    }, BEFORE.right);
    found.set(name, Math.round(sure * 1e4) / 1e4);
  }
  return found;
}

/** Confidence by case, where evidence has sessions of a task and where it has none. */
interface Estimates {
  readonly known: ReadonlyMap<string, number>;
  readonly unknown: ReadonlyMap<string, number>;
}

/** A case that is not to be answered, in sessions of tasks that are known, that are not, or in all. */
interface Silence {
  readonly name: string;
  readonly known: boolean | undefined;
}

/**
 * How far the answers of a world are trusted, from what became of them on sessions that it was not made from. A case is
 * not answered where that is worth more over all: what rests on its effects is unknown then too, so each is tried.
 * Wrong answers above the accepted share, by its upper 90 % bound, cost twice as much as others. Calls are `learnt` whose
 * answer the world of all sessions has right.
 */
export function fitConfidence(
  first: Score,
  judge: (trust: ConfidenceModel) => Score,
  sessions: readonly Session[],
  listing: readonly ToolDefinition[],
  isSure: typeof gainIsSure = gainIsSure,
  learnt: ReadonlySet<Judged["call"]> = new Set(),
): Trusted {
  const { answers } = first;
  const weight = weights(answers);
  const counting = answers.map(
    ({ right, call }, i) => (weight[i] as number) * (!right && learnt.has(call) ? LEARNT : 1),
  );
  const estimates: Estimates = {
    known: estimated(answers, true, counting),
    unknown: estimated(answers, false, counting),
  };
  const tasks = tasksOf(sessions);
  const lenient = lenientIn(sessions, listing);
  const model = (silent: readonly Silence[]): ConfidenceModel => ({
    known: cases(estimates.known, silent, true),
    unknown: cases(estimates.unknown, silent, false),
    least: LEAST,
    reads: readsOf(listing),
    ...(lenient.length > 0 ? { lenient } : {}),
    tasks,
  });
  const silent = ownWords(answers);
  const start = judge(model(silent));
  let best: { silent: readonly Silence[]; score: Score; value: number } = {
    silent,
    score: start,
    value: gainOf(start),
  };
  for (const silence of candidates(start.answers)) {
    if (best.silent.some((one) => covers(one, silence))) continue;
    const silent = [...best.silent, silence];
    const score = judge(model(silent));
    const value = gainOf(score);
    if (value > best.value && isSure(best.score, score)) best = { silent, score, value };
  }
  return { confidence: model(best.silent), score: best.score };
}

/** Tools that a session saw take arguments which their schema rules out. */
function lenientIn(sessions: readonly Session[], listing: readonly ToolDefinition[]): string[] {
  const checks = new Map(listing.map(({ name, inputSchema }) => [name, argumentCheck(inputSchema)]));
  const taken = sessions.flatMap(({ calls }) =>
    calls.flatMap(({ tool, args, ok }) => (ok && checks.get(tool)?.(args) !== undefined ? [tool] : [])),
  );
  return [...new Set(taken)].sort(byText);
}

/**
 * Refusals in words of the world's own, of arguments that the schema rules out and of tools that the listing lacks, which
 * nothing was learnt from: they are given where held-out sessions were mostly answered so, and stay silent elsewhere.
 */
function ownWords(answers: readonly Judged[]): Silence[] {
  const balance = new Map<string, number>([
    [UNLISTED, 0],
    [RULED_OUT, 0],
  ]);
  for (const answer of answers) {
    const { by, right, served } = answer;
    if (!served || (by !== "schema" && by !== "listing")) continue;
    for (const name of casesOf({ ...answer, by })) balance.set(name, (balance.get(name) ?? 0) + (right ? 1 : -1));
  }
  return [...balance].filter(([, sum]) => sum <= 0).map(([name]) => ({ name, known: undefined }));
}

/** What answers are worth a call: wrong ones above what is accepted cost more. */
function gainOf({ answers, calls, ...rest }: Score): number {
  const weight = weights(answers);
  let [all, wrong] = [0, 0];
  answers.forEach(({ served, right }, i) => {
    all += weight[i] as number;
    if (served && !right) wrong += weight[i] as number;
  });
  const above = wrong > 0 && wrong > ACCEPTED_WRONG * all ? Math.max(0, upperBound(wrong, all) - ACCEPTED_WRONG) : 0;
  return utility({ calls, ...rest }) - PRICE * above;
}

/** Whether what one case leaves out holds another. */
const covers = (one: Silence, other: Silence): boolean =>
  (one.known === undefined || one.known === other.known) && holds(one.name, other.name);

const holds = (wide: string, name: string): boolean => name === wide || name.startsWith(`${wide}\n`);

interface Candidate {
  readonly silence: Silence;
  /** Wrong answers, and all. */
  n: number;
  of: number;
  readonly width: number;
}

const nameOf = ({ silence: { known, name } }: Candidate): string => `${known} ${name}`;

/** What is gained where a case is not answered and nothing else changes by it. */
const gained = ({ n, of }: Candidate): number => n * (1 + WRONG_COSTS) - of;

const wide = ({ silence, width }: Candidate): number => width + (silence.known === undefined ? 0.5 : 0);

/** Cases with wrong answers, in the order in which they are tried: those that cost most first, and of such the widest. */
function candidates(answers: readonly Judged[]): Silence[] {
  const wrong = new Map<string, Candidate>();
  const weight = weights(answers);
  answers.forEach((answer, i) => {
    const { by } = answer;
    if (!answer.served || by === "memory") return;
    const names = casesOf({ ...answer, by });
    names
      .filter((name) => name !== ANY && !isQuestion(name))
      .forEach((name, width) => {
        for (const known of [undefined, answer.known]) {
          const id = `${known}\n${name}`;
          const one = wrong.get(id) ?? { silence: { name, known }, n: 0, of: 0, width };
          wrong.set(id, one);
          one.of += weight[i] as number;
          if (!answer.right) one.n += weight[i] as number;
        }
      });
  });
  return [...wrong.values()]
    .filter(({ n, of }) => n > 0 && n > of * ACCEPTED_WRONG)
    .sort((a, b) => gained(b) - gained(a) || wide(b) - wide(a) || byText(nameOf(a), nameOf(b)))
    .slice(0, TRIED)
    .map(({ silence }) => silence);
}

/** Confidence by case, with those that are silent, and narrower ones within them, at none. */
function cases(found: ReadonlyMap<string, number>, silent: readonly Silence[], known: boolean): Record<string, number> {
  const names = silent.filter((one) => one.known === undefined || one.known === known).map(({ name }) => name);
  const isSilent = (name: string) => names.some((one) => holds(one, name));
  const all = new Map([...found].map(([name, sure]) => [name, isSilent(name) ? 0 : sure]));
  for (const name of names) all.set(name, 0);
  return Object.fromEntries([...all].sort(([a], [b]) => byText(a, b)));
}

/** Tools that are said to read. */
export const readsOf = (listing: readonly ToolDefinition[]): string[] =>
  listing
    .flatMap((tool) => ((declaredEffect(tool) ?? effectByName(tool.name)) === "read" ? [tool.name] : []))
    .sort(byText);

const tasksOf = (sessions: readonly Session[]): string[] =>
  [...new Set(sessions.flatMap(({ id, group }) => (id === group ? [] : [taskName(group)])))].sort(byText);

/** What was estimated with some sessions held out, for a world made of others: the tasks of those are known to it. */
export const knowing = (trust: ConfidenceModel, sessions: readonly Session[]): ConfidenceModel => ({
  ...trust,
  tasks: tasksOf(sessions),
});

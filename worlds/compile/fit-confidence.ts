import { argumentCheck } from "../arguments.ts";
import type { ToolDefinition } from "../bundle.ts";
import {
  ANY,
  type ConfidenceModel,
  casesOf,
  formOf,
  isQuestion,
  RECORDED,
  RULED_OUT,
  taskName,
  UNLISTED,
  WRONG_COSTS,
} from "../confidence.ts";
import { getOwn, setOwn } from "../json.ts";
import { declaredEffect, effectByName } from "./effects.ts";
import type { Session } from "./observations.ts";
import type { Judged, Score } from "./utility.ts";
import { byText } from "./values.ts";

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
/** What an answer of a widest case is worth beside what each tool says: even odds, in so many tools. */
const UNTRIED = { right: 0.5, weight: 2 };
/** Values of an argument that have to be written in one way before another way is held to be odd. */
const WRITTEN = 4;

/** A world's trust, and what it is worth with it. */
export interface Trusted {
  readonly confidence: ConfidenceModel;
  readonly score: Score;
}

interface Tally {
  right: number;
  n: number;
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
    const { session, right } = answer;
    if (!answer.served || (known !== undefined && answer.known !== known)) return;
    const counts = counting[i] as number;
    const names = casesOf(answer);
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
 * beginning with its other ones, these with those of the next wider case, and so on. Each answer counts once in an
 * estimate. A widest case is left where no session met a narrower one, and says how right tools are that nothing is known of.
 */
function estimated(answers: readonly Judged[], known: boolean, counting: readonly number[]): ConfidenceModel["known"] {
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
    found.set(name, sure);
  }
  // Where sessions met no such answer, as none asked what another did, they say nothing against it.
  const met = [ANY, RECORDED].filter((name) => all.cases.has(name));
  for (const name of [...met, RULED_OUT, UNLISTED]) found.set(name, untried(all, name));
  const rounded = [...found].map(([name, sure]) => [name, Math.round(sure * 1e4) / 1e4] as const);
  return Object.fromEntries(rounded.sort(([a], [b]) => byText(a, b)));
}

/** How right a tool is that no session met so: each that one did counts once, done and refused apart. */
function untried({ cases, wider }: ReturnType<typeof tallied>, widest: string): number {
  const narrower = [...cases.keys()].filter((name) => wider.get(name) === widest);
  const tools = (narrower.length > 0 ? narrower : [widest]).flatMap((name) => {
    const { right, n } = counted([...(cases.get(name)?.values() ?? [])]);
    return n > 0 ? [right / n] : [];
  });
  const right = tools.reduce((sum, share) => sum + share, 0);
  return (right + UNTRIED.weight * UNTRIED.right) / (tools.length + UNTRIED.weight);
}

/**
 * How far the answers of a world are trusted, from what became of them on sessions that it was not made from. Calls are
 * `learnt` whose answer the world of all sessions has right.
 */
export function fitConfidence(
  { answers }: Pick<Score, "answers">,
  sessions: readonly Session[],
  listing: readonly ToolDefinition[],
  learnt: ReadonlySet<Judged["call"]> = new Set(),
): ConfidenceModel {
  const weight = weights(answers);
  const counting = answers.map(
    ({ right, call }, i) => (weight[i] as number) * (!right && learnt.has(call) ? LEARNT : 1),
  );
  const lenient = lenientIn(sessions, listing);
  const forms = formsIn(sessions);
  const closed = closedIn(sessions);
  return {
    known: estimated(answers, true, counting),
    unknown: estimated(answers, false, counting),
    least: LEAST,
    reads: readsOf(listing),
    ...(lenient.length > 0 ? { lenient } : {}),
    ...(Object.keys(forms).length > 0 ? { forms } : {}),
    ...(Object.keys(closed).length > 0 ? { closed } : {}),
    tasks: tasksOf(sessions),
  };
}

/** Arguments that every success of their tool gave, in many values of one word and one way of writing that has digits. */
function formsIn(sessions: readonly Session[]): NonNullable<ConfidenceModel["forms"]> {
  const successes = sessions.flatMap(({ calls }) => calls.filter(({ ok }) => ok));
  const out: Record<string, Record<string, string>> = {};
  for (const [tool, calls] of [...Map.groupBy(successes, ({ tool }) => tool)].sort(([a], [b]) => byText(a, b)))
    for (const name of Object.keys(calls[0]?.args ?? {}).sort(byText)) {
      const values = calls.map(({ args }) => getOwn(args, name));
      const [form, ...others] = new Set(values.map(formOf));
      // Titles and addresses are written as people please.
      if (!form?.includes("9") || /\s/.test(form) || others.length > 0 || new Set(values).size < WRITTEN) continue;
      const of = getOwn(out, tool) ?? {};
      setOwn(of, name, form);
      setOwn(out, tool, of);
    }
  return out;
}

/**
 * Arguments that took so few texts in successes that by Good and Turing's estimate another one is as rare as a wrong
 * answer may be. Each task counts once, since its sessions repeat each other.
 */
function closedIn(sessions: readonly Session[]): NonNullable<ConfidenceModel["closed"]> {
  const successes = sessions.flatMap(({ group, calls }) =>
    calls.flatMap(({ ok, tool, args }) => (ok ? [{ group, tool, args }] : [])),
  );
  const out: Record<string, Record<string, string[]>> = {};
  for (const [tool, calls] of [...Map.groupBy(successes, ({ tool }) => tool)].sort(([a], [b]) => byText(a, b)))
    for (const name of [...new Set(calls.flatMap(({ args }) => Object.keys(args)))].sort(byText)) {
      const given = calls.filter(({ args }) => Object.hasOwn(args, name));
      const seen = Map.groupBy(given, ({ args }) => args[name]);
      const texts = [...seen.keys()].filter((value) => typeof value === "string");
      // Titles and messages are written as people please, and numbers go on.
      if (texts.length < seen.size || texts.some((text) => /[\s\d]/.test(text))) continue;
      const tasks = [...seen.values()].map((of) => new Set(of.map(({ group }) => group)).size);
      const once = tasks.filter((n) => n === 1).length;
      const all = tasks.reduce((sum, n) => sum + n, 0);
      if (once + 1 > (1 - LEAST) * (all + 1)) continue;
      const of = getOwn(out, tool) ?? {};
      setOwn(of, name, texts.sort(byText));
      setOwn(out, tool, of);
    }
  return out;
}

/** Tools that a session saw take arguments which their schema rules out. */
function lenientIn(sessions: readonly Session[], listing: readonly ToolDefinition[]): string[] {
  const checks = new Map(listing.map(({ name, inputSchema }) => [name, argumentCheck(inputSchema)]));
  const taken = sessions.flatMap(({ calls }) =>
    calls.flatMap(({ tool, args, ok }) => (ok && checks.get(tool)?.(args) !== undefined ? [tool] : [])),
  );
  return [...new Set(taken)].sort(byText);
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

import { byText, canon } from "../values.ts";
import {
  type Action,
  actionOf,
  type Response as HeardAnswer,
  type Seen,
  type Signatures,
  toolOf,
  withoutEffect,
} from "./actions.ts";
import type { Pair } from "./cases.ts";
import type { Tracked } from "./effects.ts";
import type { Event, Events } from "./events.ts";
import type { Rule } from "./rules/rules.ts";

/** What of a session's deeds the answers of one question rest on. */
export interface RelevantActions {
  /** Tools, and deeds, that never change its answer. */
  readonly not: readonly string[];
  /** Whether the order of the others does. */
  readonly ordered: boolean;
}

/** What sessions of one group heard that had done the same from the same start. */
export interface Memory {
  /** By question. */
  readonly relevant: ReadonlyMap<string, RelevantActions>;
  /** By question, group and deeds. */
  readonly responses: ReadonlyMap<string, HeardAnswer>;
  /** Tools whose deeds some question minds. */
  readonly tools: ReadonlySet<string>;
  /** How many deeds of a session may be of use: twice as many as any that was observed did. */
  readonly room: number;
}

/** Parts that groups are held out in. */
const FOLDS = 3;
/** How often another session must have heard the same. */
const LEAST = 5;
/** The share of them that may have heard something else, in all and of those that did not do all the same. */
const WRONG = 0.02;
const WRONG_FEWER = 0.04;
/** The most answers that are remembered. */
const MOST = 20_000;
/** The most sights of one question that are learnt from in a group: more only tell the same again. */
const MOST_SEEN = 60;

/** The key of a remembered answer. */
export const memoryKey = (question: string, group: string | number, deeds: readonly string[]): string =>
  [question, group, ...deeds].join("\n");

/**
 * Finds the questions that sessions of one group answer alike wherever they did the same before, in any order or in the
 * same, and what they heard: of keyless tools their answers, of acts that are told ids in what words they were refused.
 * Undefined where there are none.
 */
export function findMemory(
  events: Events,
  groups: readonly number[],
  { reads, pairs }: Pick<Tracked, "reads" | "pairs">,
  changes: Changes,
  named: Signatures,
): Memory | undefined {
  const relevant = new Map<string, RelevantActions>();
  const responses = new Map<string, HeardAnswer>();
  const tools = new Set<string>();
  for (const [topic, seen] of [...topicsOf(events, groups, reads, named)].sort(([a], [b]) => byText(a, b))) {
    const mind = tells(seen) ? mindOf(seen, moversOf(topic, events, pairs, changes)) : undefined;
    if (!mind) continue;
    const not = new Set(mind.not);
    const told = new Map<string, HeardAnswer | undefined>();
    const said = new Map<string, string>();
    for (const each of seen) {
      for (const { tool } of each.actions) if (!not.has(tool)) tools.add(tool);
      relevant.set(each.question, mind);
      const key = memoryKey(each.question, each.group, keyOf(each, not, mind.ordered));
      if (!said.has(key)) told.set(key, each.response);
      else if (said.get(key) !== each.said) told.set(key, undefined);
      said.set(key, each.said);
    }
    for (const [key, one] of told) if (one && responses.size < MOST) responses.set(key, one);
  }
  const most = events.sessions.reduce(
    (longest, session) => Math.max(longest, session.filter(({ tool }) => !reads.has(tool)).length),
    0,
  );
  return relevant.size === 0 ? undefined : { relevant, responses, tools, room: 2 * most };
}

/** What was asked, by what is learnt together: each question of a keyless tool by itself, an act that is told ids whatever they are. */
function topicsOf(
  events: Events,
  groups: readonly number[],
  reads: ReadonlySet<string>,
  named: Signatures,
): Map<string, Seen[]> {
  const out = new Map<string, Seen[]>();
  for (const [s, session] of events.sessions.entries()) {
    let actions: readonly Action[] = [];
    for (const event of session) {
      const action = actionOf(event.call, named);
      const acts = !reads.has(event.tool);
      const told = event.answer ? answered(event) : acts ? refusedOrNot(event) : undefined;
      if (told) {
        const topic = event.answer ? action.token : action.tool;
        const list = out.get(topic) ?? [];
        out.set(topic, list);
        list.push({ question: action.token, group: groups[s] as number, session: s, actions, ...told });
      }
      if (acts && event.call.ok) actions = [...actions, action];
    }
  }
  return out;
}

function answered({ call: { ok, value }, answer }: Event): Pick<Seen, "said" | "response"> {
  return { said: `${ok} ${canon(value)}`, response: { ok, form: answer?.form.id ?? "", answer: value } };
}

/** Of a call that is told ids: in what words it was refused, or that it was not. */
function refusedOrNot({ call: { ok, value } }: Event): Pick<Seen, "said" | "response"> | undefined {
  if (!ok && typeof value !== "string") return undefined;
  return { said: `${ok} ${ok ? "" : value}`, response: { ok, form: "", answer: ok ? null : value } };
}

/** The deeds that an answer rests on, as the parts of a key. */
function keyOf({ actions }: Pick<Seen, "actions">, not: ReadonlySet<string>, ordered: boolean): string[] {
  const tokens = actions.flatMap(({ tool, token }) => (not.has(tool) || not.has(token) ? [] : [token]));
  return ordered ? tokens : tokens.sort(byText);
}

/** What tools that are told ids do to readings. */
type Changes = ReadonlyMap<string, ReadonlyMap<string, readonly Rule[]>>;

/** How often a tool must be seen to change a reading, and nothing else may have. */
const MOVED = 2;

/** The tools that are seen to change what answers to a question show, or rows that it may rest on. */
function moversOf(
  question: string,
  { sessions, links }: Events,
  pairs: Tracked["pairs"],
  changes: Changes,
): Set<string> {
  const tool = toolOf(question);
  const shown = new Set(
    sessions.flatMap((session) =>
      session.flatMap((event) => (event.tool === tool && event.reads ? [...event.shown.keys()] : [])),
    ),
  );
  const moves = (of: readonly Pair[] = []): boolean =>
    of.filter(({ before, one, shared }) => !shared && before !== undefined && before !== one.value).length >= MOVED;
  const under = [...links.moved.keys()].filter((act) => [...shown].some((each) => changes.get(act)?.has(each)));
  const moved = [...pairs].flatMap(([act, of]) => ([...shown].some((each) => moves(of.get(each))) ? [act] : []));
  return new Set([...moved, ...under]);
}

/** How an answer is thought to rest on deeds: in how many groups one must have changed nothing to be left out, and whether order counts. */
interface Guess {
  readonly groups: number;
  readonly ordered: boolean;
}

const GUESSES: readonly Guess[] = [false, true].flatMap((ordered) => [3, 2, 1].map((groups) => ({ groups, ordered })));

/** Whether answers differ, and several sessions of one group were asked. */
function tells(seen: readonly Seen[]): boolean {
  const sessions = new Map<number, number>();
  const shared = seen.some(({ group, session }) => {
    const first = sessions.get(group) ?? session;
    sessions.set(group, first);
    return first !== session;
  });
  return shared && new Set(seen.map(({ said }) => said)).size > 1;
}

/** The guess that tells most of held-out groups, without order if that does; undefined where none stands. */
function mindOf(seen: readonly Seen[], move: ReadonlySet<string>): RelevantActions | undefined {
  let best: { readonly guess: Guess; readonly right: number } | undefined;
  for (const guess of GUESSES) {
    if (best && guess.ordered) break;
    const { same, fewer } = foretold(seen, guess, move);
    const [right, wrong] = [same.right + fewer.right, same.wrong + fewer.wrong];
    const stands = right >= LEAST && wrong <= right * WRONG && fewer.wrong <= fewer.right * WRONG_FEWER;
    if (stands && right > (best?.right ?? 0)) best = { guess, right };
  }
  if (!best) return undefined;
  const { groups, ordered } = best.guess;
  return { not: [...withoutEffect(sample(seen), groups, ordered, move)].sort(byText), ordered };
}

interface ResponseCounts {
  right: number;
  wrong: number;
}

/** How often held-out sessions got the answers of sessions with equal actions, all of them or the relevant ones. */
function foretold(
  seen: readonly Seen[],
  { groups: least, ordered }: Guess,
  move: ReadonlySet<string>,
): { readonly same: ResponseCounts; readonly fewer: ResponseCounts } {
  const groups = [...new Set(seen.map(({ group }) => group))].sort((a, b) => a - b);
  const foldOf = new Map(groups.map((group, i) => [group, i % FOLDS]));
  const out = { same: { right: 0, wrong: 0 }, fewer: { right: 0, wrong: 0 } };
  for (let fold = 0; fold < FOLDS; fold++) {
    const held = seen.filter(({ group }) => foldOf.get(group) === fold);
    const rest = seen.filter(({ group }) => foldOf.get(group) !== fold);
    const fully = responsesBy(held, NONE, ordered);
    const told = responsesBy(held, withoutEffect(sample(rest), least, ordered, move), ordered);
    for (const [i, { said, session }] of held.entries()) {
      const others = elsewhere(told[i] as SessionsByResponse, session);
      if (others.length !== 1) continue;
      const how = elsewhere(fully[i] as SessionsByResponse, session).length > 0 ? out.same : out.fewer;
      if (others[0] === said) how.right++;
      else how.wrong++;
    }
  }
  return out;
}

const NONE: ReadonlySet<string> = new Set();

/** By what was heard, the sessions that heard it. */
type SessionsByResponse = ReadonlyMap<string, ReadonlySet<number>>;

/** What other sessions heard. */
const elsewhere = (sessionsByResponse: SessionsByResponse, session: number): string[] =>
  [...sessionsByResponse].flatMap(([said, by]) => (by.size > 1 || !by.has(session) ? [said] : []));

/** For each sight what was heard wherever the same was done, but for some deeds. */
function responsesBy(seen: readonly Seen[], not: ReadonlySet<string>, ordered: boolean): SessionsByResponse[] {
  const byKey = new Map<string, Map<string, Set<number>>>();
  return seen.map((each) => {
    const key = memoryKey(each.question, each.group, keyOf(each, not, ordered));
    const heard = byKey.get(key) ?? new Map<string, Set<number>>();
    byKey.set(key, heard);
    heard.set(each.said, (heard.get(each.said) ?? new Set()).add(each.session));
    return heard;
  });
}

/** As many sights of each group as tell apart what there is. */
function sample(seen: readonly Seen[]): Seen[] {
  const counts = new Map<number, Set<string>>();
  return seen.filter(({ question, group, actions, said }) => {
    const of = counts.get(group) ?? new Set<string>();
    counts.set(group, of);
    const id = `${question}\n${said}\n${actions.map(({ token }) => token).join("\n")}`;
    if (of.has(id) || of.size >= MOST_SEEN) return false;
    of.add(id);
    return true;
  });
}

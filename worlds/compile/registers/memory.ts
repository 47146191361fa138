import { byText, canon } from "../values.ts";
import type { Event, Events } from "./events.ts";
import { type Deed, deedOf, type Heard, leftAlone, type Seen, type Signs } from "./deeds.ts";

/** What of a session's deeds the answers of one question rest on. */
export interface Minded {
  /** Tools, and deeds, that never change its answer. */
  readonly not: readonly string[];
  /** Whether the order of the others does. */
  readonly ordered: boolean;
}

/** What sessions of one group heard that had done the same from the same start. */
export interface Memory {
  /** By question. */
  readonly minded: ReadonlyMap<string, Minded>;
  /** By question, group and deeds. */
  readonly heard: ReadonlyMap<string, Heard>;
  /** Tools whose deeds some question minds. */
  readonly tools: ReadonlySet<string>;
}

/** Parts that groups are held out in. */
const FOLDS = 3;
/** How often another session must have heard the same. */
const LEAST = 5;
/** The share of them that may have heard something else. */
const WRONG = 0.02;
/** The most answers that are remembered. */
const MOST = 20_000;
/** The most sights of one question that are learnt from in a group: more only tell the same again. */
const MOST_SEEN = 60;

/** The key of a remembered answer. */
export const memoryKey = (question: string, group: string | number, deeds: readonly string[]): string =>
  [question, group, ...deeds].join("\n");

/** Finds the questions of keyless tools that sessions of one group answer alike wherever they did the same before, in any order or in the same, and what they heard. Undefined where there are none. */
export function findMemory(
  events: Events,
  groups: readonly number[],
  reads: ReadonlySet<string>,
  named: Signs,
): Memory | undefined {
  const minded = new Map<string, Minded>();
  const heard = new Map<string, Heard>();
  const tools = new Set<string>();
  for (const [question, seen] of [...questionsOf(events, groups, reads, named)].sort(([a], [b]) => byText(a, b))) {
    const mind = mindOf(seen);
    if (!mind) continue;
    const not = new Set(mind.not);
    const told = new Map<string, Heard | undefined>();
    const said = new Map<string, string>();
    for (const each of seen) {
      for (const { tool } of each.deeds) if (!not.has(tool)) tools.add(tool);
      const key = memoryKey(question, each.group, keyOf(each, not, mind.ordered));
      if (!said.has(key)) told.set(key, each.heard);
      else if (said.get(key) !== each.said) told.set(key, undefined);
      said.set(key, each.said);
    }
    minded.set(question, mind);
    for (const [key, one] of told) if (one && heard.size < MOST) heard.set(key, one);
  }
  return minded.size === 0 ? undefined : { minded, heard, tools };
}

function questionsOf(
  events: Events,
  groups: readonly number[],
  reads: ReadonlySet<string>,
  named: Signs,
): Map<string, Seen[]> {
  const out = new Map<string, Seen[]>();
  for (const [s, session] of events.sessions.entries()) {
    let deeds: readonly Deed[] = [];
    for (const event of session) {
      const question = questionOf(event, named);
      if (event.answer && question !== undefined) {
        const { ok, value } = event.call;
        const heard = { ok, form: event.answer.form.id, answer: value };
        const seen = { group: groups[s] as number, session: s, deeds, said: `${ok} ${canon(value)}`, heard };
        const list = out.get(question);
        if (list) list.push(seen);
        else out.set(question, [seen]);
      }
      if (!reads.has(event.tool) && event.call.ok) deeds = [...deeds, deedOf(event.call, named)];
    }
  }
  return out;
}

const questionOf = (event: Event, named: Signs): string | undefined =>
  event.answer ? deedOf(event.call, named).token : undefined;

/** The deeds that an answer rests on, as the parts of a key. */
function keyOf({ deeds }: Pick<Seen, "deeds">, not: ReadonlySet<string>, ordered: boolean): string[] {
  const tokens = deeds.flatMap(({ tool, token }) => (not.has(tool) || not.has(token) ? [] : [token]));
  return ordered ? tokens : tokens.sort(byText);
}

function mindOf(seen: readonly Seen[]): Minded | undefined {
  for (const ordered of [false, true]) {
    if (!stands(seen, ordered)) continue;
    return { not: [...leftAlone(sample(seen), ordered)].sort(byText), ordered };
  }
  return undefined;
}

/** Whether held-out groups hear what others of their own sessions heard that had done the same. */
function stands(seen: readonly Seen[], ordered: boolean): boolean {
  const groups = [...new Set(seen.map(({ group }) => group))].sort((a, b) => a - b);
  const foldOf = new Map(groups.map((group, i) => [group, i % FOLDS]));
  let [right, wrong] = [0, 0];
  for (let fold = 0; fold < FOLDS; fold++) {
    const not = leftAlone(sample(seen.filter(({ group }) => foldOf.get(group) !== fold)), ordered);
    const held = seen.filter(({ group }) => foldOf.get(group) === fold);
    const told = new Map<string, Map<string, Set<number>>>();
    const keys = held.map((each) => memoryKey("", each.group, keyOf(each, not, ordered)));
    for (const [i, { said, session }] of held.entries()) {
      const values = told.get(keys[i] as string) ?? new Map<string, Set<number>>();
      told.set(keys[i] as string, values);
      values.set(said, (values.get(said) ?? new Set()).add(session));
    }
    for (const [i, { said, session }] of held.entries()) {
      const others = [...(told.get(keys[i] as string) ?? [])].filter(([, by]) => by.size > 1 || !by.has(session));
      if (others.length !== 1) continue;
      if (others[0]?.[0] === said) right++;
      else wrong++;
    }
  }
  return right >= LEAST && wrong <= right * WRONG;
}

/** As many sights of each group as tell apart what there is. */
function sample(seen: readonly Seen[]): Seen[] {
  const counts = new Map<number, Set<string>>();
  return seen.filter(({ group, deeds, said }) => {
    const of = counts.get(group) ?? new Set<string>();
    counts.set(group, of);
    const id = `${said}\n${deeds.map(({ token }) => token).join("\n")}`;
    if (of.has(id) || of.size >= MOST_SEEN) return false;
    of.add(id);
    return true;
  });
}

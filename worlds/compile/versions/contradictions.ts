import { canonicalJson } from "../../digest.ts";
import { idLike, leavesOf } from "../../floor/leaves.ts";
import { Names } from "../../floor/names.ts";
import { type Volatility, volatilityOf } from "../../floor/volatile.ts";
import { isObject, type Json } from "../../json.ts";
import { effectByName } from "../effects.ts";
import type { Session } from "../observations.ts";
import { byText } from "../values.ts";

/** What a tool was asked of both of two versions of a system before anything was changed, and how often they differ. */
export interface ChangedTool {
  readonly tool: string;
  /** Questions that both answered, each always alike. */
  readonly asked: number;
  /** Those that the two answered otherwise. */
  readonly differ: number;
  /** Parts of the answers that differ, by path; the answer itself is the empty one. */
  readonly fields: readonly string[];
}

/** The sessions of one source. */
export interface Source {
  readonly name: string;
  readonly sessions: readonly Session[];
}

/** Answers to a question at a state that nobody had changed. */
interface Answered {
  readonly tool: string;
  readonly value: Json;
  readonly answers: Set<string>;
}

type Questions = Map<string, Answered>;

interface Version {
  readonly sources: Source[];
  readonly questions: Questions;
}

/** What fewer sessions than these answered may be a rare answer, and not another version. */
export const LEAST_SESSIONS = 5;
/** Fewer questions that both sources were asked show nothing. */
const LEAST_QUESTIONS = 5;
/** Share of the questions of several tasks that may be answered otherwise by chance where all begin alike. */
const OWN_STATE = 0.05;
const MOST_FIELDS = 20;

/**
 * Sources put together by what they answer: where two of them were asked the same before anything was changed and most
 * answers differ, each always alike in its own, they come from two versions of a system. A source that is asked too
 * little joins the version that it agrees with most, of those that it does not contradict. One version alone where nothing contradicts.
 */
export function versionsOf(sources: readonly Source[]): readonly (readonly Source[])[] {
  const large = sources.filter(({ sessions }) => sessions.length >= LEAST_SESSIONS);
  if (large.length < 2) return [sources];
  const volatility = volatilityOf(sources.flatMap(({ sessions }) => sessions));
  return grouped(sources, volatility);
}

/** Which tools answer two versions' questions otherwise, and where; the most often differing first. */
export function changesBetween(a: readonly Session[], b: readonly Session[]): ChangedTool[] {
  const volatility = volatilityOf([...a, ...b]);
  const tools = new Map<string, { asked: number; differ: number; fields: Set<string> }>();
  for (const [before, after] of both(questionsOf(a, volatility), questionsOf(b, volatility))) {
    const row = tools.get(before.tool) ?? { asked: 0, differ: 0, fields: new Set<string>() };
    tools.set(before.tool, row);
    row.asked++;
    if (isAlike(before, after)) continue;
    row.differ++;
    for (const field of differing(before.value, after.value)) row.fields.add(field);
  }
  return [...tools]
    .filter(([, { differ }]) => differ > 0)
    .map(([tool, { fields, ...row }]) => ({ tool, ...row, fields: [...fields].sort(byText).slice(0, MOST_FIELDS) }))
    .sort((x, y) => y.differ - x.differ || byText(x.tool, y.tool));
}

function grouped(sources: readonly Source[], volatility: Volatility): Source[][] {
  const versions: Version[] = [];
  // The largest found versions, so that a source of a few sessions decides nothing.
  const bySize = [...sources].sort((a, b) => b.sessions.length - a.sessions.length || byText(a.name, b.name));
  for (const source of bySize) {
    const questions = questionsOf(source.sessions, volatility);
    const [same] = versions
      .filter((version) => !contradicts(version.questions, questions) || together(version.sources, source))
      .map((version) => ({ version, alike: alike(version.questions, questions) }))
      .sort((a, b) => b.alike - a.alike)
      .map(({ version }) => version);
    if (same === undefined) versions.push({ sources: [source], questions });
    else {
      same.sources.push(source);
      for (const [question, { answers, ...rest }] of questions) {
        const known = same.questions.get(question);
        if (known === undefined) same.questions.set(question, { ...rest, answers });
        else for (const answer of answers) known.answers.add(answer);
      }
    }
  }
  return versions.map((version) => version.sources);
}

/** Whether a source is of the same time as others: two customers may be answered differently by one system. */
function together(others: readonly Source[], { sessions }: Source): boolean {
  const [from, to] = span(others.flatMap((other) => other.sessions));
  const [begin, end] = span(sessions);
  return from > 0 && begin > 0 && begin <= to && from <= end;
}

const span = (sessions: readonly Session[]): [from: number, to: number] =>
  sessions.reduce(([from, to], { at }) => [Math.min(from, at), Math.max(to, at)], [Number.POSITIVE_INFINITY, 0]);

const alike = (a: Questions, b: Questions): number => both(a, b).filter(([x, y]) => isAlike(x, y)).length;

function contradicts(a: Questions, b: Questions): boolean {
  const shared = both(a, b);
  const differ = shared.filter(([x, y]) => !isAlike(x, y)).length;
  return shared.length >= LEAST_QUESTIONS && differ > shared.length / 2;
}

/** The questions that both answered, each always alike. */
function both(a: Questions, b: Questions): [Answered, Answered][] {
  return [...b].flatMap(([question, y]): [Answered, Answered][] => {
    const x = a.get(question);
    return x === undefined || x.answers.size > 1 || y.answers.size > 1 ? [] : [[x, y]];
  });
}

const isAlike = (a: Answered, b: Answered): boolean => [...a.answers].every((answer) => b.answers.has(answer));

/**
 * What sessions were answered before their first call that may change something: by task, and, where a question is
 * answered alike in all tasks, by the question alone.
 */
function questionsOf(sessions: readonly Session[], volatility: Volatility): Questions {
  const byTask: Questions = new Map();
  const byQuestion = new Map<string, Answered & { readonly tasks: Set<string> }>();
  for (const { id, group, calls } of sessions) {
    const names = new Names(volatility);
    for (const { tool, args, ok, value } of calls) {
      const asked = canonicalJson([tool, names.args(args)]);
      const told = names.answer(tool, value, ok).key;
      if (effectByName(tool) !== "read") {
        if (ok) break;
        continue;
      }
      const answer = `${ok}${canonicalJson(told)}`;
      const note = <T extends Answered>(at: Map<string, T>, key: string, make: (answers: Set<string>) => T): T => {
        const known = at.get(key) ?? make(new Set());
        at.set(key, known);
        known.answers.add(answer);
        return known;
      };
      if (group !== id) note(byTask, `${group}\n${asked}`, (answers) => ({ tool, value: told, answers }));
      // What names no one thing may be each session's own: the open orders of who is signed in.
      if ([...leavesOf(args)].some((leaf) => idLike(leaf.value)))
        note(byQuestion, asked, (answers) => ({ tool, value: told, answers, tasks: new Set() })).tasks.add(group);
    }
  }
  const repeated = [...byQuestion.values()].filter(({ tasks }) => tasks.size > 1);
  const otherwise = repeated.filter(({ answers }) => answers.size > 1).length;
  // Else each task begins with a state of its own, and an answer in one says nothing of another.
  const isShared = repeated.length >= LEAST_QUESTIONS && otherwise <= OWN_STATE * repeated.length;
  return isShared ? new Map<string, Answered>([...byTask, ...byQuestion]) : byTask;
}

/** Where two values differ: the shortest paths, items of lists as `[]`. */
function differing(a: Json, b: Json, path = ""): string[] {
  if (canonicalJson(a) === canonicalJson(b)) return [];
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.flatMap((item, i) => differing(item, b[i] ?? null, `${path}[]`));
  if (!isObject(a) || !isObject(b)) return [path];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    key in a && key in b ? differing(a[key] ?? null, b[key] ?? null, `${path}/${key}`) : [`${path}/${key}`],
  );
}

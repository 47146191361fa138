import type { Call, Session } from "../compile/observations.ts";
import { canonicalJson } from "../digest.ts";
import type { Json } from "../json.ts";
import { type Context, Course, type Rules } from "./course.ts";
import { hashOf } from "./hash.ts";

/** An answer that sessions heard, under its session's names. */
export interface Answer {
  readonly tool: string;
  readonly value: Json;
  readonly isError: boolean;
  readonly answerClass: string;
  readonly ok: boolean;
  /** Ids that it showed first, as they were generated. */
  readonly fresh: readonly (string | number)[];
}

/** How well an answer is borne out by others: alone, by two, by three or more, or by nearly all of many. */
export type Support = "1" | "2" | "3" | "most";
export const SUPPORTS: readonly Support[] = ["1", "2", "3", "most"];
/** The share of those who heard it that makes an answer that of nearly all. */
const NEARLY_ALL = 0.8;

/** What is on record for a question in a context. */
export interface Hit {
  readonly context: Context;
  readonly answer: number;
  readonly support: Support;
}

/** One answer and the sessions that heard it, in rising order. */
interface Heard {
  readonly answer: number;
  readonly sessions: number[];
}

export interface Entry {
  readonly context: Context;
  readonly tool: string;
  /** Calls before it in the session that reached it first. */
  depth: number;
  readonly heard: Heard[];
}

/** A question as a session asked it: its contexts, and what was heard. */
export interface Asked {
  readonly call: Call;
  readonly keys: ReadonlyMap<Context, string>;
  /** The same without its task. */
  readonly answer: number;
  /** Names its task, what was done before, and the question: equal ones are one situation. */
  readonly situation: string;
}

/** Everything that was asked and heard, by what the answer may rest on. */
export class Table {
  readonly rules: Rules;
  readonly answers: Answer[] = [];
  readonly entries = new Map<string, Entry>();
  /** By session, its calls. */
  readonly asked: Asked[][] = [];
  private readonly ids = new Map<string, number>();
  private readonly texts = new Map<number, string>();
  private readonly groups: readonly string[];

  constructor(sessions: readonly Session[], rules: Rules) {
    this.rules = rules;
    this.groups = sessions.map(({ group }) => group);
    for (const [s, { group, calls }] of sessions.entries()) {
      const course = new Course(rules, group);
      this.asked.push(
        calls.map((call, depth) => {
          const keys = course.keys(call.tool, call.args);
          const answer = this.intern(call, course);
          course.hear(call);
          for (const [context, key] of keys) this.note(key, context, call.tool, depth, answer, s);
          return { call, keys, answer, situation: `${group}\n${keys.get("exact")}` };
        }),
      );
    }
  }

  private intern(call: Call, { names }: Course): number {
    const { tool, ok, flagged: isError, answerClass } = call;
    const { text, value, fresh } = names.canonical(tool, call.value);
    const id = hashOf(`${tool}\n${ok}\n${isError}\n${text}`);
    const known = this.ids.get(id);
    if (known === undefined) {
      this.ids.set(id, this.answers.length);
      this.answers.push({ tool, value, isError, answerClass, ok, fresh });
      return this.answers.length - 1;
    }
    if (fresh.length + this.rules.volatile.clocks.size > 0) {
      // Of answers that differ in their times and ids, the first by its text stands for all, whatever the order of sessions.
      const told = canonicalJson([value, fresh]);
      const { value: other, fresh: others } = this.answers[known] as Answer;
      const held = this.texts.get(known) ?? canonicalJson([other, others]);
      const first = told < held;
      if (first) this.answers[known] = { tool, value, isError, answerClass, ok, fresh };
      this.texts.set(known, first ? told : held);
    }
    return known;
  }

  private note(key: string, context: Context, tool: string, depth: number, answer: number, session: number): void {
    let entry = this.entries.get(key);
    if (!entry) {
      entry = { context, tool, depth, heard: [] };
      this.entries.set(key, entry);
    }
    if (depth < entry.depth) entry.depth = depth;
    const heard = entry.heard.find((one) => one.answer === answer);
    if (!heard) entry.heard.push({ answer, sessions: [session] });
    else if (heard.sessions.at(-1) !== session) heard.sessions.push(session);
  }

  /** What is on record under a key, without the sessions that `but` holds; undefined where too few agree. */
  hit(key: string, but?: (session: number) => boolean): Hit | undefined {
    const entry = this.entries.get(key);
    return entry && this.hitOf(entry, but);
  }

  hitOf({ context, heard }: Entry, but?: (session: number) => boolean): Hit | undefined {
    let best: { answer: number; n: number } | undefined;
    let total = 0;
    const apart = context.startsWith("any");
    for (const { answer, sessions } of heard) {
      const others = but ? sessions.filter((session) => !but(session)) : sessions;
      // What holds for any task is borne out by tasks, else by sessions.
      const n = apart ? new Set(others.map((session) => this.groups[session])).size : others.length;
      total += n;
      if (n > 0 && (!best || n > best.n || (n === best.n && this.before(answer, best.answer)))) best = { answer, n };
    }
    if (!best || best.n < total * NEARLY_ALL) return undefined;
    return {
      context,
      answer: best.answer,
      support: best.n < total ? "most" : best.n >= 3 ? "3" : (`${best.n}` as Support),
    };
  }

  private before(a: number, b: number): boolean {
    return canonicalJson(this.answers[a]?.value) < canonicalJson(this.answers[b]?.value);
  }
}

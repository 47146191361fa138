import { canonicalJson } from "../digest.ts";
import { repeatsArguments, withArguments } from "../floor/echoes.ts";
import { extentIn } from "../floor/extent.ts";
import { exactKey, History, type KnownEffects, keysOf, type Volatility } from "../floor/index.ts";
import { Names } from "../floor/names.ts";
import { holdsUnseen, textsOf } from "../floor/shown.ts";
import { volatilityIn } from "../floor/volatile.ts";
import { hashOf } from "../hash.ts";
import { frozenCopy, type Json, type JsonObject } from "../json.ts";
import { holdsMarks } from "./ids.ts";
import type { MemoryModel } from "./schema.ts";

const KEY = 14;
/** The level of answers to questions of sessions that did exactly the same. */
export const EXACT = "exact";

/** An answer on record. */
export interface OnRecord {
  readonly value: Json;
  readonly ok: boolean;
  readonly answerClass: string;
  readonly isError: boolean;
  readonly fresh: readonly (string | number)[];
  /** It repeats what its call was given. */
  readonly repeats: boolean;
}

/** An answer on record for a question as it is asked now. */
export interface Recalled {
  readonly answer: OnRecord;
  readonly level: string;
  /** How likely it is right. 0..1 */
  readonly confidence: number;
}

/** One call as its session saw it answered; `ok` is undefined where it was not answered. */
export interface AnsweredCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly value: Json;
  readonly ok: boolean | undefined;
}

/** What sessions were answered, made ready to be asked by any number of worlds. */
export class Memory {
  readonly volatility: Volatility;
  /** Tools of which an answer may come before what a behaviour says. */
  readonly exact: ReadonlySet<string>;
  readonly effects: KnownEffects;
  private readonly tools: ReadonlySet<string>;
  private readonly tasks: ReadonlySet<string>;
  private readonly answers: readonly OnRecord[];
  private readonly sure: MemoryModel["sure"];
  private readonly least: number;
  private readonly found = new Map<string, readonly [answer: number, sure: number]>();
  private readonly issued: ReadonlySet<string>;
  private readonly shown: ReadonlySet<string> | undefined;

  constructor(model: MemoryModel) {
    this.volatility = volatilityIn(model.generated, model.clocks);
    const pure = new Set(model.pure);
    const { reaches } = model;
    this.effects = {
      pure: (tool) => pure.has(tool),
      ...(reaches ? { extent: extentIn((act, asked) => reaches[hashOf(`${asked}\n${act}`)]) } : {}),
    };
    this.tools = new Set(model.tools);
    this.exact = new Set(model.exact);
    this.tasks = new Set(model.tasks);
    this.answers = model.answers.map(({ value, ok, answer_class: answerClass, is_error: isError, fresh = [] }) => ({
      value: frozenCopy(value) ?? null,
      ok,
      answerClass,
      isError,
      fresh,
      repeats: repeatsArguments(value as Json),
    }));
    this.issued = new Set([...(model.issued ?? []), ...this.answers.flatMap(({ fresh }) => fresh.map(String))]);
    this.shown = model.shown === undefined ? undefined : new Set(partsOf(model.shown));
    this.sure = model.sure;
    this.least = model.least;
    for (const [i, key] of partsOf(model.keys).entries())
      this.found.set(key, [model.entries[2 * i] as number, model.entries[2 * i + 1] as number]);
  }

  /** Whether evidence had sessions of a task. */
  knows(task: string | undefined): boolean {
    return task !== undefined && this.tasks.has(hashOf(task));
  }

  /** Whether anything of a tool is on record. */
  has(tool: string): boolean {
    return this.tools.has(tool);
  }

  /** Whether a recorded system generated this id. */
  hasIssued(id: string | number): boolean {
    return this.issued.has(String(id));
  }

  /** Whether answers rest on whether a text was ever shown. */
  get minds(): boolean {
    return this.shown !== undefined;
  }

  /** Whether an answer of evidence showed a text. */
  showed(text: string): boolean {
    return this.shown?.has(hashOf(text)) ?? true;
  }

  /** What is on record under a key, where it is sure enough. */
  find(key: string, known: boolean): Recalled | undefined {
    const found = this.found.get(hashOf(key));
    if (found === undefined) return undefined;
    const answer = this.answers[found[0]];
    const sure = this.sure[found[1]];
    if (answer === undefined || sure === undefined) return undefined;
    const confidence = known ? sure.known : sure.unknown;
    return confidence < this.least ? undefined : { answer, level: sure.level, confidence };
  }
}

/** What is on record with what a call gives where it repeats its own; undefined where the call does not give that. */
function inWordsOf(found: Recalled, args: JsonObject): Recalled | undefined {
  if (!found.answer.repeats) return found;
  // What it repeats would be taken for an id of the session.
  if (holdsMarks(args)) return undefined;
  const value = withArguments(found.answer.value, args);
  return value === undefined ? undefined : { ...found, answer: { ...found.answer, value } };
}

const partsOf = (hashes: string): string[] =>
  Array.from({ length: hashes.length / KEY }, (_, i) => hashes.slice(i * KEY, (i + 1) * KEY));

/** One session as far as it went. What it was told is put together when something is asked of it. */
export class Course {
  private readonly memory: Memory;
  private readonly task: string | undefined;
  private readonly known: boolean;
  private readonly answered: AnsweredCall[] = [];
  private processed = 0;
  private names: Names;
  private history: History;
  private own = new Set<string>();

  constructor(memory: Memory, task: string | undefined) {
    this.memory = memory;
    this.task = task;
    this.known = memory.knows(task);
    this.names = new Names(memory.volatility);
    this.history = new History(memory.effects);
  }

  /** Tells the session's next call and its answer. */
  hear(answeredCall: AnsweredCall): void {
    this.answered.push(answeredCall);
  }

  /** Takes the newest call back. */
  undo(): void {
    this.answered.pop();
    if (this.processed <= this.answered.length) return;
    this.processed = 0;
    this.own = new Set();
    this.names = new Names(this.memory.volatility);
    this.history = new History(this.memory.effects);
  }

  private follow(): void {
    for (; this.processed < this.answered.length; this.processed++) {
      const { tool, args, value, ok } = this.answered[this.processed] as AnsweredCall;
      const question = this.question(tool, args);
      if (ok !== undefined) this.names.answer(tool, value, ok);
      if (this.memory.minds) for (const text of textsOf(value)) this.own.add(text);
      this.history.add({ tool, args }, question, ok ?? true, ok === undefined ? undefined : value);
    }
  }

  private question(tool: string, args: JsonObject): string {
    return `${tool}\n${canonicalJson(this.names.args(args))}`;
  }

  /** What a session that did exactly the same was answered, where behaviours say otherwise. */
  exact(tool: string, args: JsonObject): Recalled | undefined {
    if (this.task === undefined || !this.memory.exact.has(tool)) return undefined;
    this.follow();
    return this.memory.find(exactKey(this.task, this.history, this.question(tool, args)), this.known);
  }

  /** What sessions were answered, at the first level that is sure enough. */
  recall(tool: string, args: JsonObject): Recalled | undefined {
    if (!this.memory.has(tool)) return undefined;
    this.follow();
    const question = this.question(tool, args);
    const unseen = this.memory.minds && holdsUnseen(args, (text) => this.own.has(text) || this.memory.showed(text));
    for (const key of keysOf(this.known ? this.task : undefined, this.history, { tool, args, unseen }, question)) {
      const found = key === undefined ? undefined : this.memory.find(key, this.known);
      const recalled = found && inWordsOf(found, args);
      if (recalled) return recalled;
    }
    return undefined;
  }

  /** The k-th generated id that the session was shown. */
  id(k: number): string | number | undefined {
    return this.names.at(k);
  }

  /** The k-th moment that the session's clock showed. */
  moment(k: number): string | number | undefined {
    return this.names.moment(k);
  }

  /** Whether the session was shown a generated id. */
  knows(id: string | number): boolean {
    this.follow();
    return this.names.knows(id);
  }

  /** The ids that an answer would show first. */
  fresh(tool: string, value: Json): readonly (string | number)[] {
    const names = new Names(this.memory.volatility);
    names.answer(tool, value, true);
    return names.from(0).filter((id) => !this.names.knows(id));
  }
}

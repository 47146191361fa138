import { Behaviours, NO_ANSWER } from "./behaviour/behaviours.ts";
import type { BaseState, Bundle, ToolDefinition } from "./bundle.ts";
import { Companion } from "./companions/companion.ts";
import { WorldError } from "./errors.ts";
import { LEVELS } from "./floor/index.ts";
import { frozenCopy, isObject, type JsonObject } from "./json.ts";
import { formOf, inSessionIds } from "./memory/ids.ts";
import { Course, EXACT, type Recalled } from "./memory/index.ts";
import { PreparedBundle, type PreparedTool, prepare } from "./prepared.ts";
import { fromMemory, isErrorClass, NO_CHANGES } from "./replies.ts";
import { FrozenBase, prepareBase } from "./state/base.ts";
import type { JournalEntry, RowChange } from "./state/journal.ts";
import { KnownState } from "./state/known-state.ts";
import { WorldState } from "./state/state.ts";
import { fromOutside, shown, shownChange, UNKNOWN } from "./unknown.ts";
import type { World, WorldAnswer } from "./world-api.ts";

export { prepare } from "./prepared.ts";
export { prepareBase } from "./state/base.ts";

/** Arguments deeper or larger than this are refused before anything walks them. */
const ARGUMENTS = fromOutside({ depth: 50, nodes: 50_000 });

const NO_ARGUMENTS: JsonObject = Object.freeze({});

interface LastCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** With all of its changes, the compiler's own too. */
  readonly answer: WorldAnswer;
  /** Of these what is a change of what is known. */
  readonly told: readonly RowChange[];
  /** Keys drawn before it. */
  readonly drawn: number;
  /** Nobody knows what it did. */
  readonly lost: boolean;
}

/** A world: a frozen base shared with its forks, and what its own calls changed. */
class LocalWorld implements World {
  private readonly prepared: PreparedBundle;
  private readonly state: WorldState;
  private readonly told: KnownState;
  private readonly seed: string;
  private readonly task: string | undefined;
  private readonly behaviours: Behaviours;
  private seq = 0;
  private last: LastCall | undefined;
  /** The session so far, where the bundle remembers what others were answered. */
  private course: Course | undefined;
  /** Other ways to explain the service, where the world starts as sessions did. */
  private readonly companions: readonly Companion[];

  constructor(prepared: PreparedBundle, base: FrozenBase, seed: string, task: string | undefined) {
    this.prepared = prepared;
    this.state = new WorldState(base);
    this.told = new KnownState(base);
    this.seed = seed;
    this.task = task ?? base.recorded?.task;
    this.course = this.begun();
    this.behaviours = new Behaviours(prepared, this.state, seed, this.task);
    // Their new ids are others than this world's own: neither knows which the other gave.
    this.companions = (base.recorded ? prepared.companions : []).map(
      (one, i) =>
        new Companion(one.tools, new LocalWorld(one.prepared, one.start(this.task), `${seed}\n${i + 1}`, this.task)),
    );
  }

  private begun(): Course | undefined {
    const { memory } = this.prepared;
    return memory && this.state.base.recorded ? new Course(memory, this.task) : undefined;
  }

  get tools(): readonly ToolDefinition[] {
    return this.prepared.bundle.tools;
  }

  get lost(): boolean {
    return this.behaviours.lost;
  }

  /** The tool of a name that the caller has. */
  private toolOf(name: string, by: "user" | undefined): PreparedTool | undefined {
    const { tools, userTools } = this.prepared;
    return tools.get(name) ?? (by === "user" ? userTools.get(name) : undefined);
  }

  call(tool: string, args: JsonObject, by?: "user"): WorldAnswer {
    const copy = frozenCopy(args, ARGUMENTS);
    const given = isObject(copy) ? copy : undefined;
    const { drawn } = this.behaviours;
    const called = this.toolOf(tool, by);
    const own = called ? this.behaviours.answer(called, given) : this.behaviours.unlisted(tool);
    const answer = this.fromLayers(tool, given, own, called);
    this.seq++;
    const lost =
      called !== undefined &&
      this.behaviours.loses(tool, own.answerClass) &&
      !this.behaviours.isRuledOut(called, given);
    if (lost) this.behaviours.losses++;
    const told = this.told.follow(this.state, answer.changes);
    this.last = { tool, args: given ?? NO_ARGUMENTS, answer, drawn, told, lost };
    const changes = this.ofSystem(told);
    return changes === answer.changes ? answer : { ...answer, changes };
  }

  /**
   * What others were answered who did the same; where nothing is known of the call, what a companion says, or what others
   * mostly were answered; else an answer as it is.
   */
  private fromLayers(
    name: string,
    args: JsonObject | undefined,
    own: WorldAnswer,
    tool: PreparedTool | undefined,
  ): WorldAnswer {
    const { course, companions } = this;
    if (!course && companions.length === 0) return own;
    // What is the user's alone is no tool of the agent, whatever the user was answered.
    const apart = tool === undefined && this.prepared.userTools.has(name);
    const asked = apart ? undefined : args;
    const open = own.servedBy === "gap" && tool !== undefined ? asked : undefined;
    const exact = asked && course?.exact(name, asked);
    const other = open && !exact ? this.fromCompanion(name, open, own) : undefined;
    const found = exact ?? (open && !other ? this.recalled(course, name, open) : undefined);
    const repeated = found && course && asked;
    const answer =
      other ?? (repeated ? this.repeat(course, tool ?? this.prepared.unlisted(name), asked, own, found) : own);
    const served = answer.servedBy !== "gap";
    const ok = served ? !answer.isError && !isErrorClass(answer.answerClass) : undefined;
    const heard = { tool: name, args: args ?? NO_ARGUMENTS, value: answer.value, ok };
    course?.hear(heard);
    for (const companion of companions) companion.hear(heard);
    return answer;
  }

  /** What others were answered, as far as such answers are trusted here. */
  private recalled(course: Course | undefined, tool: string, args: JsonObject): Recalled | undefined {
    const found = course?.recall(tool, args);
    const trust = this.prepared.confidence;
    if (!found || !trust) return found;
    const of = { by: "memory", tool, ok: found.answer.ok, args, lost: this.lost } as const;
    const confidence = trust.confidence(of, trust.knows(this.task));
    if (!trust.reaches(confidence)) return undefined;
    return { ...found, confidence: Math.min(found.confidence, confidence) };
  }

  /** The first answer of a companion. What the call changed of the world's own tables stays unknown, unless it is refused. */
  private fromCompanion(name: string, args: JsonObject, own: WorldAnswer): WorldAnswer | undefined {
    for (const companion of this.companions) {
      const answer = companion.answer(name, args);
      if (!answer) continue;
      const refused = answer.isError || isErrorClass(answer.answerClass);
      if (!refused) return { ...answer, changes: own.changes };
      this.state.revert(own.changes);
      return answer;
    }
    return undefined;
  }

  /** An answer on record: words of others, ids of this session. What the behaviour did stands where it said a success too. */
  private repeat(
    course: Course,
    tool: PreparedTool,
    args: JsonObject,
    own: WorldAnswer,
    { answer, level, confidence }: Recalled,
  ): WorldAnswer {
    const succeeded = own.servedBy !== "gap" && !own.isError && !isErrorClass(own.answerClass);
    const ids = succeeded && answer.fresh.length > 0 ? course.fresh(tool.definition.name, own.value) : [];
    const made: (string | number)[] = [];
    for (const [k, id] of answer.fresh.entries())
      made.push((ids.length === answer.fresh.length ? ids[k] : undefined) ?? this.issue(id, course, made));
    const value = inSessionIds(answer.value, course, (k) => made[k] ?? "");
    if (value === undefined) return own;
    let { changes } = own;
    if (!answer.ok && changes.length > 0) {
      this.state.revert(changes);
      changes = NO_CHANGES;
    } else if (answer.ok && !succeeded && own.servedBy !== "gap") changes = this.behaviours.unsettle(tool, args);
    return {
      ...fromMemory(tool, answer, value, changes),
      layer: level === EXACT || level === LEVELS[0] ? "history" : "floor",
      confidence,
    };
  }

  /** A new id of the form of a recorded one: none that was ever recorded, that a row has, or that the session has. */
  private issue(like: string | number, course: Course, made: readonly (string | number)[]): string | number {
    const { prefix, alphabet, width } = formOf(like);
    for (let wider = 0; ; wider++) {
      const drawn = this.behaviours.draw(alphabet, width + Math.floor(wider / 8));
      const text = `${prefix}${drawn}`;
      const id = typeof like === "number" ? Number(text) : text;
      const taken = this.prepared.memory?.hasIssued(id) || course.knows(id) || made.includes(id) || this.hasKey(text);
      if (!taken) return id;
    }
  }

  private hasKey(key: string): boolean {
    for (const { rows } of this.state.base.tables.values()) if (rows.has(key)) return true;
    return false;
  }

  /** The changes without those of the compiler's own tables, with what was unknown before them left out. */
  private ofSystem<C extends readonly RowChange[]>(changes: C): C | RowChange[] {
    const { internal } = this.prepared;
    const plain = !changes.some(({ table }) => internal.has(table));
    if (plain && !this.state.base.doubtful) return changes;
    return changes.flatMap((change) => {
      const shown = internal.has(change.table) ? undefined : shownChange(change);
      return shown === undefined ? [] : [shown];
    });
  }

  changesOf(entries: readonly JournalEntry[]): readonly (readonly RowChange[])[] {
    const state = new WorldState(this.state.base);
    const told = new KnownState(this.state.base);
    return entries.map(({ changes }) => {
      state.apply(changes);
      return this.ofSystem(told.follow(state, changes));
    });
  }

  fork(): World {
    return new LocalWorld(this.prepared, this.state.base, this.seed, this.task);
  }

  reset(): void {
    this.state.reset();
    this.told.reset();
    this.behaviours.drawn = 0;
    this.seq = 0;
    this.last = undefined;
    this.course = this.begun();
    this.behaviours.losses = 0;
    for (const companion of this.companions) companion.reset();
  }

  /** Puts the newest call right, which was answered otherwise: refused, it changed nothing; else nobody knows what. */
  correct(refused: boolean): void {
    if (this.last === undefined) return;
    const { tool, args, answer, told, lost } = this.last;
    this.state.revert(answer.changes);
    this.told.revert(told);
    const called = this.toolOf(tool, "user");
    const changes = refused || !called ? NO_CHANGES : this.behaviours.unsettle(called, args);
    const loses = !refused && this.behaviours.loses(tool, "error:not_served");
    this.behaviours.losses += Number(loses) - Number(lost);
    this.last = {
      ...this.last,
      answer: { ...answer, changes },
      told: this.told.follow(this.state, changes),
      lost: loses,
    };
  }

  diff(): RowChange[] {
    return this.ofSystem(this.told.diff(this.state));
  }

  digest(): string {
    return this.state.digest(this.diff());
  }

  row(table: string, key: string): JsonObject | undefined {
    const row = this.state.get(table, key);
    return row === UNKNOWN ? undefined : (shown(row, undefined) as JsonObject | undefined);
  }

  stored(table: string, key: string): JsonObject | undefined {
    return this.state.stored(table, key);
  }

  rows(table: string): Iterable<readonly [key: string, row: JsonObject]> {
    return this.state.doubtful ? this.shownRows(table) : this.state.entries(table);
  }

  private *shownRows(table: string): Iterable<readonly [string, JsonObject]> {
    for (const [key, row] of this.state.entries(table)) yield [key, shown(row, undefined) as JsonObject];
  }

  tables(): string[] {
    return [...new Set([...this.prepared.bundle.tables.map(({ name }) => name), ...this.state.tables()])].sort();
  }

  restore(entries: readonly JournalEntry[]): void {
    this.reset();
    this.advance(entries);
  }

  advance(entries: readonly JournalEntry[]): void {
    this.last = undefined;
    for (const entry of entries) {
      if (entry.seq !== this.seq + 1) throw new WorldError("broken_journal", "the journal has a gap");
      this.state.apply(entry.changes);
      this.told.follow(this.state, entry.changes);
      this.seq = entry.seq;
      this.behaviours.drawn = entry.drawn;
      const { tool, args, answer: value, answer_class: answered } = entry;
      const ok = NO_ANSWER.has(answered) ? undefined : !entry.is_error && !isErrorClass(answered);
      const heard = { tool, args, value, ok };
      this.course?.hear(heard);
      for (const companion of this.companions) companion.hear(heard);
      if (entry.lost) this.behaviours.losses++;
    }
  }

  undo(): void {
    if (this.last === undefined) return;
    this.state.revert(this.last.answer.changes);
    this.told.revert(this.last.told);
    this.behaviours.drawn = this.last.drawn;
    this.seq--;
    this.course?.undo();
    for (const companion of this.companions) companion.undo();
    if (this.last.lost) this.behaviours.losses--;
    this.last = undefined;
  }

  lastEntry(at: number): JournalEntry | undefined {
    if (this.last === undefined) return undefined;
    const { tool, args, answer, lost } = this.last;
    const { layer, confidence } = answer;
    return {
      seq: this.seq,
      tool,
      args,
      answer: answer.value,
      answer_class: answer.answerClass,
      is_error: answer.isError,
      changes: answer.changes,
      at,
      drawn: this.behaviours.drawn,
      ...(layer === undefined ? {} : { layer }),
      ...(confidence === undefined ? {} : { confidence }),
      ...(lost ? { lost: true as const } : {}),
    };
  }
}

export function createWorld(
  bundle: Bundle | PreparedBundle,
  base: BaseState | FrozenBase,
  options: { readonly seed?: string; readonly task?: string | undefined } = {},
): World {
  return new LocalWorld(
    bundle instanceof PreparedBundle ? bundle : prepare(bundle),
    base instanceof FrozenBase ? base : prepareBase(base),
    options.seed ?? "",
    options.task,
  );
}

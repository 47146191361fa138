import type { Outcome } from "./behaviour/outcome.ts";
import type { Program } from "./behaviour/program.ts";
import type { BaseState, Bundle, ToolDefinition } from "./bundle.ts";
import { Companion } from "./companions/companion.ts";
import type { ConfidenceEstimates, Source } from "./confidence.ts";
import { canonicalJson } from "./digest.ts";
import { WorldError } from "./errors.ts";
import { LEVELS } from "./floor/index.ts";
import { frozenCopy, isObject, type JsonObject } from "./json.ts";
import { formOf, inSessionIds } from "./memory/ids.ts";
import { Course, EXACT, type Recalled } from "./memory/index.ts";
import { PreparedBundle, type PreparedTool, prepare } from "./prepared.ts";
import type { PreparedAnswer } from "./recorded.ts";
import {
  failure,
  fault,
  fromMemory,
  fromRecord,
  gap,
  isErrorClass,
  NO_CHANGES,
  refusal,
  refuses,
  success,
} from "./replies.ts";
import { FrozenBase, prepareBase } from "./state/base.ts";
import type { JournalEntry, RowChange } from "./state/journal.ts";
import { drawKey } from "./state/keys.ts";
import { KnownState } from "./state/known-state.ts";
import { WorldState } from "./state/state.ts";
import { masked } from "./state/unknown-rows.ts";
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
  /** Whether evidence had sessions of its task. */
  private readonly known: boolean;
  private drawn = 0;
  private seq = 0;
  private last: LastCall | undefined;
  /** How many calls that may have changed something were not answered, where the bundle has estimates. */
  private losses = 0;
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
    this.known = prepared.confidence?.knows(this.task) === true;
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
    return this.losses > 0;
  }

  /** Whether no behaviour knows what a call did. */
  private loses(tool: string, answered: string): boolean {
    const { confidence: trust } = this.prepared;
    return trust !== undefined && NO_ANSWER.has(answered) && !trust.reads.has(tool);
  }

  /** Whether the schema rules arguments out that no session saw taken: however it is refused, such a call does nothing. */
  private isRuledOut(tool: PreparedTool, args: JsonObject | undefined): boolean {
    if (args === undefined) return true;
    return tool.check(args) !== undefined && this.prepared.confidence?.lenient.has(tool.definition.name) !== true;
  }

  /** The tool of a name that the caller has. */
  private toolOf(name: string, by: "user" | undefined): PreparedTool | undefined {
    const { tools, userTools } = this.prepared;
    return tools.get(name) ?? (by === "user" ? userTools.get(name) : undefined);
  }

  call(tool: string, args: JsonObject, by?: "user"): WorldAnswer {
    const copy = frozenCopy(args, ARGUMENTS);
    const given = isObject(copy) ? copy : undefined;
    const { drawn } = this;
    const called = this.toolOf(tool, by);
    const own = called ? this.answer(called, given) : this.unlisted(tool);
    const answer = this.answeredByCompanion(tool, given, own, called);
    this.seq++;
    const lost = called !== undefined && this.loses(tool, own.answerClass) && !this.isRuledOut(called, given);
    if (lost) this.losses++;
    const told = this.told.follow(this.state, answer.changes);
    this.last = { tool, args: given ?? NO_ARGUMENTS, answer, drawn, told, lost };
    const changes = this.ofSystem(told);
    return changes === answer.changes ? answer : { ...answer, changes };
  }

  /**
   * What others were answered who did the same; where nothing is known of the call, what a companion says, or what others
   * mostly were answered; else an answer as it is.
   */
  private answeredByCompanion(
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
    const found = exact ?? (open && !other ? course?.recall(name, open) : undefined);
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
    const value = inSessionIds(
      answer.value,
      (k) => course.id(k),
      (k) => made[k] ?? "",
    );
    if (value === undefined) return own;
    let { changes } = own;
    if (!answer.ok && changes.length > 0) {
      this.state.revert(changes);
      changes = NO_CHANGES;
    } else if (answer.ok && !succeeded && own.servedBy !== "gap") changes = this.unsettle(tool, args);
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
      const drawn = drawKey(this.seed, this.drawn++, alphabet, width + Math.floor(wider / 8));
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

  private answer(tool: PreparedTool, args: JsonObject | undefined): WorldAnswer {
    const { name } = tool.definition;
    if (args === undefined)
      return refusal("bad_arguments", "Error: the arguments are no JSON object, or too deep or too large", "schema");
    const recorded = tool.hasRecorded ? this.onRecord(tool, args) : undefined;
    const wrong = tool.check(args);
    if (wrong !== undefined) {
      const refused = refusal("bad_arguments", `Error: ${wrong}`, "schema");
      if (recorded && this.holds(recorded, null)) return this.fromRecord(tool, args, recorded, NO_CHANGES);
      const changes = this.isRuledOut(tool, args) ? NO_CHANGES : this.unsettle(tool, args);
      return this.sure("schema", name, args, refused) ?? gap(changes);
    }
    const { program } = tool;
    if (program instanceof WorldError) return { ...fault(program), changes: this.unsettle(tool, args) };
    if (program === null)
      return recorded && this.holds(recorded, null)
        ? this.fromRecord(tool, args, recorded, this.unsettle(tool, args, recorded))
        : gap(this.unsettle(tool, args));
    if (recorded && this.holds(recorded, program)) return this.overlaid(tool, program, args, recorded);
    return this.behave(tool, program, args);
  }

  /** What the system was seen to answer to names that it does not list, else a refusal where such are trusted. */
  private unlisted(name: string): WorldAnswer {
    const seen = this.prepared.bundle.unlisted;
    if (seen === undefined)
      return this.sure("listing", name, {}, refusal("unknown_tool", "Error: no such tool", "schema")) ?? gap();
    const answer = refusal("unknown_tool", seen.text.replaceAll("{tool}", name), "behaviour");
    return seen.is_error ? answer : { ...answer, isError: false, answerClass: "data" };
  }

  /** The answer recorded of these arguments, where such answers over the tool's behaviour are trusted. */
  private onRecord(tool: PreparedTool, args: JsonObject): PreparedAnswer | undefined {
    const { confidence: trust } = this.prepared;
    if (trust && !trust.reaches(this.sureOfRecord(trust, tool, args))) return undefined;
    return tool.recorded(canonicalJson(args));
  }

  private sureOfRecord(
    confidenceEstimates: ConfidenceEstimates,
    { definition }: PreparedTool,
    args: JsonObject,
  ): number {
    return confidenceEstimates.confidence(
      { by: "recorded", tool: definition.name, ok: true, args, lost: this.lost },
      this.known,
    );
  }

  /** A recorded answer over a behaviour with how far it is trusted. */
  private fromRecord(
    tool: PreparedTool,
    args: JsonObject,
    recorded: PreparedAnswer,
    changes: readonly RowChange[],
  ): WorldAnswer {
    const answer = fromRecord(tool, recorded, changes);
    const { confidence: trust } = this.prepared;
    return trust ? { ...answer, layer: "program", confidence: this.sureOfRecord(trust, tool, args) } : answer;
  }

  /** An answer that rests on no behaviour, where such answers are trusted. */
  private sure(by: Source, tool: string, args: JsonObject, answer: WorldAnswer): WorldAnswer | undefined {
    const { confidence: trust } = this.prepared;
    if (trust === undefined) return answer;
    const confidence = trust.confidence({ by, tool, ok: false, args, lost: this.lost }, this.known);
    return trust.reaches(confidence) ? { ...answer, layer: "program", confidence } : undefined;
  }

  /** A recorded answer's words and rows with the behaviour's effects; none for a recorded success whose effects cannot be had. */
  private overlaid(tool: PreparedTool, program: Program, args: JsonObject, recorded: PreparedAnswer): WorldAnswer {
    const plain = program.written.size === 0 && recorded.rows.length === 0 && tool.footprint === undefined;
    if (recorded.recorded.is_error || isErrorClass(recorded.recorded.answer_class) || plain)
      return this.fromRecord(tool, args, recorded, NO_CHANGES);
    const { outcome, changes } = this.run(tool, program, args, recorded);
    if (outcome.kind === "value" || outcome.kind === "recorded" || recorded.rows.length > 0)
      return this.fromRecord(tool, args, recorded, changes);
    return outcome.kind === "fault" ? { ...fault(outcome.error), changes } : gap(changes);
  }

  /** Leaves unknown what a call may have changed that nobody can follow, but for the rows of a recorded write. */
  private unsettle({ footprint }: PreparedTool, args: JsonObject, recorded?: PreparedAnswer): readonly RowChange[] {
    if (recorded && isErrorClass(recorded.recorded.answer_class)) return NO_CHANGES;
    if (footprint === undefined && (recorded === undefined || recorded.rows.length === 0)) return NO_CHANGES;
    this.state.begin();
    if (footprint) footprint.forget(this.state, args);
    if (recorded) this.put(recorded);
    return this.state.commit();
  }

  private put({ rows }: PreparedAnswer): void {
    for (const { table, key, row } of rows) {
      const held = this.state.get(table, key);
      const drawn = this.state.base.table(table).rows.get(key) ?? {};
      this.state.put(table, key, { ...(held === UNKNOWN ? masked(drawn, Object.keys(drawn)) : held), ...row });
    }
  }

  private behave(tool: PreparedTool, program: Program, args: JsonObject): WorldAnswer {
    const { outcome, changes } = this.run(tool, program, args);
    switch (outcome.kind) {
      case "value":
        return this.trusted(tool, success(tool, outcome.value, changes), args);
      case "error":
        return this.trusted(tool, failure(tool, outcome.text, changes), args);
      case "fault":
        return this.trusted(tool, { ...fault(outcome.error), changes }, args);
      case "recorded":
        return gap(changes);
      case "gap":
        return gap(changes);
    }
  }

  /** Runs a behaviour. Under a gap no effect stands: what it would have changed, or what the tool's calls may change, becomes unknown. */
  private run(
    tool: PreparedTool,
    program: Program,
    args: JsonObject,
    recorded?: PreparedAnswer,
  ): { outcome: Outcome; changes: readonly RowChange[] } {
    const { footprint } = tool;
    const writes = program.written.size > 0 || footprint !== undefined || (recorded?.rows.length ?? 0) > 0;
    const drawn = this.drawn;
    if (writes) this.state.begin();
    const found = program.run(args, { state: this.state, now: this.prepared.bundle.now, keys: this });
    const outcome = recorded ? found : this.believed(tool, args, found);
    const ended = outcome.kind === "value" || (outcome.kind === "error" && outcome.keeps === true);
    const answered = ended || (outcome.kind === "recorded" && recorded !== undefined);
    if (!answered) this.drawn = drawn;
    if (!writes) return { outcome, changes: NO_CHANGES };
    if (!ended) {
      if (outcome.kind === "gap" && outcome.keeps) this.state.blur(this.prepared.internal);
      else if (outcome.kind === "recorded") {
        if (!answered) this.state.blur(this.prepared.internal);
        footprint?.forget(this.state, args);
      } else {
        this.state.rollback();
        this.state.begin();
        const refused = outcome.kind === "error" || (outcome.kind === "fault" && outcome.error.code === "conflict");
        if (!refused || (recorded && recorded.rows.length > 0)) footprint?.forget(this.state, args);
      }
    }
    if (outcome.kind === "value") footprint?.doubt(this.state, args);
    if (recorded) this.put(recorded);
    return { outcome, changes: this.state.commit() };
  }

  /** An outcome as far as it is trusted: a gap in its place where it was wrong too often in its case. */
  private believed({ definition }: PreparedTool, args: JsonObject, outcome: Outcome): Outcome {
    const { confidence: trust } = this.prepared;
    if (trust === undefined || !isAnswer(outcome)) return outcome;
    const { kind } = outcome;
    const ok = kind === "value" && !refuses(outcome.value);
    if (trust.reaches(trust.confidence({ tool: definition.name, ok, args, lost: this.lost }, this.known)))
      return outcome;
    return kind === "value" || (kind === "error" && outcome.keeps) ? { kind: "gap", keeps: true } : { kind: "gap" };
  }

  /** An answer of a behaviour with how far it is trusted. */
  private trusted({ definition }: PreparedTool, answer: WorldAnswer, args: JsonObject): WorldAnswer {
    const { confidence: trust } = this.prepared;
    if (trust === undefined || answer.servedBy === "gap") return answer;
    const { text, value, isError, answerClass, servedBy, changes } = answer;
    const ok = !isError && !isErrorClass(answerClass);
    const confidence = trust.confidence({ tool: definition.name, ok, args, lost: this.lost }, this.known);
    return { text, value, isError, answerClass, servedBy, changes, layer: "program", confidence };
  }

  /** Draws the next generated key. */
  draw(kind: string, width: number): string {
    return drawKey(this.seed, this.drawn++, kind, width);
  }

  private holds(recorded: PreparedAnswer, program: Program | null): boolean {
    const { internal } = this.prepared;
    const changes = this.state.touched ? this.state.diff().filter(({ table }) => !internal.has(table)) : NO_CHANGES;
    return recorded.holds(this.state, changes, program, this.prepared.bundle.now);
  }

  fork(): World {
    return new LocalWorld(this.prepared, this.state.base, this.seed, this.task);
  }

  reset(): void {
    this.state.reset();
    this.told.reset();
    this.drawn = 0;
    this.seq = 0;
    this.last = undefined;
    this.course = this.begun();
    this.losses = 0;
    for (const companion of this.companions) companion.reset();
  }

  /** Puts the newest call right, which was answered otherwise: refused, it changed nothing; else nobody knows what. */
  correct(refused: boolean): void {
    if (this.last === undefined) return;
    const { tool, args, answer, told, lost } = this.last;
    this.state.revert(answer.changes);
    this.told.revert(told);
    const called = this.toolOf(tool, "user");
    const changes = refused || !called ? NO_CHANGES : this.unsettle(called, args);
    const loses = !refused && this.loses(tool, "error:not_served");
    this.losses += Number(loses) - Number(lost);
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
      this.drawn = entry.drawn;
      const { tool, args, answer: value, answer_class: answered } = entry;
      const ok = NO_ANSWER.has(answered) ? undefined : !entry.is_error && !isErrorClass(answered);
      const heard = { tool, args, value, ok };
      this.course?.hear(heard);
      for (const companion of this.companions) companion.hear(heard);
      if (entry.lost) this.losses++;
    }
  }

  undo(): void {
    if (this.last === undefined) return;
    this.state.revert(this.last.answer.changes);
    this.told.revert(this.last.told);
    this.drawn = this.last.drawn;
    this.seq--;
    this.course?.undo();
    for (const companion of this.companions) companion.undo();
    if (this.last.lost) this.losses--;
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
      drawn: this.drawn,
      ...(layer === undefined ? {} : { layer }),
      ...(confidence === undefined ? {} : { confidence }),
      ...(lost ? { lost: true as const } : {}),
    };
  }
}

/** Answers that say nothing of the system. */
const NO_ANSWER: ReadonlySet<string> = new Set(["error:not_served", "error:behaviour"]);

/** Whether a behaviour came to say something of the system. */
const isAnswer = (outcome: Outcome): boolean =>
  outcome.kind === "value" ||
  outcome.kind === "error" ||
  (outcome.kind === "fault" && outcome.error.code === "conflict");

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

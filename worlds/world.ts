import type { Outcome } from "./behaviour/outcome.ts";
import type { Program } from "./behaviour/program.ts";
import type { BaseState, Bundle, ToolDefinition } from "./bundle.ts";
import { canonicalJson } from "./digest.ts";
import { WorldError } from "./errors.ts";
import { Course, type Heard, mayShow } from "./history/course.ts";
import { formOf } from "./history/names.ts";
import { frozenCopy, isObject, type Json, type JsonObject } from "./json.ts";
import { heardIn, layerOf, type Recalled } from "./layers.ts";
import { PreparedBundle, type PreparedTool, prepare } from "./prepared.ts";
import type { PreparedAnswer } from "./recorded.ts";
import { failure, fault, fromHistory, fromRecord, gap, isErrorClass, NO_CHANGES, refusal, success } from "./replies.ts";
import { bestOf } from "./select/estimate.ts";
import { contextCells, type Made, NO_TOOL, programCells, type Source } from "./select/trust.ts";
import { FrozenBase, prepareBase } from "./state/base.ts";
import type { JournalEntry, RowChange } from "./state/journal.ts";
import { drawKey } from "./state/keys.ts";
import { WorldState } from "./state/state.ts";
import type { World, WorldAnswer } from "./world-api.ts";

export { prepare } from "./prepared.ts";
export { prepareBase } from "./state/base.ts";

/** Arguments deeper or larger than this are refused before anything walks them. */
const ARGUMENT_LIMITS = { depth: 50, nodes: 50_000 };

interface LastCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** With all of its changes, the compiler's own too. */
  readonly answer: WorldAnswer;
  /** Keys drawn before it. */
  readonly drawn: number;
  /** What it did is not followed. */
  readonly lost: boolean;
}

/** A world: a frozen base shared with its forks, and what its own calls changed. */
class LocalWorld implements World {
  private readonly prepared: PreparedBundle;
  private readonly state: WorldState;
  private readonly seed: string;
  private readonly task: string | undefined;
  /** Whether sessions of its task were observed. */
  private readonly known: boolean;
  private drawn = 0;
  private seq = 0;
  private last: LastCall | undefined;
  /** The session so far, where the bundle knows what others heard. */
  private course: Course | undefined;
  /** Calls whose effects are not followed, in order. */
  private lost: { readonly tool: string; readonly args: JsonObject }[] = [];
  /** What the call under way did is not followed. */
  private losing = false;

  constructor(prepared: PreparedBundle, base: FrozenBase, seed: string, task: string | undefined) {
    this.prepared = prepared;
    this.state = new WorldState(base);
    this.seed = seed;
    this.task = task;
    this.known = task !== undefined && prepared.history?.knows(task) === true;
    this.course = this.begun();
  }

  private begun(): Course | undefined {
    const { history } = this.prepared;
    return history && new Course(history.rules, this.known ? this.task : undefined);
  }

  get tools(): readonly ToolDefinition[] {
    return this.prepared.bundle.tools;
  }

  call(tool: string, args: JsonObject): WorldAnswer {
    const copy = frozenCopy(args, ARGUMENT_LIMITS);
    const given = isObject(copy) ? copy : undefined;
    const { drawn } = this;
    this.losing = false;
    const answer = this.answer(tool, given);
    this.seq++;
    this.last = { tool, args: given ?? Object.freeze({}), answer, drawn, lost: this.losing };
    if (this.losing) this.lost.push(this.last);
    this.course?.hear(heardIn(this.last.tool, this.last.args, answer));
    const changes = this.ofSystem(answer.changes);
    return changes === answer.changes ? answer : { ...answer, changes };
  }

  /** The changes without those of the compiler's own tables. */
  private ofSystem<C extends readonly RowChange[]>(changes: C): C | RowChange[] {
    const { internal } = this.prepared;
    return changes.some(({ table }) => internal.has(table))
      ? changes.filter(({ table }) => !internal.has(table))
      : changes;
  }

  private answer(name: string, args: JsonObject | undefined): WorldAnswer {
    const tool = this.prepared.tools.get(name);
    if (tool === undefined)
      return this.prepared.trust.confidence(this.known, [NO_TOOL, "schema"]) > 0
        ? refusal("unknown_tool", "Error: no such tool", "schema")
        : gap();
    if (args === undefined)
      return refusal("bad_arguments", "Error: the arguments are no JSON object, or too deep or too large", "schema");
    const heard = this.recall(tool, args);
    const recorded = tool.hasRecorded ? tool.recorded(canonicalJson(args)) : undefined;
    const wrong = tool.check(args);
    if (wrong !== undefined) {
      if (heard) return this.repeat(tool, null, args, heard);
      if (recorded && this.holds(recorded, null)) return fromRecord(tool, recorded, NO_CHANGES);
      if (this.trusted("schema", tool, false, args, undefined) === undefined) return gap();
      return refusal("bad_arguments", `Error: ${wrong}`, "schema");
    }
    const { program } = tool;
    if (program instanceof WorldError) return heard ? this.repeat(tool, null, args, heard) : fault(program);
    if (heard?.source === "exact") return this.repeat(tool, program, args, heard);
    const astray = this.astray(tool, args);
    if (recorded && !astray && this.holds(recorded, program)) {
      const ok = !recorded.recorded.is_error && !isErrorClass(recorded.recorded.answer_class);
      const confidence = this.trusted("recorded", tool, ok, args, heard);
      if (confidence !== undefined) {
        const answer =
          program === null
            ? fromRecord(tool, recorded, this.leave(recorded))
            : this.overlaid(tool, program, args, recorded);
        return this.layered(answer, "recorded", confidence);
      }
    }
    if (program === null || astray) return heard ? this.repeat(tool, program, args, heard) : this.losingGap(tool);
    return this.behave(tool, program, args, heard);
  }

  /** The best that sessions heard to a question where they stood as this one does. */
  private recall(tool: PreparedTool, args: JsonObject): Recalled | undefined {
    const { history, trust } = this.prepared;
    const { name } = tool.definition;
    const { course } = this;
    const contexts = history?.contextsOf(name);
    if (!history || !contexts?.length || !course) return undefined;
    const found: Recalled[] = [];
    for (const [context, key] of course.keys(name, args, contexts)) {
      const hit = history.find(key);
      if (!hit) continue;
      const { answer, support } = hit;
      const confidence = trust.confidence(this.known, contextCells(context, name, answer.ok, support));
      if (context !== "exact" && !trust.reaches(this.known, confidence)) continue;
      if (course.names.spoken(answer.value, () => 0) === undefined) continue;
      found.push({ source: context, answer, confidence });
    }
    return bestOf(found, ({ confidence }) => confidence)?.option;
  }

  /** Answers what others heard: the words are theirs, the ids this session's own, and what the behaviour does is done. */
  private repeat(tool: PreparedTool, program: Program | null, args: JsonObject, heard: Recalled): WorldAnswer {
    const { name } = tool.definition;
    const { answer, source, confidence } = heard;
    let made: Json | undefined;
    let changes = NO_CHANGES;
    if (answer.ok && this.prepared.history?.rules.effective.has(name)) {
      const run = program && program.written.size > 0 ? this.run(program, args) : undefined;
      if (run?.outcome.kind === "value") made = tool.renderer.wrap(run.outcome.value);
      if (run) changes = run.changes;
      this.losing = run?.outcome.kind !== "value" && run?.outcome.kind !== "recorded";
    }
    const names = this.course?.names;
    const own = made === undefined ? [] : (names?.canonical(name, made).fresh ?? []);
    const ids = answer.fresh.map(
      (id, k) => (own.length === answer.fresh.length ? own[k] : undefined) ?? this.issue(id),
    );
    const value = names?.spoken(answer.value, (k) => ids[k] ?? "") ?? null;
    return this.layered(fromHistory(tool, answer, value, changes), source, confidence);
  }

  /** A new id of the form of a recorded one: none that was ever recorded. */
  private issue(like: string | number): string | number {
    const { prefix, alphabet, width } = formOf(like);
    for (;;) {
      const id = prefix + drawKey(this.seed, this.drawn++, alphabet, width);
      // A form that is used up is given another place.
      const other = this.prepared.history?.hasIssued(id) ? `${id}${drawKey(this.seed, this.drawn++, alphabet, 4)}` : id;
      if (!this.prepared.history?.hasIssued(other)) return typeof like === "number" ? Number(other) : other;
    }
  }

  /** The confidence of an answer that is to be given; undefined where it is too little, or less than that of what was heard. */
  private trusted(
    source: Made,
    tool: PreparedTool,
    ok: boolean,
    args: JsonObject,
    heard: Recalled | undefined,
  ): number | undefined {
    const { trust } = this.prepared;
    if (!trust.known) return 1;
    const confidence = trust.confidence(this.known, programCells(source, tool.definition.name, ok, args));
    if (!trust.reaches(this.known, confidence) || (heard && heard.confidence > confidence)) return undefined;
    return confidence;
  }

  private layered(answer: WorldAnswer, source: Source, confidence: number): WorldAnswer {
    if (!this.prepared.trust.known || answer.servedBy === "gap") return answer;
    return { ...answer, layer: layerOf(source), confidence };
  }

  /** Whether what a tool's behaviour reads may be wrong: a call before it was not followed, and may show in the answer. */
  private astray(tool: PreparedTool, args: JsonObject): boolean {
    const rules = this.prepared.history?.rules;
    return rules !== undefined && this.lost.some((call) => mayShow(rules, call, tool.definition.name, args));
  }

  /** A gap of a call that may have had an effect, which nobody follows. */
  private losingGap(tool: PreparedTool): WorldAnswer {
    this.losing = this.prepared.history?.rules.effective.has(tool.definition.name) === true;
    return gap();
  }

  /** A recorded answer over a behaviour: its words and rows, with the behaviour's effects. A recorded success whose effects cannot be had is no answer. */
  private overlaid(tool: PreparedTool, program: Program, args: JsonObject, recorded: PreparedAnswer): WorldAnswer {
    const plain = program.written.size === 0 && recorded.rows.length === 0;
    if (recorded.recorded.is_error || isErrorClass(recorded.recorded.answer_class) || plain)
      return fromRecord(tool, recorded, NO_CHANGES);
    const { outcome, changes } = this.run(program, args, recorded);
    if (outcome.kind === "value" || outcome.kind === "recorded") return fromRecord(tool, recorded, changes);
    if (recorded.rows.length > 0) return fromRecord(tool, recorded, this.leave(recorded));
    return outcome.kind === "fault" ? fault(outcome.error) : gap();
  }

  /** Leaves the rows as a recorded write left them; the changes that makes. */
  private leave(recorded: PreparedAnswer): readonly RowChange[] {
    if (recorded.rows.length === 0) return NO_CHANGES;
    this.state.begin();
    this.put(recorded);
    return this.state.commit();
  }

  private put({ rows }: PreparedAnswer): void {
    for (const { table, key, row } of rows) this.state.put(table, key, { ...this.state.get(table, key), ...row });
  }

  private behave(tool: PreparedTool, program: Program, args: JsonObject, heard: Recalled | undefined): WorldAnswer {
    let confidence: number | undefined = 1;
    const { outcome, changes } = this.run(program, args, undefined, (found) => {
      const { kind } = found;
      const refuses = kind === "error" || (kind === "fault" && found.error.code === "conflict");
      if (kind === "value" || refuses) confidence = this.trusted("program", tool, kind === "value", args, heard);
      else if (heard) confidence = undefined;
      return confidence !== undefined;
    });
    if (confidence === undefined) {
      if (heard) return this.repeat(tool, program, args, heard);
      return this.losingGap(tool);
    }
    switch (outcome.kind) {
      case "value":
        return this.layered(success(tool, outcome.value, changes), "program", confidence);
      case "error":
        return this.layered(failure(tool, outcome.text, changes), "program", confidence);
      case "fault":
        return this.layered(fault(outcome.error), "program", confidence);
      case "recorded":
      case "gap":
        return stands(outcome) ? gap(changes) : this.losingGap(tool);
    }
  }

  private run(
    program: Program,
    args: JsonObject,
    recorded?: PreparedAnswer,
    wanted: (outcome: Outcome) => boolean = () => true,
  ): { outcome: Outcome; changes: readonly RowChange[] } {
    const writes = program.written.size > 0 || (recorded !== undefined && recorded.rows.length > 0);
    const drawn = this.drawn;
    if (writes) this.state.begin();
    const outcome = program.run(args, { state: this.state, now: this.prepared.bundle.now, keys: this });
    if (wanted(outcome) && stands(outcome)) {
      if (recorded) this.put(recorded);
      return { outcome, changes: writes ? this.state.commit() : NO_CHANGES };
    }
    if (writes) this.state.rollback();
    this.drawn = drawn;
    return { outcome, changes: NO_CHANGES };
  }

  /** Draws the next generated key. */
  draw(kind: string, width: number): string {
    return drawKey(this.seed, this.drawn++, kind, width);
  }

  private holds(recorded: PreparedAnswer, program: Program | null): boolean {
    const changes = this.state.touched ? this.diff() : NO_CHANGES;
    return recorded.holds(this.state, changes, program, this.prepared.bundle.now);
  }

  fork(): World {
    return new LocalWorld(this.prepared, this.state.base, this.seed, this.task);
  }

  reset(): void {
    this.state.reset();
    this.drawn = 0;
    this.seq = 0;
    this.last = undefined;
    this.lost = [];
    this.course = this.begun();
  }

  diff(): RowChange[] {
    return this.ofSystem(this.state.diff());
  }

  digest(): string {
    return this.state.digest();
  }

  row(table: string, key: string): JsonObject | undefined {
    return this.state.get(table, key);
  }

  rows(table: string): Iterable<readonly [key: string, row: JsonObject]> {
    return this.state.entries(table);
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
      this.seq = entry.seq;
      this.drawn = entry.drawn;
      if (entry.lost === true) this.lost.push(entry);
      const { tool, args, answer: value, answer_class: answerClass, is_error: isError } = entry;
      this.course?.hear(heardIn(tool, args, { value, answerClass, isError }));
    }
  }

  undo(): void {
    if (this.last === undefined) return;
    this.state.revert(this.last.answer.changes);
    this.drawn = this.last.drawn;
    this.seq--;
    if (this.last.lost) this.lost.pop();
    this.course?.undo();
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

  hear(tool: string, args: JsonObject, observed: Pick<Heard, "value" | "ok">): void {
    this.course?.undo();
    this.course?.hear({ tool, args, ...observed });
  }
}

/** Whether what a call did stands: also where only what is said is unknown, and where a refusal keeps it. */
const stands = (outcome: Outcome): boolean =>
  outcome.kind === "value" || outcome.kind === "recorded" || ("keeps" in outcome && outcome.keeps === true);

/** A world on a drawn state. Give what `prepare` and `prepareBase` made to share it among worlds; the seed decides generated keys, the task what sessions of it heard. Throws `type` on a base row that is no object. */
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

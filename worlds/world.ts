import { answerClass, parseResult } from "./answers.ts";
import type { Outcome } from "./behaviour/outcome.ts";
import type { Program } from "./behaviour/program.ts";
import type { BaseState, Bundle, ToolDefinition } from "./bundle.ts";
import { canonicalJson } from "./digest.ts";
import { WorldError } from "./errors.ts";
import { frozenCopy, isObject, type Json, type JsonObject } from "./json.ts";
import { PreparedBundle, type PreparedTool, prepare } from "./prepared.ts";
import type { PreparedAnswer } from "./recorded.ts";
import { FrozenBase, prepareBase } from "./state/base.ts";
import { masked } from "./state/doubts.ts";
import type { JournalEntry, RowChange } from "./state/journal.ts";
import { drawKey } from "./state/keys.ts";
import { WorldState } from "./state/state.ts";
import { ToldState } from "./state/told.ts";
import { fromOutside, shown, shownChange, UNKNOWN } from "./unknown.ts";
import type { World, WorldAnswer } from "./world-api.ts";

export { prepare } from "./prepared.ts";
export { prepareBase } from "./state/base.ts";

/** Arguments deeper or larger than this are refused before anything walks them. */
const ARGUMENTS = fromOutside({ depth: 50, nodes: 50_000 });
const NO_CHANGES: readonly RowChange[] = Object.freeze([]);
const NOT_SERVED = "Error: not_served: this call cannot be answered from what is known of the system";

interface LastCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** With all of its changes, the compiler's own too. */
  readonly answer: WorldAnswer;
  /** Of these what is a change of what is known. */
  readonly told: readonly RowChange[];
  /** Keys drawn before it. */
  readonly drawn: number;
}

/** A world: a frozen base shared with its forks, and what its own calls changed. */
class LocalWorld implements World {
  private readonly prepared: PreparedBundle;
  private readonly state: WorldState;
  private readonly told: ToldState;
  private readonly seed: string;
  private drawn = 0;
  private seq = 0;
  private last: LastCall | undefined;

  constructor(prepared: PreparedBundle, base: FrozenBase, seed: string) {
    this.prepared = prepared;
    this.state = new WorldState(base);
    this.told = new ToldState(base);
    this.seed = seed;
  }

  get tools(): readonly ToolDefinition[] {
    return this.prepared.bundle.tools;
  }

  call(tool: string, args: JsonObject): WorldAnswer {
    const copy = frozenCopy(args, ARGUMENTS);
    const given = isObject(copy) ? copy : undefined;
    const { drawn } = this;
    const answer = this.answer(tool, given);
    this.seq++;
    const told = this.told.follow(this.state, answer.changes);
    this.last = { tool, args: given ?? Object.freeze({}), answer, drawn, told };
    const changes = this.ofSystem(told);
    return changes === answer.changes ? answer : { ...answer, changes };
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

  private answer(name: string, args: JsonObject | undefined): WorldAnswer {
    const tool = this.prepared.tools.get(name);
    if (tool === undefined) return unlisted(this.prepared.bundle.unlisted, name);
    if (args === undefined)
      return refusal("bad_arguments", "Error: the arguments are no JSON object, or too deep or too large", "schema");
    const recorded = tool.hasRecorded ? tool.recorded(canonicalJson(args)) : undefined;
    const wrong = tool.check(args);
    if (wrong !== undefined) {
      if (recorded && this.holds(recorded, null)) return fromRecord(tool, recorded, NO_CHANGES);
      return refusal("bad_arguments", `Error: ${wrong}`, "schema");
    }
    const { program } = tool;
    if (program instanceof WorldError) return { ...fault(program), changes: this.unsettle(tool, args) };
    if (program === null)
      return recorded && this.holds(recorded, null)
        ? fromRecord(tool, recorded, this.unsettle(tool, args, recorded))
        : gap(this.unsettle(tool, args));
    if (recorded && this.holds(recorded, program)) return this.overlaid(tool, program, args, recorded);
    return this.behave(tool, program, args);
  }

  /** A recorded answer over a behaviour: its words and rows, with the behaviour's effects. A recorded success whose effects cannot be had is no answer. */
  private overlaid(tool: PreparedTool, program: Program, args: JsonObject, recorded: PreparedAnswer): WorldAnswer {
    const plain = program.written.size === 0 && recorded.rows.length === 0 && tool.footprint === undefined;
    if (recorded.recorded.is_error || isErrorClass(recorded.recorded.answer_class) || plain)
      return fromRecord(tool, recorded, NO_CHANGES);
    const { outcome, changes } = this.run(tool, program, args, recorded);
    if (outcome.kind === "value" || outcome.kind === "recorded" || recorded.rows.length > 0)
      return fromRecord(tool, recorded, changes);
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
        return success(tool, outcome.value, changes);
      case "error":
        return failure(tool, outcome.text, changes);
      case "fault":
        return { ...fault(outcome.error), changes };
      case "recorded":
        return gap(changes);
      case "gap":
        return gap(changes);
    }
  }

  /** Runs a behaviour. No effect stands under a gap: what it would have changed becomes unknown, and where it did not come to that, what calls of the tool may change. */
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
    const outcome = program.run(args, { state: this.state, now: this.prepared.bundle.now, keys: this });
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
    return new LocalWorld(this.prepared, this.state.base, this.seed);
  }

  reset(): void {
    this.state.reset();
    this.told.reset();
    this.drawn = 0;
    this.seq = 0;
    this.last = undefined;
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
    }
  }

  undo(): void {
    if (this.last === undefined) return;
    this.state.revert(this.last.answer.changes);
    this.told.revert(this.last.told);
    this.drawn = this.last.drawn;
    this.seq--;
    this.last = undefined;
  }

  lastEntry(at: number): JournalEntry | undefined {
    if (this.last === undefined) return undefined;
    const { tool, args, answer } = this.last;
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
    };
  }
}

const isErrorClass = (name: string): boolean => name.startsWith("error:") || name === "refused";

function refusal(name: string, text: string, servedBy: WorldAnswer["servedBy"]): WorldAnswer {
  return { text, value: text, isError: true, answerClass: `error:${name}`, servedBy, changes: NO_CHANGES };
}

/** What the system was seen to answer to names that it does not list, else a refusal. */
function unlisted(seen: Bundle["unlisted"], name: string): WorldAnswer {
  if (seen === undefined) return refusal("unknown_tool", "Error: no such tool", "schema");
  const answer = refusal("unknown_tool", seen.text.replaceAll("{tool}", name), "behaviour");
  return seen.is_error ? answer : { ...answer, isError: false, answerClass: "data" };
}

const gap = (changes: readonly RowChange[] = NO_CHANGES): WorldAnswer => ({
  ...refusal("not_served", NOT_SERVED, "gap"),
  changes,
});

/** A behaviour that cannot be evaluated answers nothing about the system, except that a row is there already. */
function fault(error: WorldError): WorldAnswer {
  if (error.code === "conflict") return refusal("conflict", `Error: ${error.message}`, "behaviour");
  return refusal("behaviour", `Error: this call cannot be answered: ${error.message}`, "gap");
}

function success(tool: PreparedTool, bare: Json, changes: readonly RowChange[]): WorldAnswer {
  const value = tool.renderer.wrap(bare);
  const text = changedText(tool, bare, changes) ?? tool.renderer.text(value, changes.length === 0);
  return { text, value, isError: false, answerClass: classOf(bare, text, false), servedBy: "behaviour", changes };
}

/** The text of an answer that is a row which the call changed. */
function changedText({ renderer }: PreparedTool, bare: Json, changes: readonly RowChange[]): string | undefined {
  for (const { before, after } of changes)
    if (after !== undefined && after === bare && before !== undefined) return renderer.changedText({ before, after });
  return undefined;
}

function failure(tool: PreparedTool, text: string, changes: readonly RowChange[]): WorldAnswer {
  const { value } = parseResult(text);
  return {
    text,
    value,
    isError: tool.errorFlag,
    answerClass: classOf(value, text, true),
    servedBy: "behaviour",
    changes,
  };
}

function fromRecord(
  tool: PreparedTool,
  { recorded, answer }: PreparedAnswer,
  changes: readonly RowChange[],
): WorldAnswer {
  return {
    text: tool.renderer.text(answer, true),
    value: answer,
    isError: recorded.is_error,
    answerClass: recorded.answer_class,
    servedBy: "recorded",
    changes,
  };
}

function classOf(value: Json, text: string, isError: boolean): string {
  if (value === null && !isError) return "empty";
  const parsed = {
    value,
    form: "json",
    blocks: false,
    indent: 0,
    spaced: false,
    ascii: false,
    flagged: false,
  } as const;
  return answerClass(typeof value === "string" ? parseResult(text) : parsed, isError);
}

/** A world on a drawn state. Give what `prepare` and `prepareBase` made to share it among worlds; the seed decides generated keys. Throws `type` on a base row that is no object. */
export function createWorld(
  bundle: Bundle | PreparedBundle,
  base: BaseState | FrozenBase,
  options: { readonly seed?: string } = {},
): World {
  return new LocalWorld(
    bundle instanceof PreparedBundle ? bundle : prepare(bundle),
    base instanceof FrozenBase ? base : prepareBase(base),
    options.seed ?? "",
  );
}

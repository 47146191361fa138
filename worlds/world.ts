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
import type { JournalEntry, RowChange } from "./state/journal.ts";
import { drawKey } from "./state/keys.ts";
import { WorldState } from "./state/state.ts";
import type { World, WorldAnswer } from "./world-api.ts";

export { prepare } from "./prepared.ts";
export { prepareBase } from "./state/base.ts";

/** Arguments deeper or larger than this are refused before anything walks them. */
const ARGUMENT_LIMITS = { depth: 50, nodes: 50_000 };
const NO_CHANGES: readonly RowChange[] = Object.freeze([]);
const NOT_SERVED = "Error: not_served: this call cannot be answered from what is known of the system";

interface LastCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** With all of its changes, the compiler's own too. */
  readonly answer: WorldAnswer;
  /** Keys drawn before it. */
  readonly drawn: number;
}

/** A world: a frozen base shared with its forks, and what its own calls changed. */
class LocalWorld implements World {
  private readonly prepared: PreparedBundle;
  private readonly state: WorldState;
  private readonly seed: string;
  private drawn = 0;
  private seq = 0;
  private last: LastCall | undefined;

  constructor(prepared: PreparedBundle, base: FrozenBase, seed: string) {
    this.prepared = prepared;
    this.state = new WorldState(base);
    this.seed = seed;
  }

  get tools(): readonly ToolDefinition[] {
    return this.prepared.bundle.tools;
  }

  call(tool: string, args: JsonObject): WorldAnswer {
    const copy = frozenCopy(args, ARGUMENT_LIMITS);
    const given = isObject(copy) ? copy : undefined;
    const { drawn } = this;
    const answer = this.answer(tool, given);
    this.seq++;
    this.last = { tool, args: given ?? Object.freeze({}), answer, drawn };
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
    if (tool === undefined) return refusal("unknown_tool", "Error: no such tool", "schema");
    if (args === undefined)
      return refusal("bad_arguments", "Error: the arguments are no JSON object, or too deep or too large", "schema");
    const recorded = tool.hasRecorded ? tool.recorded(canonicalJson(args)) : undefined;
    const wrong = tool.check(args);
    if (wrong !== undefined) {
      if (recorded && this.holds(recorded, null)) return fromRecord(tool, recorded, NO_CHANGES);
      return refusal("bad_arguments", `Error: ${wrong}`, "schema");
    }
    const { program } = tool;
    if (program instanceof WorldError) return fault(program);
    if (program === null)
      return recorded && this.holds(recorded, null) ? fromRecord(tool, recorded, this.leave(recorded)) : gap();
    if (recorded && this.holds(recorded, program)) return this.overlaid(tool, program, args, recorded);
    return this.behave(tool, program, args, recorded);
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

  private behave(tool: PreparedTool, program: Program, args: JsonObject, recorded?: PreparedAnswer): WorldAnswer {
    const { outcome, changes } = this.run(program, args);
    switch (outcome.kind) {
      case "value":
        return success(tool, outcome.value, changes);
      case "error":
        return failure(tool, outcome.text, changes);
      case "fault":
        return fault(outcome.error);
      case "recorded":
        return recorded && this.holds(recorded, program) ? fromRecord(tool, recorded, changes) : gap(changes);
      case "gap":
        return gap(changes);
    }
  }

  private run(
    program: Program,
    args: JsonObject,
    recorded?: PreparedAnswer,
  ): { outcome: Outcome; changes: readonly RowChange[] } {
    const writes = program.written.size > 0 || (recorded !== undefined && recorded.rows.length > 0);
    const drawn = this.drawn;
    if (writes) this.state.begin();
    const outcome = program.run(args, { state: this.state, now: this.prepared.bundle.now, keys: this });
    if (stands(outcome)) {
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
    return new LocalWorld(this.prepared, this.state.base, this.seed);
  }

  reset(): void {
    this.state.reset();
    this.drawn = 0;
    this.seq = 0;
    this.last = undefined;
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
    }
  }

  undo(): void {
    if (this.last === undefined) return;
    this.state.revert(this.last.answer.changes);
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

/** Whether what a call did stands: also where only what is said is unknown, and where a refusal keeps it. */
const stands = (outcome: Outcome): boolean =>
  outcome.kind === "value" || outcome.kind === "recorded" || ("keeps" in outcome && outcome.keeps === true);

const isErrorClass = (name: string): boolean => name.startsWith("error:") || name === "refused";

function refusal(name: string, text: string, servedBy: WorldAnswer["servedBy"]): WorldAnswer {
  return { text, value: text, isError: true, answerClass: `error:${name}`, servedBy, changes: NO_CHANGES };
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

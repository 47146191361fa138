import type { Program } from "./behaviour/program.ts";
import type { RecordedAnswer } from "./bundle.ts";
import { frozenCopy, isObject, type Json, type JsonObject } from "./json.ts";
import type { FrozenBase } from "./state/base.ts";
import type { RowChange } from "./state/journal.ts";
import { drawKey, KEY_SEPARATOR } from "./state/keys.ts";
import { WorldState } from "./state/state.ts";
import { DOUBTS } from "./state/unknown-rows.ts";

/** A state that remembers which rows were read by key and which tables were walked or searched. */
class ReadState extends WorldState {
  readonly keys = new Map<string, Set<string>>();
  readonly walked = new Set<string>();

  override get(table: string, key: string): JsonObject | undefined {
    const keys = this.keys.get(table);
    if (keys) keys.add(key);
    else this.keys.set(table, new Set([key]));
    return super.get(table, key);
  }

  override rows(table: string): readonly JsonObject[] {
    this.walked.add(table);
    return super.rows(table);
  }

  override find(table: string, path: readonly string[], value: Json): readonly string[] {
    this.walked.add(table);
    return super.find(table, path, value);
  }
}

/** A recorded answer of one bundle, and what of the state it rests on. */
export class PreparedAnswer {
  readonly recorded: RecordedAnswer;
  readonly answer: Json;
  /** Rows as the recorded write left them. */
  readonly rows: readonly { readonly table: string; readonly key: string; readonly row: JsonObject }[];
  private readonly args: JsonObject;
  /** Every text and number in the arguments and the answer: a row whose key is among them is named. */
  private readonly names = new Set<string>();
  private readonly reads = new WeakMap<FrozenBase, ReadState>();
  private readonly links = new WeakMap<FrozenBase, ReadonlySet<string>>();

  constructor(recorded: RecordedAnswer) {
    this.recorded = recorded;
    this.answer = frozenCopy(recorded.answer) ?? null;
    this.args = (frozenCopy(recorded.args) ?? {}) as JsonObject;
    this.rows = (recorded.rows ?? []).map(({ table, key, row }) => ({
      table,
      key,
      row: (frozenCopy(row) ?? {}) as JsonObject,
    }));
    collect(recorded.args, this.names);
    collect(recorded.answer, this.names);
  }

  /**
   * Whether `changes` leave every row that this answer names, those that such rows refer to, and all that the tool's
   * behaviour reads for it, as drawn.
   */
  holds(state: WorldState, changes: readonly RowChange[], program: Program | null, now: number): boolean {
    if (changes.length === 0) return true;
    const read = program === null ? undefined : this.readBy(program, state.base, now);
    const blind = read === undefined || (read.walked.size === 0 && read.keys.size === 0);
    const linked = this.linkedIn(state.base);
    return !changes.some(
      ({ table, key }) =>
        // What is in doubt of a whole table may be in doubt of anything that nobody saw it rest on.
        (table === DOUBTS && (blind || read.walked.has(key) || read.keys.has(key))) ||
        read?.walked.has(table) ||
        read?.keys.get(table)?.has(key) ||
        key.split(KEY_SEPARATOR).some((part) => linked.has(part)),
    );
  }

  /** The names in the arguments and the answer, and what the drawn rows hold that one of them is the key of. */
  private linkedIn(base: FrozenBase): ReadonlySet<string> {
    const known = this.links.get(base);
    if (known) return known;
    const linked = new Set(this.names);
    for (const { rows } of base.tables.values())
      for (const name of this.names) for (const value of Object.values(rows.get(name) ?? {})) collect(value, linked);
    this.links.set(base, linked);
    return linked;
  }

  /** What the behaviour reads for these arguments on the drawn state. */
  private readBy(program: Program, base: FrozenBase, now: number): ReadState {
    const known = this.reads.get(base);
    if (known) return known;
    const state = new ReadState(base);
    let drawn = 0;
    state.begin();
    program.run(this.args, { state, now, keys: { draw: (kind, width) => drawKey("", drawn++, kind, width) } });
    state.rollback();
    this.reads.set(base, state);
    return state;
  }
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === "string" || typeof value === "number") into.add(String(value));
  else if (Array.isArray(value)) for (const member of value) collect(member, into);
  else if (isObject(value))
    for (const [key, member] of Object.entries(value)) {
      into.add(key);
      collect(member, into);
    }
}

import type { JsonObject } from "../json.ts";
import { holdsUnknown, shown, UNKNOWN } from "../unknown.ts";
import type { FrozenBase } from "./base.ts";
import type { RowChange } from "./journal.ts";
import { WorldState } from "./state.ts";
import { DOUBTS } from "./unknown-rows.ts";

/**
 * A state as checks and people see it: what is known of the real one, and where that has become unknown what was known
 * last. Made when something first becomes unknown; until then it is the state itself.
 */
export class KnownState {
  private readonly base: FrozenBase;
  private copy: WorldState | undefined;

  constructor(base: FrozenBase) {
    this.base = base;
  }

  /** Follows changes just made to the state; what of them is a change of what is known. */
  follow(state: WorldState, changes: readonly RowChange[]): readonly RowChange[] {
    if (changes.length === 0 || !state.doubtful) return changes;
    if (this.copy === undefined) {
      // While no change had to do with what is unknown, what is told is what is there.
      if (!changes.some(({ table, before, after }) => table === DOUBTS || holdsUnknown(before) || holdsUnknown(after)))
        return changes;
      this.copy = new WorldState(this.base);
      const last = new Map(changes.map((change) => [`${change.table}\u0000${change.key}`, change.before]));
      for (const { table, key, before, after } of state.diff()) {
        const id = `${table}\u0000${key}`;
        this.put({ table, key, ...entry("after", last.has(id) ? last.get(id) : after) }, before);
      }
    }
    this.copy.begin();
    for (const change of changes) this.put(change);
    return this.copy.commit();
  }

  /** Takes back what `follow` said was changed. */
  revert(changes: readonly RowChange[]): void {
    this.copy?.revert(changes);
  }

  reset(): void {
    this.copy = undefined;
  }

  /** Net changes against the base. */
  diff(state: WorldState): RowChange[] {
    return (this.copy ?? state).diff();
  }

  private put({ table, key, after }: RowChange, before?: JsonObject): void {
    const copy = this.copy as WorldState;
    if (table === DOUBTS || after === UNKNOWN) return;
    if (after === undefined) copy.delete(table, key);
    else copy.put(table, key, shown(after, copy.get(table, key) ?? before) as JsonObject);
  }
}

const entry = (name: "after", row: JsonObject | undefined): { after?: JsonObject } => (row ? { [name]: row } : {});

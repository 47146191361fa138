import type { OrgStore } from "../../chapters/ports/store.ts";
import { Door, type DoorTally } from "../../chapters/records/sandboxes/doors.ts";

type Change = (tally: DoorTally) => DoorTally;

/** What of a door waits to be written, and the write that will hold it. */
interface Waiting {
  readonly changes: Change[];
  readonly written: Promise<void>;
}

/** Counts calls of doors. A count is written before its answer is sent; counts that wait for a write share the next one. */
export class DoorTallies {
  readonly #writing = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, Waiting>();

  /** Resolves when the change is in the door's record. */
  count(store: OrgStore, door: string, change: Change): Promise<void> {
    const waiting = this.#waiting.get(door);
    if (waiting) {
      waiting.changes.push(change);
      return waiting.written;
    }
    const changes = [change];
    const before = this.#writing.get(door) ?? Promise.resolve();
    const written: Promise<void> = before.catch(() => {}).then(() => this.#write(store, door, changes, written));
    this.#waiting.set(door, { changes, written });
    return written;
  }

  async #write(store: OrgStore, door: string, changes: readonly Change[], written: Promise<void>): Promise<void> {
    this.#waiting.delete(door);
    this.#writing.set(door, written);
    try {
      await store.records.update(Door, door, (row) => ({
        ...row,
        tally: changes.reduce((tally, change) => change(tally), row.tally),
      }));
    } finally {
      if (this.#writing.get(door) === written) this.#writing.delete(door);
    }
  }
}

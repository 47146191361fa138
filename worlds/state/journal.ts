import type { Json, JsonObject } from "../json.ts";

/** One row's change: `before` absent for an insert, `after` absent for a delete. */
export interface RowChange {
  readonly table: string;
  readonly key: string;
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/**
 * One call that a world answered. Base plus the changes of all entries in order is the state, on any machine;
 * entries of calls that changed nothing are kept too, since they are what an agent did.
 */
export interface JournalEntry {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly answer: Json;
  readonly answer_class: string;
  readonly is_error: boolean;
  readonly changes: readonly RowChange[];
  /** Unix seconds of the machine that served it; never of the world's own clock. */
  readonly at: number;
  /** How many generated keys were drawn by then, so that a rebuilt world draws on from the same place. */
  readonly drawn: number;
  /** The layer that answered and how likely it is right (0..1), where the bundle has estimates. */
  readonly layer?: string;
  readonly confidence?: number;
  /** No behaviour knows what the call did. */
  readonly lost?: true;
}

/** A place in a stored journal: how many entries there are, and a digest over all of them; 0 and empty where there is none. */
export interface JournalPosition {
  readonly seq: number;
  readonly chain: string;
}

/** What a stored journal holds beyond what a world has seen. */
export interface JournalTail {
  /** How many entries of those that were seen still stand: all of them, or none where the journal was begun anew. */
  readonly from: number;
  /** The entries after those. */
  readonly entries: readonly JournalEntry[];
  readonly place: JournalPosition;
}

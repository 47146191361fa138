/** A world's journal as the store keeps it. */
export type { JournalEntry, JournalPosition, JournalTail } from "../../../worlds/state/journal.ts";

/** A world's journal as the store keeps it. */
export type { JournalEntry, JournalPlace, JournalTail } from "../../../worlds/state/journal.ts";

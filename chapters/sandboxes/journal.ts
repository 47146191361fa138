/** A world's journal as the store keeps it. */
export type { JournalEntry } from "../../worlds/state/journal.ts";

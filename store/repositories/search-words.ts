import type { SearchQuery } from "../../chapters/ports/store.ts";

/** Words that must all be there, as FTS5 takes them. They hold no quote. */
export function matchText(evidence: string, asked: SearchQuery["words"]): string {
  const words = [{ word: ofRecord(evidence), prefix: false }, ...asked];
  return words.map(({ word, prefix }) => `"${word}"${prefix ? "*" : ""}`).join(" AND ");
}

/** A text search of PostgreSQL tells words apart within a mebibyte alone: of more it finds none. */
const MOST_BYTES = 1_000_000;

/** Words as one text: as many of the first ones as are found again. */
export function joined(words: readonly string[]): string {
  let bytes = 0;
  const last = words.findIndex((word) => {
    bytes += Buffer.byteLength(word) + 1;
    return bytes > MOST_BYTES;
  });
  return (last < 0 ? words : words.slice(0, last)).join(" ");
}

/** The word that only entries of this record have: the full-text index is one for all records. */
export function ofRecord(evidence: string): string {
  return `in=${evidence.replace(/[^A-Za-z0-9_]/g, "_").toLowerCase()}`;
}

/** Texts of so many words are prose: people word them as they like. */
const PROSE_WORDS = 3;

/** Whether a value is a text of several words. */
export function isProse(value: unknown): value is string {
  return typeof value === "string" && value.trim().split(/\s+/).length >= PROSE_WORDS;
}

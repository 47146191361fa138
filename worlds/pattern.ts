/** A text as a regular expression that matches it as it stands, whatever signs it holds. */
export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Where confidence turns into words: whole numbers 0 to 100, `low` below `high`. */
export interface ConfidenceBands {
  readonly low: number;
  readonly high: number;
}

/** The bands of an org that set none. */
export const DEFAULT_BANDS: ConfidenceBands = { low: 20, high: 90 };

/** What a confidence is called. */
export type ConfidenceWords = "no difference shown" | "leaning" | "shown";

/** Confidence of a difference, 0 to 100, from the two-sided p-value of its test. */
export function confidenceOf(p: number): number {
  return Math.min(100, Math.max(0, 100 * (1 - p)));
}

/** Confidence in words: below `low` no difference shown, at or above `high` shown, between them leaning. */
export function confidenceWords(confidence: number, bands: ConfidenceBands): ConfidenceWords {
  if (confidence >= bands.high) return "shown";
  return confidence < bands.low ? "no difference shown" : "leaning";
}

/** A confidence as a sentence says it, rounded down so that it reaches no band that it did not; empty where nothing is decided. */
export function confidenceClause(confidence: number): string {
  return confidence < 1 ? "" : `confidence ${Math.floor(confidence)}`;
}

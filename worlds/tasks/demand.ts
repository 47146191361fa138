/** How much of what people ask for is of a use case, relative to the others. */
export interface Demand {
  readonly useCase: string;
  /** Above 0. */
  readonly weight: number;
}

/** No use case that is asked for at all counts for less than this of the mean, and one that nobody lists for this. */
const LEAST = 0.05;
const UNLISTED = 0.25;

/**
 * How much a task's use case is asked for: 1 is the mean of those that are listed; one that nobody lists is asked for less.
 * A use case is listed under the name all of whose words it has; of several such names under the longest.
 */
export function demandOf(listed: readonly Demand[]): (useCase: string | undefined) => number {
  const mean = listed.reduce((sum, { weight }) => sum + weight, 0) / listed.length;
  const names = listed
    .map(({ useCase, weight }) => ({ words: wordsOf(useCase), share: Math.max(LEAST, weight / mean) }))
    .filter(({ words }) => words.length > 0)
    .sort((a, b) => b.words.length - a.words.length);
  return (useCase) => {
    const words = new Set(wordsOf(useCase ?? ""));
    return names.find((name) => name.words.every((word) => words.has(word)))?.share ?? UNLISTED;
  };
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
  return words.map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));
}

/** A part of a text. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** Parts in the order in which they stand. */
export const byStart = (a: Part, b: Part): number => a.start - b.start;

/** Of parts in order, those that start from `from` to `to`, both included; O(log n + found). */
export function between<T extends Part>(parts: readonly T[], from: number, to: number): T[] {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle] as T).start < from) low = middle + 1;
    else high = middle;
  }
  const found: T[] = [];
  for (let part = parts[low]; part !== undefined && part.start <= to; part = parts[++low]) found.push(part);
  return found;
}

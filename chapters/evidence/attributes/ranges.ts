/** Whole numbers as ranges with both ends, in order, none touching the next. */
export type Ranges = readonly (readonly [from: number, to: number])[];

/** Whether a number is in one of the ranges. */
export function covers(ranges: Ranges, n: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [from, to] = ranges[middle]!;
    if (n < from) high = middle - 1;
    else if (n > to) low = middle + 1;
    else return true;
  }
  return false;
}

/** The ranges with more numbers in them. */
export function withPositions(ranges: Ranges, numbers: readonly number[]): [number, number][] {
  const all = [
    ...ranges.map(([from, to]): [number, number] => [from, to]),
    ...numbers.map((n): [number, number] => [n, n]),
  ];
  all.sort(([a], [b]) => a - b);
  const joined: [number, number][] = [];
  for (const [from, to] of all) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** The ranges without these numbers. */
export function withoutPositions(ranges: Ranges, numbers: readonly number[]): [number, number][] {
  const gone = [...new Set(numbers)].sort((a, b) => a - b);
  return ranges.flatMap(([from, to]) => {
    const left: [number, number][] = [];
    let begin = from;
    for (const n of gone) {
      if (n < begin || n > to) continue;
      if (n > begin) left.push([begin, n - 1]);
      begin = n + 1;
    }
    if (begin <= to) left.push([begin, to]);
    return left;
  });
}

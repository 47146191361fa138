/**
 * A covering array of strength two: vectors of one value an axis, in which every two values of two axes stand together
 * at least once. Greedy, so near the smallest; the same levels give the same vectors. None for fewer than two axes.
 */
export function pairwise(levels: readonly (readonly string[])[]): string[][] {
  if (levels.length < 2 || levels.some((values) => values.length === 0)) return [];
  const open = new Set<string>();
  for (let i = 0; i < levels.length; i++)
    for (let j = i + 1; j < levels.length; j++)
      for (let a = 0; a < levels[i]!.length; a++)
        for (let b = 0; b < levels[j]!.length; b++) open.add(pair(i, a, j, b));
  const vectors: number[][] = [];
  while (open.size > 0) {
    const [first] = open;
    const vector = begun(levels.length, first!);
    for (let axis = 0; axis < levels.length; axis++)
      if (vector[axis] === undefined) vector[axis] = best(axis, vector, levels, open);
    const whole = vector as number[];
    forEachPair(whole, (name) => open.delete(name));
    vectors.push(whole);
  }
  return vectors.map((vector) => vector.map((value, axis) => levels[axis]![value]!));
}

function pair(i: number, a: number, j: number, b: number): string {
  return i < j ? `${i} ${a} ${j} ${b}` : `${j} ${b} ${i} ${a}`;
}

function begun(axes: number, open: string): (number | undefined)[] {
  const [i, a, j, b] = open.split(" ").map(Number);
  const vector = new Array<number | undefined>(axes).fill(undefined);
  vector[i!] = a!;
  vector[j!] = b!;
  return vector;
}

/** The value that meets the most values it has not met yet. */
function best(
  axis: number,
  vector: readonly (number | undefined)[],
  levels: readonly (readonly string[])[],
  open: ReadonlySet<string>,
): number {
  let chosen = 0;
  let most = -1;
  for (let value = 0; value < levels[axis]!.length; value++) {
    const meets = vector.filter((other, i) => other !== undefined && open.has(pair(axis, value, i, other))).length;
    if (meets > most) [chosen, most] = [value, meets];
  }
  return chosen;
}

function forEachPair(vector: readonly number[], each: (name: string) => void): void {
  for (let i = 0; i < vector.length; i++)
    for (let j = i + 1; j < vector.length; j++) each(pair(i, vector[i]!, j, vector[j]!));
}

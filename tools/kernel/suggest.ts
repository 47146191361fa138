/** How many edits a name may be away from what was typed, as a share of its length. */
const FAR = 0.4;

/** The names nearest to what was typed, at most three and the nearest first; empty when none is near. */
export function suggest(typed: string, names: Iterable<string>): string[] {
  const near = [...names]
    .map((name) => ({ name, far: distance(typed, name) }))
    .filter(({ name, far }) => far <= Math.max(typed.length, name.length) * FAR || startsAlike(typed, name))
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name));
  return near.slice(0, 3).map(({ name }) => name);
}

/** " Did you mean a, b or c?", or nothing. */
export function didYouMean(typed: string, names: Iterable<string>): string {
  const near = suggest(typed, names);
  if (near.length === 0) return "";
  const last = near.at(-1);
  return ` Did you mean ${near.length === 1 ? last : `${near.slice(0, -1).join(", ")} or ${last}`}?`;
}

function startsAlike(typed: string, name: string): boolean {
  return typed.length >= 4 && name.startsWith(typed);
}

/** Edits from one word to the other: a letter added, left out, changed, or two neighbours swapped. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
          ? (before[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed, swapped);
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}

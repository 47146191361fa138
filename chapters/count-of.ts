/** A number with what it counts, in the plural where it is not one: `1 trace`, `2 traces`. */
export function countOf(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

/** A number with what it counts, in the plural where it is not one: `1 trace`, `2 traces`; `many` where an s is not enough. */
export function countOf(n: number, what: string, many = `${what}s`): string {
  return `${n} ${n === 1 ? what : many}`;
}

/** Names said one by one. */
const NAMED = 3;

/** The first names, and how many more there are. */
export function named(names: readonly string[]): string {
  const more = names.length - NAMED;
  return `${names.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

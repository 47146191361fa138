import type { Cell } from "./page-doc.ts";

/** The first rows of a table, and how many there are in all: `rows` and `of` of a table section. */
export function listed<T>(
  items: readonly T[],
  cells: (item: T) => Cell[],
  most = 200,
): { readonly rows: Cell[][]; readonly of: number } {
  return { rows: items.slice(0, most).map(cells), of: items.length };
}

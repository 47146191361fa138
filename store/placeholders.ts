import type { SQL, SQLWrapper } from "drizzle-orm";
import { sql } from "./drizzle.ts";
import { value } from "./statement.ts";

/** The places of a list of values in a statement: `<name>0`, `<name>1`, …. */
export function placeholders<T = string>(name: string, size: number): T[] {
  return Array.from({ length: size }, (_, i) => value<T>(`${name}${i}`));
}

/**
 * Names a list's values `<name>0`, `<name>1`, …, padded to a power of two with its last one, so that few statements serve
 * all lengths; answers how many places there are. The list is not empty.
 */
export function fill(
  values: Record<string, string | number>,
  name: string,
  list: readonly (string | number)[],
): number {
  const size = 2 ** Math.ceil(Math.log2(list.length));
  for (let i = 0; i < size; i++) values[`${name}${i}`] = list[Math.min(i, list.length - 1)] ?? "";
  return size;
}

/**
 * That a row is at one of `size` positions of the record, `position0`, `position1`, …. Each is named with its whole key: where a
 * planner takes records for small, as it does for one that is unlike most, it reads all of a record for a list of positions.
 */
export function atPositions(
  { org, evidence, position }: Readonly<Record<"org" | "evidence" | "position", SQLWrapper>>,
  size: number,
): SQL {
  const keys = Array.from(
    { length: size },
    (_, i) =>
      sql`(cast(${value("org")} as text), cast(${value("evidence")} as text), cast(${value(`position${i}`)} as bigint))`,
  );
  return sql`(${org}, ${evidence}, ${position}) in (values ${sql.join(keys, sql`, `)})`;
}

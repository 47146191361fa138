import { badField } from "../chapters/errors.ts";
import { DEFAULT_PAGE, type Page, type PageInput } from "../chapters/page.ts";

type Part = string | number;

/** Most rows that one page may have. */
const MOST = 500;

/** How many rows to answer: 50 when unset. Throws `bad_request` outside 1 to 500. */
export function pageLimit(page: PageInput | undefined): number {
  const limit = page?.limit ?? DEFAULT_PAGE;
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw badField("limit", `is a whole number from 1 to ${MOST}`);
  return limit;
}

/**
 * The key of the last row of the page before, or undefined on the first page. Throws `bad_request` for anything
 * that `pageOf` did not write for the same list. `shape` is one letter per part: s for text, n for a number.
 */
export function cursorKey(list: string, shape: string, page: PageInput | undefined): readonly Part[] | undefined {
  const cursor = page?.cursor;
  if (cursor === undefined) return undefined;
  const parts = parse(cursor);
  if (!Array.isArray(parts) || parts.length !== shape.length + 1 || parts[0] !== list) throw badCursor();
  const key = parts.slice(1);
  for (const [i, part] of key.entries()) {
    const fits = shape[i] === "n" ? Number.isFinite(part) : typeof part === "string";
    if (!fits) throw badCursor();
  }
  return key as Part[];
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    throw badCursor();
  }
}

function badCursor() {
  return badField("cursor", "is not a cursor of this list");
}

/** A page out of one row more than asked for, if there were as many; the cursor is the key of the last row answered. */
export function pageOf<Row, T>(
  list: string,
  rows: readonly Row[],
  limit: number,
  key: (row: Row) => readonly Part[],
  item: (row: Row) => T,
): Page<T> {
  const items = rows.slice(0, limit).map(item);
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { items };
  return { items, next: Buffer.from(JSON.stringify([list, ...key(last)])).toString("base64url") };
}

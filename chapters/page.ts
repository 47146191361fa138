import { z } from "zod";
import { badField } from "./errors.ts";

/** A page of a list. `next` is the cursor of the page after it, absent on the last. */
export interface Page<T> {
  readonly items: T[];
  readonly next?: string;
}

/** What every list takes: how many rows (1 to 500, default 50) and where to go on. */
export const pageInput = {
  limit: z.number().int().min(1).max(500).optional().describe("How many rows at most, 1 to 500; 50 when absent."),
  cursor: z.string().max(500).optional().describe("`next` of the page before."),
};

/** `pageInput` as a handler gets it: 50 rows from the start when absent. */
export interface PageInput {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Every row of a list, read page by page as it is asked for. */
export async function* everyRow<T>(list: (page: PageInput) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await list({ limit: 500, cursor });
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

/** The same as a list, where all of them are needed at once. */
export async function allRows<T>(list: (page: PageInput) => Promise<Page<T>>): Promise<T[]> {
  const rows: T[] = [];
  for await (const row of everyRow(list)) rows.push(row);
  return rows;
}

/** A page of the rows that `keep` takes, as full as there are such rows: what is passed over takes no place. */
export async function pageOf<T>(
  list: (page: PageInput) => Promise<Page<T>>,
  input: PageInput,
  keep: (row: T) => boolean,
): Promise<Page<T>> {
  const wanted = input.limit ?? DEFAULT_PAGE;
  const items: T[] = [];
  let { cursor } = input;
  do {
    // Never more than there is room for: the cursor of a page is that of its last row.
    const page = await list({ limit: wanted - items.length, cursor });
    items.push(...page.items.filter(keep));
    cursor = page.next;
  } while (cursor !== undefined && items.length < wanted);
  return { items, ...(cursor === undefined ? {} : { next: cursor }) };
}

/** A page of rows that are at hand whole, in their order; its cursor is how many were passed. */
export function sliceOf<T>(rows: readonly T[], input: PageInput): Page<T> {
  const from = input.cursor === undefined ? 0 : Number(input.cursor);
  if (!Number.isInteger(from) || from < 0) throw badField("cursor", "take it from `next` of the page before");
  const to = from + (input.limit ?? DEFAULT_PAGE);
  return { items: rows.slice(from, to), ...(to < rows.length ? { next: String(to) } : {}) };
}

/** Rows of a page when nobody says. */
export const DEFAULT_PAGE = 50;

import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { type CsvCell, csvLine } from "../../../chapters/text/csv.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { Visit } from "../visit.ts";
import { pages, sameList } from "./query.ts";

/** Rows that one file holds at most. */
const MOST_ROWS = 5_000;

/** Some rows of a list, and the cursor of those after them. */
interface CsvRows {
  readonly rows: readonly (readonly CsvCell[])[];
  readonly next: string | undefined;
}

/**
 * A list as a CSV file at `<path>/file`, narrowed and in order by the query string of its page. `read` answers the rows from a
 * cursor on; they are asked for until the list ends or the file is full.
 */
export function csvFile(
  path: string,
  name: string,
  columns: readonly string[],
  read: (visit: Visit, cursor: string | undefined) => Promise<CsvRows>,
): ConsoleRoute {
  return shows(`${path}/file`, async (visit) => {
    const lines: string[] = [];
    let cursor: string | undefined;
    do {
      visit.ctx.signal.throwIfAborted();
      const { rows, next } = await read(visit, cursor);
      lines.push(...rows.map(csvLine));
      cursor = next;
    } while (cursor !== undefined && lines.length < MOST_ROWS);
    const content = [csvLine(columns), ...lines.slice(0, MOST_ROWS)].join("");
    return { file: { name: `${name}.csv`, type: "text/csv; charset=utf-8", content } };
  });
}

/** The way to the file of a list, with its filters kept. */
export function csvLink(path: string, visit: Pick<Visit, "query">, more: boolean): ComponentChild {
  return html`<a href=${sameList(`${path}/file`, visit, {})} download>Download as CSV</a>${more && ` (the first ${MOST_ROWS.toLocaleString("en")} rows at most)`}`;
}

/** Below a list: the ways to its other pages and to its file. */
export function listEnd(path: string, visit: Pick<Visit, "query">, next: string | undefined): ComponentChild {
  return [pages(path, visit, next), html`<p>${csvLink(path, visit, next !== undefined)}</p>`];
}

/** A time in unix seconds as programs read it: ISO 8601, UTC. */
export function isoTime(seconds: number | null | undefined): string | undefined {
  return seconds === null || seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
}

import { parse } from "csv-parse/sync";
import { tooLarge } from "../../../errors.ts";

/** Columns a table may have, as many as a sheet of the usual spreadsheet: each costs every row a look-up. */
export const MOST_COLUMNS = 16_384;

/** Whether the first line holds more fields than a table has columns; a separator within quotes counts too. */
export function tooWide(text: string): boolean {
  const [line = ""] = text.split(/[\r\n]/, 1);
  return [",", ";", "\t"].some((mark) => line.split(mark, MOST_COLUMNS + 1).length > MOST_COLUMNS);
}

/**
 * Rows of RFC 4180 comma-separated values, at most `most`. The separator is a comma, semicolon or tab, whichever the first
 * line has most. A quote that does not stand for a whole field is part of its text; `open` is told of one that never
 * ends. Throws AppError `too_large` for a table that is too wide.
 */
export function parseCsv(text: string, open: () => void = () => {}, most?: number): string[][] {
  if (tooWide(text)) throw tooLarge(`A table may have ${MOST_COLUMNS} columns at most.`);
  return parse(text, {
    bom: true,
    delimiter: separatorOf(text),
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    // An open quote is all that is left to go wrong, and the rows before it stand.
    skip_records_with_error: true,
    on_skip: () => void open(),
    ...(most === undefined ? {} : { to: most }),
  });
}

function separatorOf(text: string): string {
  const [line = ""] = text.split(/[\r\n]/, 1);
  const count = (mark: string) => line.split(mark).length;
  return [",", ";", "\t"].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

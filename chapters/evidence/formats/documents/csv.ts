import { parse } from "csv-parse/sync";

/**
 * Rows of RFC 4180 comma-separated values, at most `most`. The separator is a comma, semicolon or tab, whichever the first
 * line has most. A quote that does not stand for a whole field is part of its text; `open` is told of one that never ends.
 */
export function parseCsv(text: string, open: () => void = () => {}, most?: number): string[][] {
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

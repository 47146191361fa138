/** Rows of RFC 4180 comma-separated values: quoted fields may hold separators, quotes (doubled) and line ends. The separator is a comma, semicolon or tab, whichever the first line has most. */
export function parseCsv(text: string): string[][] {
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  const separator = separatorOf(body);
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < body.length) {
    let field: string;
    if (body[at] === '"') {
      const end = closingQuote(body, at + 1);
      field = body.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else {
      const end = fieldEnd(body, at, separator);
      field = body.slice(at, end);
      at = end;
    }
    row.push(field);
    if (body[at] === separator) {
      at++;
      if (at >= body.length) row.push("");
      else continue;
    }
    if (body[at] === "\r") at++;
    if (body[at] === "\n") at++;
    rows.push(row);
    row = [];
  }
  return rows.filter((each) => each.length > 1 || each[0] !== "");
}

function separatorOf(text: string): string {
  const line = text.slice(0, text.search(/[\r\n]|$/));
  const count = (mark: string) => line.split(mark).length;
  return [",", ";", "\t"].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at === -1 ? text.length : at;
}

function fieldEnd(text: string, from: number, separator: string): number {
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === separator || char === "\n" || char === "\r") return at;
  }
  return text.length;
}

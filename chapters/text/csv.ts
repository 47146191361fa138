/** What a cell of a CSV file holds; nothing where it is absent. */
export type CsvCell = string | number | null | undefined;

/** A line of CSV: texts quoted, numbers plain; a text that a spreadsheet would compute as a formula begins with an apostrophe. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellOf).join(",")}\n`;
}

function cellOf(cell: CsvCell): string {
  if (cell === undefined || cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = /^\s*[=+\-@]/.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}

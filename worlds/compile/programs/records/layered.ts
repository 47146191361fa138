import type { Row } from "../expressions/expr.ts";

type Rows = ReadonlyMap<string, Row>;

/** Rows of a table under a few that are changed, new or gone: a change costs what was changed, however large the table is. */
export class Layered implements Rows {
  private readonly under: Rows;
  private readonly over: ReadonlyMap<string, Row | undefined>;
  /** Keys of rows that went and came again: they stand among the new ones. */
  private readonly again: ReadonlySet<string>;
  readonly size: number;

  private constructor(under: Rows, over: ReadonlyMap<string, Row | undefined>, again: ReadonlySet<string>) {
    this.under = under;
    this.over = over;
    this.again = again;
    let size = under.size;
    for (const [key, row] of over) size += Number(row !== undefined) - Number(under.has(key));
    this.size = size;
  }

  /** The rows with one set, or taken away where it is undefined. A new one stands last. */
  static with(rows: Rows, key: string, row: Row | undefined): Rows {
    const layered = rows instanceof Layered;
    const under = layered ? rows.under : rows;
    const over = new Map<string, Row | undefined>(layered ? rows.over : []);
    const back = row !== undefined && over.has(key) && over.get(key) === undefined;
    const again = layered ? rows.again : new Set<string>();
    if (back) over.delete(key);
    if (row === undefined && !under.has(key)) over.delete(key);
    else over.set(key, row);
    return new Layered(under, over, back ? new Set([...again, key]) : again);
  }

  get(key: string): Row | undefined {
    return this.over.has(key) ? this.over.get(key) : this.under.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[string, Row]> {
    for (const [key, held] of this.under) {
      if (this.again.has(key)) continue;
      const row = this.over.has(key) ? this.over.get(key) : held;
      if (row !== undefined) yield [key, row];
    }
    for (const [key, row] of this.over)
      if (row !== undefined && (!this.under.has(key) || this.again.has(key))) yield [key, row];
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<Row> {
    for (const [, row] of this.entries()) yield row;
  }

  [Symbol.iterator](): MapIterator<[string, Row]> {
    return this.entries();
  }

  forEach(each: (row: Row, key: string, rows: Rows) => void): void {
    for (const [key, row] of this.entries()) each(row, key, this);
  }
}

import type { Footprint } from "../bundle.ts";
import { WITHIN } from "../footprint.ts";
import { byText } from "./values.ts";

/** Rows by how a call names them: by its arguments, by a row that those name, or not at all. */
export const KINDS = ["named", "near", "others"] as const;
export type Kind = (typeof KINDS)[number];
export type TableFootprint = Footprint["tables"][string];

/** Readings of one column that show that calls leave it as it is; of rows of a kind, where no reading of the column tells. */
const LEFT_ALONE = 2;
const POOLED = 5;
/** The share of readings that may have changed where rows of a kind are taken to be left alone for the most part. */
const MOVES = 0.05;

/** Readings of a table's rows after any write at all that show that the system never changes it. */
const STATIC = 5;

/** Readings that were alike, and those that were not; of these, those that no other tool can have changed, and where they differed. */
interface Count {
  same: number;
  changed: number;
  alone: number;
  readonly parts: Set<string>;
  /** Those that other tools may have changed as well, once for all of the same tools: any of them may be known to. */
  readonly among: Map<string, readonly { readonly kind: Kind; readonly seen: Seen }[]>;
}

/** What readings before and after a tool's calls show; `service`: of all tools, the estimate where one tool's show too little. */
export class Seen {
  private readonly service: Seen | undefined;
  /** By table, kind and column: readings that were alike, and those that were not, of these those that no other tool can have changed. */
  private readonly columns = new Map<string, Count>();
  /** The same of all tables and columns by kind. */
  private readonly pooled = new Map<Kind, Count>();
  private readonly made = new Map<string, { known: number; made: number }>();
  private readonly gone = new Set<string>();
  /** Tables of which a call was last to name a row that was not there afterwards. */
  private readonly taken = new Set<string>();
  /** Its calls name rows by their keys. What others leave alone beside such rows tells nothing of calls that name none. */
  namesRows = false;
  private anyMade = false;
  private anyKnown = 0;
  private readonly tables = new Map<string, { same: number; changed: number }>();

  constructor(service?: Seen) {
    this.service = service;
  }

  /** `parts` are those in which the readings differ, `others` what is seen of the other tools that may have made them differ. */
  column(
    table: string,
    kind: Kind,
    column: string,
    parts: readonly string[],
    alone: boolean,
    others: ReadonlyMap<string, { readonly kind: Kind; readonly seen: Seen }> = new Map(),
  ): void {
    this.service?.column(table, kind, column, parts, alone);
    const changed = parts.length > 0;
    const total = this.tables.get(table) ?? { same: 0, changed: 0 };
    if (changed) total.changed++;
    else total.same++;
    this.tables.set(table, total);
    for (const [map, name] of [
      [this.columns, `${table}\n${kind}\n${column}`],
      [this.pooled as typeof this.columns, kind],
    ] as const) {
      const count = map.get(name) ?? { same: 0, changed: 0, alone: 0, parts: new Set(), among: new Map() };
      for (const part of parts) count.parts.add(part);
      if (changed) count.changed++;
      else count.same++;
      if (changed && alone) count.alone++;
      if (changed && map === this.columns)
        count.among.set([...others.keys()].sort(byText).join(), [...others.values()]);
      map.set(name, count);
    }
  }

  row(table: string, made: boolean): void {
    this.service?.row(table, made);
    const count = this.made.get(table) ?? { known: 0, made: 0 };
    if (made) count.made++;
    else count.known++;
    this.made.set(table, count);
    if (made) this.anyMade = true;
    else this.anyKnown++;
  }

  /** A row was gone after a call, which named it or not. */
  lost(table: string, named: boolean): void {
    this.service?.lost(table, named);
    this.gone.add(table);
    if (named) this.taken.add(table);
  }

  /** What calls may change of a table with these columns. */
  footprintOf(table: string, columns: readonly string[]): TableFootprint {
    const out: { -readonly [K in keyof TableFootprint]: TableFootprint[K] } = {};
    for (const kind of KINDS) {
      const open = columns.filter((column) => !this.isConstant(table, kind, column));
      if (open.length > 0) out[kind] = this.within(table, kind, open);
    }
    if (this.gone.has(table)) out.named = "*";
    const rows = this.made.get(table);
    const bounded = rows ? rows.made === 0 && rows.known >= LEFT_ALONE : !this.anyMade && this.anyKnown >= POOLED;
    if (!bounded && !(rows === undefined && this.service?.isStatic(table))) out.made = true;
    return out;
  }

  /** What readings show that calls change of a table. */
  changed(table: string, columns: readonly string[]): TableFootprint {
    const out: { -readonly [K in keyof TableFootprint]: TableFootprint[K] } = {};
    for (const kind of KINDS) {
      const moved = columns.filter((column) => {
        const own = this.columns.get(`${table}\n${kind}\n${column}`);
        return own !== undefined && own.changed > 0 && !this.leaves(table, column, own);
      });
      if (moved.length > 0) out[kind] = this.within(table, kind, moved);
    }
    if (this.gone.has(table)) out.named = "*";
    if ((this.made.get(table)?.made ?? 0) > 0) out.made = true;
    return out;
  }

  /** Whether enough was read around calls to tell what they change. */
  get told(): boolean {
    return [...this.pooled.values()].reduce((sum, { same, changed }) => sum + same + changed, 0) >= POOLED;
  }

  /**
   * What becomes unknown under a call that is answered: columns that readings show changed and that its behaviour does
   * not set (`told`), and those of named rows that refusals look at where no reading tells and it sets nothing there;
   * named rows as a whole where such were gone and it does nothing at all (`idle`).
   */
  doubted(
    table: string,
    columns: readonly string[],
    told: ReadonlySet<string> | undefined,
    looked: ReadonlySet<string> | undefined,
    idle: boolean,
  ): TableFootprint {
    const out: { -readonly [K in keyof TableFootprint]: TableFootprint[K] } = {};
    for (const kind of KINDS) {
      const open = columns.filter(
        (column) =>
          !told?.has(column) &&
          ((this.columns.get(`${table}\n${kind}\n${column}`)?.alone ?? 0) > 0 ||
            (kind === "named" && told === undefined && looked?.has(column) && !this.isConstant(table, kind, column))),
      );
      if (open.length > 0) out[kind] = this.within(table, kind, open);
    }
    if (idle && this.taken.has(table)) out.named = "*";
    return out;
  }

  /** Columns, those with the parts in which alone readings differed as those parts. */
  private within(table: string, kind: Kind, columns: readonly string[]): string[] {
    return columns.flatMap((column) => {
      const parts = [...(this.columns.get(`${table}\n${kind}\n${column}`)?.parts ?? [""])].sort(byText);
      return parts.includes("") ? [column] : parts.map((part) => column + WITHIN + part);
    });
  }

  /** Whether no write is known to change or make rows of a table. */
  private isStatic(table: string): boolean {
    const { same, changed } = this.tables.get(table) ?? { same: 0, changed: 0 };
    return same >= STATIC && changed === 0 && (this.made.get(table)?.made ?? 0) === 0 && !this.gone.has(table);
  }

  /** Whether calls leave a column alone: nothing changed around them but what another tool beside them is known to change. */
  private leaves(table: string, column: string, { same, changed, alone, among }: Count): boolean {
    if (changed === 0) return true;
    const byOthers = [...among.values()].every((others) =>
      others.some(({ kind, seen }) => seen.changes(table, kind, column)),
    );
    return alone === 0 && same >= LEFT_ALONE && byOthers;
  }

  /** Whether no other tool can have made some readings differ. */
  private changes(table: string, kind: Kind, column: string): boolean {
    return (this.columns.get(`${table}\n${kind}\n${column}`)?.alone ?? 0) > 0;
  }

  private isConstant(table: string, kind: Kind, column: string): boolean {
    const own = this.columns.get(`${table}\n${kind}\n${column}`);
    if (own && (own.changed > 0 || own.same >= LEFT_ALONE)) return this.leaves(table, column, own);
    // A named row is what a call is about: that others of its kind stay tells little of it.
    if (kind === "named" || (kind === "near" && !this.namesRows)) return false;
    const all = this.pooled.get(kind);
    if (all && all.same >= POOLED) return all.changed <= all.same * MOVES;
    return this.service !== undefined && (this.service.isStatic(table) || this.service.isConstant(table, kind, column));
  }
}

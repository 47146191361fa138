import type { BaseState } from "../bundle.ts";
import type { Json, JsonObject } from "../json.ts";
import { KEY_SEPARATOR } from "../state/keys.ts";
import { type Leaf, leaves } from "../tasks/leaves.ts";
import { elements, readPath } from "../tasks/select.ts";
import type { Join, Scalars } from "./relations.ts";
import { findEchoes, findLoose } from "./together.ts";

/** A row that another one was evidently taken from. */
export interface Duplicate {
  readonly key: string;
  readonly detail: string;
}

/** A column's values tell rows apart where no more of them than this share recur in another row. */
const RECUR = 0.2;
const LEAST_VALUES = 4;
/** Rows of which a value is said to be few rows' own. */
const FEW = 2;
/** Share of what tells a row apart, beside values that few rows hold, that another row may have with it. */
const ALIKE = 2 / 3;

/** Bits by which a column has to tell a row apart to be looked up by. */
const LOOKED_UP = 2;
/** A row of which less is known cannot be told from others anyway. */
const LEAST_BITS = 3;

const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a value is of a kind that two rows do not have by chance: a moment, a code, several words, an amount of many digits. */
function canTell({ generic, value }: Leaf): boolean {
  if (typeof value === "number") return !generic.includes("[*]") && String(value).replace(/\D/g, "").length >= 4;
  if (typeof value !== "string" || DAY.test(value)) return false;
  if (MOMENT.test(value)) return true;
  return (/\d/.test(value) && value.length >= 4) || /\p{L}\s+\p{L}/u.test(value);
}

/** Parts of a list that stand together by chance no more: what one order is of. */
const SEVERAL = 2;

interface Table {
  /** Rows that hold a value, by `generic` and value; of what may repeat another row, whom they refer to. What does is left out. */
  readonly held: Map<string, Map<string | number, Set<string>>>;
  /** Rows that have a whole column so, by column and its JSON. */
  readonly whole: Map<string, Map<string, string[]>>;
  /** Of these, those whose texts other tables hold too, as column and JSON on two lines: whom and what a row is about. */
  readonly shared: ReadonlySet<string>;
  /** Rows that have the same parts, in any order, by list and parts. */
  readonly parts: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  readonly bits: Map<string, number>;
  /** Columns that hold each row's own key. */
  readonly own: ReadonlySet<string>;
  readonly n: number;
}

/** What a list is of, in any order; undefined of fewer parts than tell. */
function partsOf(row: JsonObject, list: string): string | undefined {
  const parts = elements(row[list] ?? null);
  return parts.length < SEVERAL ? undefined : JSON.stringify(parts.map((part) => JSON.stringify(part)).sort());
}

/** What tells the rows of a state apart: values that few rows hold, and what rows have together. Keys and references tell nothing. */
export class Telling {
  private readonly tables = new Map<string, Table>();
  private readonly joined: ReadonlySet<string>;
  private readonly repeats: ReadonlyMap<string, readonly Join[]>;
  private readonly base: BaseState;
  /** Values by the one table that holds them; null where several do. */
  private readonly homes = new Map<string | number, string | null>();
  private readonly telling = new Map<string, boolean>();
  private readonly texts = new Map<string, ReadonlySet<unknown> | undefined>();

  constructor(base: BaseState, joins: readonly Join[], scalars: Scalars) {
    this.base = base;
    this.repeats = findEchoes(base, joins);
    this.joined = new Set([...joins.map(({ table, generic }) => `${table}\n${generic}`), ...this.repeats.keys()]);
    const lives = (value: string | number, table: string) =>
      this.homes.set(value, this.homes.has(value) && this.homes.get(value) !== table ? null : table);
    for (const [table, rows] of scalars)
      for (const [key, all] of rows) {
        for (const part of key.split(KEY_SEPARATOR)) lives(part, table);
        // What a row repeats of the row that it refers to is that row's own.
        for (const { generic, value } of all)
          if ((typeof value === "string" || typeof value === "number") && this.ownerOf(table, key, generic, value))
            lives(value, table);
      }
    for (const [table, rows] of scalars) this.tables.set(table, this.read(table, rows));
    for (const [table, read] of this.tables) this.weigh(table, read);
  }

  private read(table: string, rows: ReadonlyMap<string, readonly Leaf[]>): Table {
    const held: Table["held"] = new Map();
    const whole: Table["whole"] = new Map();
    const shared = new Set<string>();
    const own = new Map<string, boolean>();
    for (const [key, all] of rows) {
      for (const { generic, value } of all) {
        own.set(generic, own.get(generic) !== false && String(value) === key);
        if (typeof value !== "string" && typeof value !== "number") continue;
        const owner = this.ownerOf(table, key, generic, value) ?? (this.isReference(table, generic) ? key : undefined);
        if (owner === undefined) continue;
        const values = held.get(generic) ?? new Map<string | number, Set<string>>();
        held.set(generic, values.set(value, (values.get(value) ?? new Set()).add(owner)));
      }
      for (const [column, value] of Object.entries(this.base.tables[table]?.[key] ?? {})) {
        if (String(value) === key) continue;
        const values = whole.get(column) ?? new Map<string, string[]>();
        const text = JSON.stringify(value);
        whole.set(column, values.set(text, [...(values.get(text) ?? []), key]));
        if (this.isShared(value)) shared.add(`${column}\n${text}`);
      }
    }
    const names = new Set([...own].flatMap(([generic, always]) => (always ? [generic] : [])));
    return { held, whole, shared, parts: this.partsIn(table), bits: new Map(), own: names, n: rows.size };
  }

  private partsIn(table: string): Table["parts"] {
    const rows = Object.entries(this.base.tables[table] ?? {}) as [string, JsonObject][];
    const found = new Map<string, Map<string, string[]>>();
    for (const list of findLoose(rows.map(([, row]) => row))) {
      const known = new Map<string, string[]>();
      for (const [key, row] of rows) {
        const text = partsOf(row, list);
        if (text !== undefined) known.set(text, [...(known.get(text) ?? []), key]);
      }
      found.set(list, known);
    }
    return found;
  }

  private isReference(table: string, generic: string): boolean {
    return this.joined.has(`${table}\n${generic}`) && !this.repeats.has(`${table}\n${generic}`);
  }

  /**
   * The row whose own a value of a row is: itself, or whom it refers to where the column mostly repeats that row and here
   * says another thing, such as the address of a friend. Undefined of a reference, and of what repeats.
   */
  private ownerOf(table: string, key: string, generic: string, value: string | number): string | undefined {
    if (this.isReference(table, generic)) return undefined;
    const column = /^[^.[]+/.exec(generic)?.[0] ?? generic;
    const joins = this.repeats.get(`${table}\n${column}`) ?? [];
    let owner = key;
    for (const { generic: path, to } of joins) {
      const [target] = readPath((this.base.tables[table]?.[key] ?? null) as Json, path);
      if (target === undefined || target === null) continue;
      const said = this.textsOf(to, String(target));
      // Nothing is known of a row that was never seen: what stands here may be its own.
      if (said === undefined || said.has(value)) return undefined;
      owner = String(target);
    }
    return owner;
  }

  private textsOf(table: string, key: string): ReadonlySet<unknown> | undefined {
    const name = `${table}\n${key}`;
    if (!this.texts.has(name)) {
      const row = this.base.tables[table]?.[key];
      this.texts.set(name, row === undefined ? undefined : new Set(leaves(row as Json, 500).map((leaf) => leaf.value)));
    }
    return this.texts.get(name);
  }

  private isShared(value: unknown): boolean {
    const texts = leaves([value as Json], 500).filter((leaf) => typeof leaf.value === "string");
    return texts.length > 0 && texts.every((leaf) => this.homes.get(leaf.value as string) === null);
  }

  /** Whether a column says of each row its own key. */
  namesItself(table: string, generic: string): boolean {
    return this.tables.get(table)?.own.has(generic) === true;
  }

  /** How much each row's columns tell of it. */
  private weigh(table: string, known: Table): void {
    for (const [column, values] of known.whole)
      for (const [text, keys] of values)
        for (const key of keys)
          known.bits.set(key, (known.bits.get(key) ?? 0) + this.informationOf(table, column, text));
  }

  /** What columns tell beside values of their own: whom a row belongs to, and what it repeats of that, says nothing. */
  private informationOf(table: string, column: string, text: string): number {
    const { whole, shared, n } = this.tables.get(table) as Table;
    if (this.joined.has(`${table}\n${column}`) || shared.has(`${column}\n${text}`) || this.column(table, column))
      return 0;
    return Math.log2(n / (whole.get(column)?.get(text)?.length ?? n));
  }

  /** Whether a value of a column is one that few rows hold, no reference and no repetition of the row referred to. */
  tells(table: string, leaf: Leaf): boolean {
    const { generic, value } = leaf;
    if ((typeof value !== "string" && typeof value !== "number") || !canTell(leaf)) return false;
    if (!this.column(table, generic) || this.homes.get(value) === null) return false;
    const rows = this.tables.get(table)?.held.get(generic)?.get(value)?.size ?? 0;
    return rows > 0 && rows <= FEW;
  }

  /** Whether a column's values hardly recur, and name no rows. */
  private column(table: string, generic: string): boolean {
    const name = `${table}\n${generic}`;
    let known = this.telling.get(name);
    if (known === undefined) {
      const held = this.tables.get(table)?.held.get(generic) ?? new Map<string | number, Set<string>>();
      const values = [...held].filter(([value]) => canTell({ path: generic, generic, name: generic, value }));
      const recurring = values.filter(([, keys]) => keys.size > 1).length;
      const named = values.filter(([value]) => Object.hasOwn(this.base.tables[table] ?? {}, String(value))).length;
      known =
        !this.joined.has(name) &&
        values.length >= LEAST_VALUES &&
        recurring <= RECUR * values.length &&
        named * 2 < values.length;
      this.telling.set(name, known);
    }
    return known;
  }

  /** The values of a row that stand in columns which tell rows apart, as one text each. */
  marks(table: string, row: JsonObject): string[] {
    const parts = [...(this.tables.get(table)?.parts.keys() ?? [])].flatMap((list) => {
      const text = partsOf(row, list);
      return text === undefined ? [] : [`${table}\n${list}\n${text}`];
    });
    const own = leaves(row, 500).flatMap((leaf) =>
      canTell(leaf) && this.column(table, leaf.generic) && this.homes.get(leaf.value as string) !== null
        ? [`${table}\n${leaf.generic}\n${leaf.value}`]
        : [],
    );
    return [...parts, ...own];
  }

  /** The row that has with this one a value that few rows hold, or most of what tells it apart. */
  duplicateOf(table: string, key: string, row: JsonObject): Duplicate | undefined {
    const known = this.tables.get(table);
    if (!known) return undefined;
    for (const leaf of leaves(row, 500)) {
      const named = String(leaf.value);
      if (named !== key && known.own.has(leaf.generic) && Object.hasOwn(this.base.tables[table] ?? {}, named))
        return { key: named, detail: `${leaf.generic} names an observed row` };
      if (named === key || !this.tells(table, leaf)) continue;
      const [other] = known.held.get(leaf.generic)?.get(leaf.value as string) ?? [];
      if (other !== undefined && other !== key)
        return { key: other, detail: `${leaf.generic} is that of an observed row` };
    }
    for (const [list, rows] of known.parts) {
      const same = rows.get(partsOf(row, list) ?? "") ?? [];
      const other = same.find((one) => one !== key);
      if (other !== undefined && same.length <= FEW)
        return { key: other, detail: `${list} has the parts of an observed row` };
    }
    return this.alike(known, table, key, row);
  }

  private alike({ whole, bits }: Table, table: string, key: string, row: JsonObject): Duplicate | undefined {
    const matched = new Map<string, number>();
    const columns = Object.entries(row).flatMap(([column, value]) => {
      const text = JSON.stringify(value as Json);
      const keys = whole.get(column)?.get(text) ?? [];
      return keys.length === 0 ? [] : [{ keys, worth: this.informationOf(table, column, text) }];
    });
    columns.sort((a, b) => b.worth - a.worth);
    for (const { keys, worth } of columns)
      for (const other of keys)
        if (other !== key && (worth >= LOOKED_UP || matched.has(other)))
          matched.set(other, (matched.get(other) ?? 0) + worth);
    for (const [other, sum] of matched) {
      const all = bits.get(other) ?? 0;
      if (all >= LEAST_BITS && sum > ALIKE * all)
        return { key: other, detail: "most of what tells an observed row apart is as in that one" };
    }
    return undefined;
  }
}

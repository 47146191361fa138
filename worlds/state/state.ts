import { canonicalJson, sha256 } from "../digest.ts";
import { WorldError } from "../errors.ts";
import { deepFreeze, equalJson, frozenCopy, type Json, type JsonObject } from "../json.ts";
import { blurred, holdsUnknown, STORED, UNKNOWN } from "../unknown.ts";
import type { FrozenBase, FrozenTable } from "./base.ts";
import { SecondaryIndex } from "./index-of-base.ts";
import type { RowChange } from "./journal.ts";
import { compareKeys } from "./keys.ts";
import { readPath } from "./paths.ts";
import { DOUBTS, doubted, masked, type TableUnknowns, tableUnknownsOf, underDoubt } from "./unknown-rows.ts";

type Overlay = Map<string, JsonObject | null>;

/** What a row was before this call touched it: the overlay's own entry, undefined where it had none. */
interface Undo {
  readonly table: string;
  readonly key: string;
  readonly entry: JsonObject | null | undefined;
  readonly row: JsonObject | undefined;
}

/**
 * A frozen base under an overlay of changed rows (null: deleted). Cells, rows and whole tables may be unknown: what is
 * unknown of a table is a row of an overlay of its own, so that it is journalled, undone and restored as rows are.
 * Every answer is a function of the content alone: two states with the same digest list, find and count alike,
 * however they came about.
 */
export class WorldState {
  readonly base: FrozenBase;
  private overlays: Map<string, Overlay> | undefined;
  private undo: Undo[] | undefined;
  private unsure = false;

  constructor(base: FrozenBase) {
    this.base = base;
  }

  /** The row, frozen; undefined when there is none, unknown where that is not known. */
  get(table: string, key: string): JsonObject | undefined {
    const entry = this.overlays?.get(table)?.get(key);
    if (entry !== undefined) return entry ?? undefined;
    const row = this.base.table(table).rows.get(key);
    const doubt = this.doubt(table);
    if (doubt === undefined) return row;
    if (row === undefined) return doubt.made ? UNKNOWN : undefined;
    return underDoubt(row, doubt);
  }

  /** Whether the row that was there at the start has been removed since. */
  removed(table: string, key: string): boolean {
    return this.overlays?.get(table)?.get(key) === null;
  }

  /** The row as it is stored, whatever is in doubt of its table. */
  stored(table: string, key: string): JsonObject | undefined {
    const entry = this.overlays?.get(table)?.get(key);
    return entry === undefined ? this.base.table(table).rows.get(key) : (entry ?? undefined);
  }

  private doubt(table: string): TableUnknowns | undefined {
    const row = this.overlays?.get(DOUBTS)?.get(table);
    return row ? tableUnknownsOf(row) : undefined;
  }

  /** Whether anything may be unknown: cheap, and true also for a state in which it has become known again. */
  get doubtful(): boolean {
    return this.unsure || this.base.doubtful;
  }

  /** Whether rows of a table may have been made or removed that nobody saw. */
  incomplete(table: string): boolean {
    if (!this.unsure) return false;
    if (this.doubt(table)?.made) return true;
    for (const row of this.overlays?.get(table)?.values() ?? []) if (row === UNKNOWN) return true;
    return false;
  }

  /** Makes columns of a row unknown; whole, that it is there too. Nothing is done to a row that is not there. */
  forget(table: string, key: string, columns?: Iterable<string>): void {
    const row = this.get(table, key);
    if (row === undefined || row === UNKNOWN) return;
    if (columns === undefined) this.set(table, key, UNKNOWN);
    else if (holdsUnknown(row) || [...columns].length > 0) this.set(table, key, masked(row, columns));
  }

  /** Makes unknown of a whole table: columns of every row, which rows there are besides, or all of it. */
  forgetTable(table: string, more: { columns?: readonly string[]; made?: true; all?: true }): void {
    const before = this.overlays?.get(DOUBTS)?.get(table) ?? undefined;
    const after = doubted(before, more);
    if (!equalJson(before, after)) this.set(DOUBTS, table, deepFreeze(after));
    for (const [key, row] of [...(this.overlays?.get(table) ?? [])])
      if (more.all || (row === null && more.made)) this.set(table, key, UNKNOWN);
      else if (row !== null && more.columns) this.forget(table, key, more.columns);
  }

  /** Writes a row, frozen from now on. Give only rows that share nothing with what a caller holds. */
  put(table: string, key: string, row: JsonObject): void {
    this.set(table, key, deepFreeze(row));
  }

  /** Removes a row; nothing happens when there is none. */
  delete(table: string, key: string): void {
    if (this.get(table, key) !== undefined) this.set(table, key, null);
  }

  private set(table: string, key: string, entry: JsonObject | null): void {
    this.overlays ??= new Map();
    let overlay = this.overlays.get(table);
    if (overlay === undefined) {
      overlay = new Map();
      this.overlays.set(table, overlay);
    }
    const { rows } = this.base.table(table);
    if (!this.unsure && entry !== null && (table === DOUBTS || holdsUnknown(entry))) this.unsure = true;
    if (this.undo) {
      const before = overlay.get(key);
      this.undo.push({ table, key, entry: before, row: before === undefined ? rows.get(key) : (before ?? undefined) });
    }
    if (entry === null && !rows.has(key)) overlay.delete(key);
    else overlay.set(key, entry);
  }

  /** Starts a call: what follows is kept by `commit` or undone by `rollback`. */
  begin(): void {
    this.undo = [];
  }

  /**
   * Keeps what changed since `begin` and says what that was: one net change a row, in table and key order. A row that
   * ends equal to what it was is put back as it was, so that the state is the one its journal gives again.
   */
  commit(): RowChange[] {
    const undo = this.undo;
    this.undo = undefined;
    if (undo === undefined || undo.length === 0) return [];
    const changes: RowChange[] = [];
    const [only] = undo;
    if (undo.length === 1 && only) {
      const after = this.stored(only.table, only.key);
      if (!equalJson(only.row, after)) return [change(only.table, only.key, only.row, after)];
      this.restore(only);
      return changes;
    }
    const seen = new Set<string>();
    for (const first of undo) {
      const { table, key, row: before } = first;
      const name = `${table}\u0000${key}`;
      if (seen.has(name)) continue;
      seen.add(name);
      const after = this.stored(table, key);
      if (equalJson(before, after)) this.restore(first);
      else changes.push(change(table, key, before, after));
    }
    return changes.length > 1 ? changes.sort(compareChanges) : changes;
  }

  /**
   * Undoes everything since `begin` but leaves unknown what it changed: a call did something of the kind, and nobody
   * knows what. Rows of the `kept` tables stay as they were made. To be committed.
   */
  blur(kept: ReadonlySet<string>): void {
    const undo = this.undo ?? [];
    const ends = new Map<
      string,
      { readonly table: string; readonly key: string; readonly row: JsonObject | undefined }
    >();
    for (const { table, key } of undo) ends.set(`${table}\u0000${key}`, { table, key, row: this.stored(table, key) });
    this.rollback();
    this.undo = [];
    for (const { table, key, row: after } of ends.values()) {
      const before = this.get(table, key);
      if (kept.has(table) || table === DOUBTS) this.set(table, key, after ?? null);
      else if (before === undefined) {
        if (after !== undefined) this.forgetTable(table, { made: true });
      } else if (after === undefined) this.forget(table, key);
      else this.set(table, key, deepFreeze(blurred(before, after) as JsonObject));
    }
  }

  /** Undoes everything since `begin`. */
  rollback(): void {
    const undo = this.undo ?? [];
    this.undo = undefined;
    for (let i = undo.length - 1; i >= 0; i--) this.restore(undo[i] as Undo);
  }

  private restore({ table, key, entry }: Undo): void {
    const overlay = this.overlays?.get(table);
    if (entry === undefined) overlay?.delete(key);
    else overlay?.set(key, entry);
  }

  /** Back to the base; O(1). */
  reset(): void {
    this.overlays = undefined;
    this.undo = undefined;
    this.unsure = false;
  }

  /** Applies stored changes as they stand; throws `broken_journal` when one does not start from this state. */
  apply(changes: readonly RowChange[]): void {
    for (const { table, key, before, after } of changes) {
      if (!equalJson(this.stored(table, key), before))
        throw new WorldError("broken_journal", "a stored change does not start from the state it is applied to");
      if (after === undefined) this.set(table, key, null);
      else {
        const row = frozenCopy(after, STORED);
        if (row === undefined) throw new WorldError("broken_journal", "a stored change holds a value that is no JSON");
        this.set(table, key, row as JsonObject);
      }
    }
  }

  /** Takes changes back that were the newest ones applied. */
  revert(changes: readonly RowChange[]): void {
    for (const { table, key, before } of [...changes].reverse())
      if (before === undefined) this.set(table, key, null);
      else this.set(table, key, before);
  }

  /** Whether any row stands in the overlay: cheap, and true also for a row that was put back as it was. */
  get touched(): boolean {
    return this.overlays !== undefined && this.overlays.size > 0;
  }

  /** Net changes against the base, in table and key order; O(changed rows). A row put back to what it was is no change. */
  diff(): RowChange[] {
    const changes: RowChange[] = [];
    for (const [table, overlay] of this.overlays ?? []) {
      const base = this.base.table(table);
      for (const [key, entry] of overlay) {
        const before = base.rows.get(key);
        const after = entry ?? undefined;
        if (before === after || equalJson(before, after)) continue;
        changes.push(change(table, key, before, after));
      }
    }
    return changes.length > 1 ? changes.sort(compareChanges) : changes;
  }

  /** SHA-256 over the base's id and the net changes in canonical order, each changed row by its changed fields; O(changes). */
  digest(changes: readonly RowChange[] = this.diff()): string {
    let text = this.base.id;
    for (const { table, key, before, after } of changes)
      text += `\n${JSON.stringify(table)}:${JSON.stringify(key)}:${deltaOf(before, after)}`;
    return sha256(text);
  }

  /** Names of all tables that hold or held a row, in order. */
  tables(): string[] {
    const names = new Set([...this.base.tables.keys(), ...(this.overlays?.keys() ?? [])]);
    names.delete(DOUBTS);
    return [...names].sort();
  }

  /** Keys of the rows that are or may be there, in row order. */
  rowKeys(table: string): readonly string[] {
    const overlay = this.overlays?.get(table);
    const base = this.base.table(table);
    return overlay ? mergeKeys(base.keys, insertedKeys(overlay, base)) : base.keys;
  }

  /** Keys and rows of a table, in row order, without those of which it is not known whether they are there. */
  *entries(table: string): Iterable<readonly [string, JsonObject]> {
    const overlay = this.overlays?.get(table);
    const base = this.base.table(table);
    const doubt = this.doubt(table);
    if (doubt === undefined && (overlay === undefined || overlay.size === 0)) {
      yield* base.rows;
      return;
    }
    for (const key of this.rowKeys(table)) {
      const row = this.get(table, key);
      if (row !== undefined && row !== UNKNOWN) yield [key, row];
    }
  }

  /** The rows of a table, in row order; not to be changed by the caller. */
  rows(table: string): readonly JsonObject[] {
    const overlay = this.overlays?.get(table);
    if ((overlay === undefined || overlay.size === 0) && this.doubt(table) === undefined)
      return this.base.table(table).allRows();
    const rows: JsonObject[] = [];
    for (const [, row] of this.entries(table)) rows.push(row);
    return rows;
  }

  /** Keys of rows that have, or may have, a value at a path, in row order; absent counts as null. O(matches + changed rows). */
  find(table: string, path: readonly string[], value: Json): readonly string[] {
    const base = this.base.table(table);
    const doubt = this.doubt(table);
    const lost = doubt !== undefined && (doubt.all || doubt.columns.has(path[0] ?? ""));
    const known = base.rows.size === 0 ? [] : lost ? base.keys : base.index(path).keys(value);
    const overlay = this.overlays?.get(table);
    if (overlay === undefined || overlay.size === 0) return known;
    const name = SecondaryIndex.nameOf(value);
    const changed: string[] = [];
    for (const [key, row] of overlay) {
      const at = row === null ? undefined : (readPath(row, path) ?? null);
      if (at !== undefined && (SecondaryIndex.nameOf(at) === name || holdsUnknown(at))) changed.push(key);
    }
    if (changed.length === 0) return known.filter((key) => !overlay.has(key));
    return mergeKeys(
      known.filter((key) => !overlay.has(key)),
      changed.sort(compareKeys),
    );
  }
}

function change(table: string, key: string, before?: JsonObject, after?: JsonObject): RowChange {
  if (before === undefined) return after === undefined ? { table, key } : { table, key, after };
  return after === undefined ? { table, key, before } : { table, key, before, after };
}

/** A row's change as text: a new row whole, a deleted one empty, else the changed fields. */
function deltaOf(before: JsonObject | undefined, after: JsonObject | undefined): string {
  if (after === undefined) return "";
  if (before === undefined) return canonicalJson(after);
  const fields: string[] = [];
  for (const name of Object.keys(after)) {
    const value = after[name] as Json;
    const same = Object.hasOwn(before, name) && equalJson(before[name], value);
    if (!same) fields.push(`${JSON.stringify(name)}=${canonicalJson(value)}`);
  }
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) fields.push(JSON.stringify(name));
  return fields.sort().join();
}

/** Order of changes: by table, then by key, both by code unit. */
export function compareChanges(a: RowChange, b: RowChange): number {
  if (a.table !== b.table) return a.table < b.table ? -1 : 1;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function insertedKeys(overlay: Overlay, base: FrozenTable): string[] {
  const keys: string[] = [];
  for (const key of overlay.keys()) if (!base.rows.has(key)) keys.push(key);
  return keys.sort(compareKeys);
}

function mergeKeys(left: readonly string[], right: readonly string[]): readonly string[] {
  if (right.length === 0) return left;
  const out: string[] = [];
  let at = 0;
  for (const key of left) {
    while (at < right.length && compareKeys(right[at] as string, key) < 0) out.push(right[at++] as string);
    out.push(key);
  }
  while (at < right.length) out.push(right[at++] as string);
  return out;
}

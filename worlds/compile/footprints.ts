import type { Step } from "../behaviour/schema.ts";
import type { Footprint } from "../bundle.ts";
import { WITHIN } from "../footprint.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { KEY_SEPARATOR } from "../state/keys.ts";
import type { History } from "./history.ts";
import type { Call, Session } from "./observations.ts";
import { byText, same } from "./values.ts";

/** Rows by how a call names them: by its arguments, by a row that those name, or not at all. */
const KINDS = ["named", "near", "others"] as const;
type Kind = (typeof KINDS)[number];
type Reach = Footprint["tables"][string];

/** Readings of one column that show that calls leave it as it is; of rows of a kind, where no reading of the column tells. */
const LEFT_ALONE = 2;
const POOLED = 5;
/** The share of readings that may have changed where rows of a kind are taken to be left alone for the most part. */
const MOVES = 0.05;

/** Readings of a table's rows after any write at all that show that the system never changes it. */
const STATIC = 5;

/** Readings that were alike, and those that were not; of these those that no other tool can have changed, and the parts in which they differed. */
interface Count {
  same: number;
  changed: number;
  alone: number;
  readonly parts: Set<string>;
}

/** What readings before and after calls of a tool show; `service` what they show of all tools, the estimate where they show too little of one. */
class Seen {
  private readonly service: Seen | undefined;
  /** By table, kind and column: readings that were alike, and those that were not, of these those that no other tool can have changed. */
  private readonly columns = new Map<string, Count>();
  /** The same of all tables and columns by kind. */
  private readonly pooled = new Map<Kind, Count>();
  private readonly made = new Map<string, { known: number; made: number }>();
  private readonly gone = new Set<string>();
  private anyMade = false;
  private anyKnown = 0;
  private readonly tables = new Map<string, { same: number; changed: number }>();

  constructor(service?: Seen) {
    this.service = service;
  }

  /** `parts` are those in which the readings differ. */
  column(table: string, kind: Kind, column: string, parts: readonly string[], alone: boolean): void {
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
      const count = map.get(name) ?? { same: 0, changed: 0, alone: 0, parts: new Set() };
      for (const part of parts) count.parts.add(part);
      if (changed) count.changed++;
      else count.same++;
      if (changed && alone) count.alone++;
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

  lost(table: string): void {
    this.service?.lost(table);
    this.gone.add(table);
  }

  /** What calls may change of a table with these columns. */
  reach(table: string, columns: readonly string[]): Reach {
    const out: { -readonly [K in keyof Reach]: Reach[K] } = {};
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

  /**
   * What becomes unknown under a call that is answered: columns that readings show changed and that its behaviour does
   * not set (`told`), and those of named rows that refusals look at where no reading tells and it sets nothing there.
   */
  doubted(
    table: string,
    columns: readonly string[],
    told: ReadonlySet<string> | undefined,
    looked: ReadonlySet<string> | undefined,
  ): Reach {
    const out: { -readonly [K in keyof Reach]: Reach[K] } = {};
    for (const kind of KINDS) {
      const open = columns.filter(
        (column) =>
          !told?.has(column) &&
          ((this.columns.get(`${table}\n${kind}\n${column}`)?.alone ?? 0) > 0 ||
            (kind === "named" && told === undefined && looked?.has(column) && !this.isConstant(table, kind, column))),
      );
      if (open.length > 0) out[kind] = this.within(table, kind, open);
    }
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

  private isConstant(table: string, kind: Kind, column: string): boolean {
    const own = this.columns.get(`${table}\n${kind}\n${column}`);
    if (own && (own.changed > 0 || own.same >= LEFT_ALONE)) return own.changed === 0;
    // A named row is what a call is about: that others of its kind stay tells little of it.
    if (kind === "named") return false;
    const all = this.pooled.get(kind);
    if (all && all.same >= POOLED) return all.changed <= all.same * MOVES;
    return this.service !== undefined && (this.service.isStatic(table) || this.service.isConstant(table, kind, column));
  }
}

/** Readings before and after the calls of every tool that may change something, gathered once for all behaviours that are tried. */
export class Footprints {
  private readonly service = new Seen();
  private readonly seen = new Map<string, Seen>();
  private readonly columns = new Map<string, readonly string[]>();
  /** The tools whose calls change something. */
  readonly writers: ReadonlySet<string>;

  /** `writers` are the tools whose calls change something, those without keys too. */
  constructor(sessions: readonly Session[], history: History, writers: ReadonlySet<string>) {
    this.writers = writers;
    for (const [table, rows] of Object.entries(history.base)) {
      const shown = (history.entities.get(table)?.placed ?? []).flatMap(({ source }) =>
        source.instances.map(({ row }) => row),
      );
      const names = new Set([...Object.values(rows), ...shown].flatMap((row) => Object.keys(row)));
      for (const column of history.entities.get(table)?.key ?? []) names.delete(column);
      this.columns.set(table, [...names].sort(byText));
    }
    for (const session of sessions) this.follow(session, history);
  }

  /**
   * What calls of a tool may change, by what was seen of them and what its behaviour does. `looked` are columns that
   * refusals look at: one of a row that a call names is in doubt where nothing shows whether the call leaves it alone.
   */
  of(tool: string, steps: readonly Step[], looked: ReadonlyMap<string, ReadonlySet<string>>): Footprint {
    const seen = this.seen.get(tool) ?? new Seen(this.service);
    const told = new Map<string, Set<string>>();
    for (const step of steps)
      if (step.op === "insert" || step.op === "update" || step.op === "delete") {
        const columns = told.get(step.table) ?? new Set();
        told.set(step.table, columns);
        if (step.op !== "delete") for (const { path } of step.set) columns.add(columnOf(path));
      }
    const tables = new Map<string, Reach>();
    for (const [table, columns] of this.columns) {
      const reach = seen.reach(table, columns);
      const doubted = seen.doubted(table, columns, told.get(table), looked.get(table));
      if (Object.keys(doubted).length > 0) reach.doubted = doubted;
      if (Object.keys(reach).length > 0) tables.set(table, reach);
    }
    for (const step of steps) this.claim(step, tables);
    return { tables: Object.fromEntries([...tables].sort(([a], [b]) => byText(a, b))) };
  }

  /** What a step changes by its own account. Tables of things without keys are known by nothing else. */
  private claim(step: Step, tables: Map<string, Reach>): void {
    if (step.op !== "insert" && step.op !== "update" && step.op !== "delete") return;
    const keyed = this.columns.has(step.table);
    const reach = { ...tables.get(step.table) };
    if (step.op === "insert") reach.made = true;
    else {
      const kinds: readonly Kind[] = keyed ? ["named", "near"] : ["others"];
      for (const kind of kinds) {
        const held = reach[kind];
        if (step.op === "delete") reach[kind] = "*";
        else if (held !== "*")
          reach[kind] = [...new Set([...(held ?? []), ...step.set.map(({ path }) => columnOf(path))])].sort(byText);
      }
    }
    tables.set(step.table, reach);
  }

  private follow({ calls }: Session, history: History): void {
    const { base } = history;
    const trace = calls[0]?.trace;
    const sights = Map.groupBy(trace === undefined ? [] : (history.sights[trace] ?? []), ({ call }) => call);
    const rows = new Map<string, { row: JsonObject; at: number }>();
    const writes: { readonly call: Call; readonly names: ReadonlySet<string>; readonly beside: ReadonlySet<string> }[] =
      [];
    for (const call of calls) {
      if (call.ok && this.writers.has(call.tool)) {
        const names = scalars(call.args);
        const beside = new Set<string>();
        for (const table of this.columns.keys())
          for (const name of names) scalars(rows.get(`${table}\n${name}`)?.row ?? base[table]?.[name] ?? null, beside);
        writes.push({ call, names, beside });
      }
      if (!call.ok && call.answerClass === "error:not_found") this.missed(call, rows, writes);
      for (const { table, key, row } of sights.get(call) ?? []) {
        const id = `${table}\n${key}`;
        const before = rows.get(id);
        const between = writes.slice(before?.at ?? 0);
        const parts = key.split(KEY_SEPARATOR);
        if (before) this.compare(table, parts, before.row, row, between);
        else if (between.length > 0) {
          const made = !Object.hasOwn(base[table] ?? {}, key);
          const by = made ? between.slice(-1) : between;
          for (const tool of new Set(by.map((write) => write.call.tool))) this.seenOf(tool).row(table, made);
          const drawn = base[table]?.[key];
          if (drawn) this.compare(table, parts, drawn, row, between);
        }
        rows.set(id, { row: { ...before?.row, ...row }, at: writes.length });
      }
    }
  }

  /** A row that was there and is not found: the last write before took it away. */
  private missed(
    { args }: Call,
    rows: ReadonlyMap<string, { at: number }>,
    writes: readonly { readonly call: Call }[],
  ): void {
    for (const table of this.columns.keys())
      for (const name of scalars(args)) {
        const before = rows.get(`${table}\n${name}`);
        const last = writes.at(-1);
        if (before && last && before.at < writes.length) this.seenOf(last.call.tool).lost(table);
      }
  }

  private compare(
    table: string,
    parts: readonly string[],
    before: JsonObject,
    row: JsonObject,
    writes: readonly {
      readonly call: Call;
      readonly names: ReadonlySet<string>;
      readonly beside: ReadonlySet<string>;
    }[],
  ): void {
    const kinds = new Map<string, Kind>();
    for (const { call, names, beside } of writes) {
      const kind = parts.every((part) => names.has(part))
        ? "named"
        : parts.every((part) => beside.has(part))
          ? "near"
          : "others";
      const held = kinds.get(call.tool);
      if (held === undefined || KINDS.indexOf(kind) < KINDS.indexOf(held)) kinds.set(call.tool, kind);
    }
    const closest = [...kinds.values()].sort((a, b) => KINDS.indexOf(a) - KINDS.indexOf(b))[0];
    const blamed = [...kinds].filter(([, kind]) => kind === closest);
    for (const column of Object.keys(row)) {
      if (!Object.hasOwn(before, column)) continue;
      const parts = partsChanged(before[column], row[column], writes);
      for (const [tool, kind] of parts.length > 0 ? blamed : kinds)
        this.seenOf(tool).column(table, kind, column, parts, kinds.size === 1);
    }
  }

  private seenOf(tool: string): Seen {
    const seen = this.seen.get(tool) ?? new Seen(this.service);
    this.seen.set(tool, seen);
    return seen;
  }
}

/** The parts in which two readings of a column differ: within the members of maps that calls name, else (empty) the whole of it. */
function partsChanged(
  before: Json | undefined,
  after: Json | undefined,
  writes: readonly { readonly names: ReadonlySet<string> }[],
): string[] {
  if (same(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [""];
  const out: string[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (same(before[key], after[key])) continue;
    const [one, two] = [before[key], after[key]];
    if (!writes.some(({ names }) => names.has(key)) || !isObject(one) || !isObject(two)) return [""];
    for (const name of new Set([...Object.keys(one), ...Object.keys(two)]))
      if (!same(one[name], two[name])) out.push(`*${WITHIN}${name}`);
  }
  return out;
}

/** The column that a path starts with. */
function columnOf(path: string): string {
  const end = path.search(/[.[]/);
  return end < 0 ? path : path.slice(0, end);
}

/** Every text and number in a value and every name in it, as text. */
function scalars(value: Json, into = new Set<string>()): Set<string> {
  if (typeof value === "string" || typeof value === "number") into.add(String(value));
  else if (Array.isArray(value)) for (const item of value) scalars(item, into);
  else if (isObject(value)) for (const key of Object.keys(value)) scalars(value[key] as Json, into.add(key));
  return into;
}

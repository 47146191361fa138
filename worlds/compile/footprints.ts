import type { Step } from "../behaviour/schema.ts";
import type { Footprint } from "../bundle.ts";
import { holdsText, WITHIN } from "../footprint.ts";
import { getOwn, isObject, type Json, type JsonObject } from "../json.ts";
import { KEY_SEPARATOR } from "../state/keys.ts";
import { KINDS, type Kind, Seen, type TableFootprint } from "./footprint-evidence.ts";
import type { History } from "./history.ts";
import type { Call, Session } from "./observations.ts";
import { byText, same } from "./values.ts";

/** A row as the answer of a call showed it. */
export interface ShownRow {
  readonly table: string;
  readonly key: string;
  readonly row: JsonObject;
}

/** What sessions show of rows. */
export interface ShownRows {
  /** Columns by table, without those of its key. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** Tables of one row that no call names: what has no key. */
  readonly keyless: ReadonlySet<string>;
  /** The rows that a session starts with. */
  starts(session: Session): Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  /** The rows that answers of a session showed, by call. */
  shown(session: Session): ReadonlyMap<Call, readonly ShownRow[]>;
}

/** Readings before and after the calls of every tool that may change something, gathered once for all behaviours that are tried. */
export class Reaches {
  private readonly service = new Seen();
  private readonly seen = new Map<string, Seen>();
  private readonly columns: ShownRows["columns"];
  private readonly keyless: ShownRows["keyless"];
  /** The tools whose calls change something. */
  readonly writers: ReadonlySet<string>;

  /** `writers` are the tools whose calls change something, those without keys too. */
  constructor(sessions: readonly Session[], readings: ShownRows, writers: ReadonlySet<string>) {
    this.writers = writers;
    this.columns = readings.columns;
    this.keyless = readings.keyless;
    for (const session of sessions) this.follow(session, readings);
  }

  /**
   * What calls of a tool may change, by what was seen of them and what its behaviour does. `looked` are columns that
   * refusals look at: one of a row that a call names is in doubt where nothing shows whether the call leaves it alone.
   * `bounded` where its behaviour is known to be all that it does, but for what readings show changed besides.
   */
  of(
    tool: string,
    steps: readonly Step[],
    looked: ReadonlyMap<string, ReadonlySet<string>>,
    { bounded = false } = {},
  ): Footprint {
    const seen = this.seen.get(tool) ?? new Seen(this.service);
    const told = new Map<string, Set<string>>();
    for (const step of steps)
      if (step.op === "insert" || step.op === "update" || step.op === "delete") {
        const columns = told.get(step.table) ?? new Set();
        told.set(step.table, columns);
        if (step.op !== "delete") for (const { path } of step.set) columns.add(columnOf(path));
      }
    const tables = new Map<string, TableFootprint>();
    for (const [table, columns] of this.columns) {
      const reach = bounded ? seen.changed(table, columns) : seen.footprintOf(table, columns);
      const doubted = seen.doubted(table, columns, told.get(table), looked.get(table), told.size === 0);
      if (Object.keys(doubted).length > 0) reach.doubted = doubted;
      if (Object.keys(reach).length > 0) tables.set(table, this.keyless.has(table) ? ofOne(reach) : reach);
    }
    for (const step of steps) this.claim(step, tables);
    return { tables: Object.fromEntries([...tables].sort(([a], [b]) => byText(a, b))) };
  }

  /** Whether enough was read around calls of a tool to tell what they change. */
  told(tool: string): boolean {
    return this.seen.get(tool)?.told ?? false;
  }

  /** What a step changes by its own account. Tables of things without keys are known by nothing else. */
  private claim(step: Step, tables: Map<string, TableFootprint>): void {
    if (step.op !== "insert" && step.op !== "update" && step.op !== "delete") return;
    const keyed = this.columns.has(step.table) && !this.keyless.has(step.table);
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

  private follow(session: Session, readings: ShownRows): void {
    const { calls } = session;
    const base = readings.starts(session);
    const sights = readings.shown(session);
    const rows = new Map<string, { row: JsonObject; at: number; since: Map<string, number> }>();
    const writes: {
      readonly call: Call;
      readonly names: ReadonlySet<string>;
      readonly unrelated: ReadonlySet<string>;
    }[] = [];
    for (const call of calls) {
      if (call.ok && this.writers.has(call.tool)) {
        const names = scalars(call.args);
        const unrelated = new Set<string>();
        for (const table of this.columns.keys())
          for (const name of names) {
            const row = rows.get(`${table}\n${name}`)?.row ?? base[table]?.[name];
            if (row) this.seenOf(call.tool).namesRows = true;
            scalars(row ?? null, unrelated);
          }
        writes.push({ call, names, unrelated });
      }
      if (!call.ok && call.answerClass === "error:not_found") this.missed(call, rows, writes);
      for (const { table, key, row } of sights.get(call) ?? []) {
        const id = `${table}\n${key}`;
        const before = rows.get(id);
        const between = writes.slice(before?.at ?? 0);
        const parts = key.split(KEY_SEPARATOR);
        const drawn = getOwn(getOwn(base, table) ?? {}, key);
        if (!before && between.length > 0) {
          const by = drawn ? between : between.slice(-1);
          for (const tool of new Set(by.map((write) => write.call.tool))) this.seenOf(tool).row(table, !drawn);
        }
        const known = { ...drawn, ...before?.row };
        // An answer that shows a part of a row tells nothing of the rest: each column is compared with its own last sight.
        const since = before?.since ?? new Map<string, number>();
        for (const [at, columns] of Map.groupBy(Object.keys(row), (column) => since.get(column) ?? 0))
          if (at < writes.length) this.compare(table, parts, known, pick(row, columns), writes.slice(at));
        for (const column of Object.keys(row)) since.set(column, writes.length);
        rows.set(id, { row: { ...before?.row, ...row }, at: writes.length, since });
      }
    }
  }

  /** A row that was there and is not found: the last write before took it away. */
  private missed(
    { args }: Call,
    rows: ReadonlyMap<string, { at: number }>,
    writes: readonly { readonly call: Call; readonly names: ReadonlySet<string> }[],
  ): void {
    for (const table of this.columns.keys())
      for (const name of scalars(args)) {
        const before = rows.get(`${table}\n${name}`);
        const last = writes.at(-1);
        if (before && last && before.at < writes.length) this.seenOf(last.call.tool).lost(table, last.names.has(name));
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
      readonly unrelated: ReadonlySet<string>;
    }[],
  ): void {
    const kinds = new Map<string, Kind>();
    for (const { call, names, unrelated: beside } of writes) {
      const kind =
        this.keyless.has(table) || parts.every((part) => names.has(part))
          ? "named"
          : parts.every((part) => beside.has(part)) || holdsText(before, names)
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
      for (const [tool, kind] of parts.length > 0 ? blamed : kinds) {
        const others = new Map(
          blamed.flatMap(([other, kind]) =>
            other === tool ? [] : [[other, { kind, seen: this.seenOf(other) }] as const],
          ),
        );
        this.seenOf(tool).column(table, kind, column, parts, kinds.size === 1, others);
      }
    }
  }

  private seenOf(tool: string): Seen {
    const seen = this.seen.get(tool) ?? new Seen(this.service);
    this.seen.set(tool, seen);
    return seen;
  }
}

/** What calls may change of rows that a history tells. */
export class Footprints extends Reaches {
  constructor(sessions: readonly Session[], history: History, writers: ReadonlySet<string>) {
    super(sessions, shownRowsOf(history), writers);
  }
}

function shownRowsOf({ base, entities, observations }: History): ShownRows {
  const columns = new Map<string, readonly string[]>();
  for (const [table, rows] of Object.entries(base)) {
    const placed = (entities.get(table)?.placed ?? []).flatMap(({ source }) => source.instances.map(({ row }) => row));
    const names = new Set([...Object.values(rows), ...placed].flatMap((row) => Object.keys(row)));
    for (const column of entities.get(table)?.key ?? []) names.delete(column);
    columns.set(table, [...names].sort(byText));
  }
  return {
    columns,
    keyless: new Set(),
    starts: () => base,
    shown: ({ calls: [first] }) => Map.groupBy((first && observations[first.trace]) ?? [], ({ call }) => call),
  };
}

/** What calls may change of a table's only row, which none of them names. */
function ofOne({ named, doubted, ...rest }: TableFootprint): TableFootprint {
  return {
    ...(named && { others: named }),
    ...(rest.made && { made: rest.made }),
    ...(doubted && { doubted: ofOne(doubted) }),
  };
}

const pick = (row: JsonObject, columns: readonly string[]): JsonObject =>
  Object.fromEntries(columns.map((column) => [column, row[column] as Json]));

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

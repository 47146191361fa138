import { isObject, type Json, type JsonObject } from "../json.ts";
import type { Call, Session } from "./observations.ts";
import { type Entity, type Placed, rowOf } from "./tables/tables.ts";
import { byText, canon, isScalar, joinKey, scalarsOf } from "./values.ts";

/** One sight of a row: what a call showed of it, and whether nothing earlier in its trace could have changed it. */
export interface Observation {
  readonly table: string;
  readonly key: string;
  readonly row: JsonObject;
  readonly call: Call;
  readonly clean: boolean;
}

/** A scalar answer that is one column of the row that the arguments name. */
export interface ColumnRead {
  readonly tool: string;
  readonly table: string;
  readonly column: string;
}

/** What the sessions show of the system: its tables, their rows at the start, and when each was seen or changed. */
export interface History {
  readonly entities: ReadonlyMap<string, Entity>;
  readonly base: Record<string, Record<string, JsonObject>>;
  /** Sights per trace, in call order. */
  readonly observations: readonly (readonly Observation[])[];
  readonly conflicts: number;
  /** Tools whose calls change state. */
  readonly writers: ReadonlySet<string>;
  /** When each trace started, unix seconds; 0 where it does not tell. */
  readonly starts: readonly number[];
  /** By trace what it starts with where others start otherwise: columns by row key, by table. */
  readonly own?: readonly (Readonly<Record<string, Record<string, JsonObject>>> | undefined)[];
  /** The rows that a database export gave, by table and key, in the form that tools show them in. */
  readonly exported?: ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;
  /** Tables of which a database export gave every row, with the columns that it has of them. */
  readonly complete?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The fields of an answer itself: what it made is named there, what stands further inside it may be any row of the system. */
function ownFields(value: Json): Json {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, field]) => isScalar(field))) : value;
}

/** Where the objects of a tool's answers stand as rows. */
export class Reader {
  private readonly byTool = new Map<
    string,
    { entity: Entity; placed: Placed; rows: Map<Call, { key: string; row: JsonObject }[]> }[]
  >();
  private readonly columnReads: ReadonlyMap<string, ColumnRead>;
  private readonly entities: ReadonlyMap<string, Entity>;

  constructor(entities: readonly Entity[], columnReads: readonly ColumnRead[]) {
    this.entities = new Map(entities.map((entity) => [entity.name, entity]));
    this.columnReads = new Map(columnReads.map((read) => [read.tool, read]));
    for (const entity of entities)
      for (const placed of entity.placed) {
        const rows = new Map<Call, { key: string; row: JsonObject }[]>();
        for (const instance of placed.source.instances) {
          const found = rowOf(entity, placed, instance);
          if (!found) continue;
          const list = rows.get(instance.call);
          if (list) list.push(found);
          else rows.set(instance.call, [found]);
        }
        const list = this.byTool.get(placed.source.tool) ?? [];
        list.push({ entity, placed, rows });
        this.byTool.set(placed.source.tool, list);
      }
  }

  /** The rows that a call's answer shows. */
  *rows(call: Call): Generator<{ table: string; key: string; row: JsonObject }> {
    for (const { entity, rows } of this.byTool.get(call.tool) ?? [])
      for (const found of rows.get(call) ?? []) yield { table: entity.name, ...found };
    const read = call.ok ? this.columnReads.get(call.tool) : undefined;
    const entity = read ? this.entities.get(read.table) : undefined;
    if (!read || !entity) return;
    const values = entity.key.map((column) => call.args[column]);
    if (!values.every(isScalar)) return;
    const row: JsonObject = Object.fromEntries(entity.key.map((column, i) => [column, values[i] as Json]));
    row[read.column] = call.value;
    yield { table: entity.name, key: joinKey(values as Json[]), row };
  }
}

/** Rows named in a value: scalars that are a single-column key, objects that hold a composite one. */
export function* namedRows(
  value: Json,
  entities: ReadonlyMap<string, Entity>,
  exists: (table: string, key: string) => boolean,
): Generator<[table: string, key: string]> {
  for (const scalar of new Set(scalarsOf(value)))
    for (const entity of entities.values())
      if (entity.key.length === 1 && exists(entity.name, String(scalar))) yield [entity.name, String(scalar)];
  for (const object of objectsOf(value))
    for (const entity of entities.values()) {
      if (entity.key.length < 2) continue;
      const values = entity.key.map((column) => object[column]);
      if (values.every(isScalar) && exists(entity.name, joinKey(values as Json[])))
        yield [entity.name, joinKey(values as Json[])];
    }
}

function* objectsOf(value: Json): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* objectsOf(item);
  else if (isObject(value)) {
    yield value;
    for (const key of Object.keys(value)) yield* objectsOf(value[key] as Json);
  }
}

function tableOf(id: string): string {
  return id.slice(0, id.indexOf("\n"));
}

/** Sights of rows beside a write that show what it leaves alone. */
const LEFT_ALONE = 2;

/** Whether a write changes rows that its calls name but do not show; undefined where too few traces saw such a row before and after. */
function changesUnshown(
  sessions: readonly Session[],
  reader: Reader,
  writers: ReadonlySet<string>,
  namesOf: (call: Call) => { args: ReadonlySet<string>; own: ReadonlySet<string>; unrelated: ReadonlySet<string> },
): (tool: string, table: string) => boolean | undefined {
  const seen = new Map<string, { same: number; changed: number }>();
  for (const session of sessions) {
    const last = new Map<string, { row: JsonObject; writes: number }>();
    let writes = 0;
    let write: { tool: string; names: ReturnType<typeof namesOf> } | undefined;
    for (const call of session.calls) {
      if (call.ok && writers.has(call.tool)) {
        writes++;
        write = { tool: call.tool, names: namesOf(call) };
      }
      for (const { table, key, row } of reader.rows(call)) {
        const id = `${table}\n${key}`;
        const before = last.get(id);
        last.set(id, { row: { ...before?.row, ...row }, writes });
        if (!before || !write || before.writes !== writes - 1 || write.names.own.has(id)) continue;
        if (!write.names.args.has(id) && !write.names.unrelated.has(id)) continue;
        const differs = Object.keys(row).some(
          (column) => Object.hasOwn(before.row, column) && canon(before.row[column]) !== canon(row[column]),
        );
        const count = seen.get(`${write.tool}\n${table}`) ?? { same: 0, changed: 0 };
        if (differs) count.changed++;
        else count.same++;
        seen.set(`${write.tool}\n${table}`, count);
      }
    }
  }
  return (tool, table) => {
    const count = seen.get(`${tool}\n${table}`);
    return !count ? undefined : count.changed > 0 ? true : count.same >= LEFT_ALONE ? false : undefined;
  };
}

/** Walks every trace once: which sights are clean, the initial state from them (newest wins), and every sight in order. */
export function buildHistory(
  sessions: readonly Session[],
  entities: readonly Entity[],
  reader: Reader,
  writers: ReadonlySet<string>,
): History {
  const byName = new Map(entities.map((entity) => [entity.name, entity]));
  const known = new Map<string, JsonObject>();
  for (const session of sessions)
    for (const call of session.calls)
      for (const { table, key, row } of reader.rows(call)) known.set(`${table}\n${key}`, row);
  const exists = (table: string, key: string) => known.has(`${table}\n${key}`);
  const base: Record<string, Record<string, JsonObject>> = Object.fromEntries(
    entities.map((entity) => [entity.name, {}]),
  );
  const observations: Observation[][] = [];
  /** Rows that only traces with a write to a row beside them show: better than none. */
  const spare = new Map<string, { table: string; key: string; row: JsonObject }>();
  const namesOf = (call: Call) => {
    const args = new Set([...namedRows(call.args, byName, exists)].map(([table, key]) => `${table}\n${key}`));
    const beside = new Set([...namedRows(call.value, byName, exists)].map(([table, key]) => `${table}\n${key}`));
    const own = new Set<string>();
    for (const { table, key } of reader.rows(call)) own.add(`${table}\n${key}`);
    const answered = [...namedRows(ownFields(call.value), byName, exists)].map(([table, key]) => `${table}\n${key}`);
    for (const id of [...args, ...beside, ...own]) {
      const row = known.get(id);
      if (row) for (const [table, key] of namedRows(row, byName, exists)) beside.add(`${table}\n${key}`);
    }
    return { args, own, answered, unrelated: beside };
  };
  const reach = changesUnshown(sessions, reader, writers, namesOf);
  let conflicts = 0;
  for (const session of sessions) {
    const dirty = new Set<string>();
    const near = new Set<string>();
    const met = new Set<string>();
    /** Rows that a write is the first to name: it made them, so they are none that sessions start with. */
    const made = new Set<string>();
    const list: Observation[] = [];
    for (const call of session.calls) {
      const writes = call.ok && writers.has(call.tool);
      if (writes) {
        const { args, own, answered, unrelated: beside } = namesOf(call);
        for (const id of answered) if (!args.has(id) && !met.has(id)) made.add(id);
        for (const id of own) dirty.add(id);
        for (const [ids, into] of [
          [args, dirty],
          [beside, near],
        ] as const)
          for (const id of ids) {
            const changes = reach(call.tool, tableOf(id));
            if (changes !== undefined) {
              if (changes) dirty.add(id);
            } else into.add(id);
          }
      }
      for (const { table, key, row } of reader.rows(call)) {
        const id = `${table}\n${key}`;
        const clean = !writes && !dirty.has(id) && !near.has(id);
        list.push({ table, key, row, call, clean });
        met.add(id);
        if (!writes && !dirty.has(id) && near.has(id) && !made.has(id) && !spare.has(id))
          spare.set(id, { table, key, row });
        if (!clean) continue;
        const rows = base[table] as Record<string, JsonObject>;
        const before = rows[key];
        if (
          before &&
          Object.keys(row).some(
            (column) => Object.hasOwn(before, column) && canon(before[column]) !== canon(row[column]),
          )
        )
          conflicts++;
        rows[key] = before ? { ...before, ...row } : row;
      }
    }
    observations.push(list);
  }
  for (const { table, key, row } of spare.values()) {
    const rows = base[table] as Record<string, JsonObject>;
    rows[key] ??= row;
  }
  for (const table of Object.keys(base))
    base[table] = Object.fromEntries(
      Object.entries(base[table] as Record<string, JsonObject>).sort(([a], [b]) => byText(a, b)),
    );
  return { entities: byName, base, observations, conflicts, writers, starts: sessions.map(({ at }) => at) };
}

/** The rows as known just before a call: what its trace showed last, else the initial state. */
export function stateBefore(history: History, call: Call): (table: string, key: string) => JsonObject | undefined {
  const sights = history.observations[call.trace] ?? [];
  const overlay = new Map<string, JsonObject>();
  for (const observation of sights) {
    if (observation.call.index >= call.index) break;
    const id = `${observation.table}\n${observation.key}`;
    overlay.set(id, { ...overlay.get(id), ...observation.row });
  }
  return (table, key) => {
    const seen = overlay.get(`${table}\n${key}`);
    const own = history.own?.[call.trace]?.[table]?.[key];
    const initial = own ? { ...history.base[table]?.[key], ...own } : history.base[table]?.[key];
    return seen && initial ? { ...initial, ...seen } : (seen ?? initial);
  };
}

/** Columns that every row of a table has by complete answers, and those that initial rows lack. */
export function columnKnowledge(
  history: History,
  table: string,
): { always: Set<string>; patchy: Set<string>; answered: Set<string> } {
  const always = new Set<string>();
  const placed = history.entities.get(table)?.placed ?? [];
  // What a write answers has the columns that it sets.
  const reads = placed.filter(({ source }) => !history.writers.has(source.tool));
  for (const { source, injected } of reads.length > 0 ? reads : placed) {
    const rows = source.instances;
    const counts = new Map<string, number>();
    for (const { row } of rows)
      for (const column of Object.keys(row)) counts.set(column, (counts.get(column) ?? 0) + 1);
    for (const [column, n] of counts) if (n === rows.length && rows.length > 1) always.add(column);
    for (const column of injected.keys()) always.add(column);
  }
  const answered = new Set(always);
  const rows = Object.values(history.base[table] ?? {});
  // What an export has of some rows, others lack: evidence fails to show only what it has of none.
  const given = history.complete?.get(table);
  const patchy = [...always].filter((column) => !given?.has(column) && rows.some((row) => !Object.hasOwn(row, column)));
  for (const column of always)
    if (given?.has(column) && rows.some((row) => !Object.hasOwn(row, column))) always.delete(column);
  return { always, patchy: new Set(patchy), answered };
}

/** Scalar answers that repeat one column of the row that the arguments name, in at least two rows and four of five sights. */
export function findColumnReads(
  sessions: readonly Session[],
  entities: readonly Entity[],
  byTool: ReadonlyMap<string, readonly Call[]>,
): ColumnRead[] {
  const plain = buildHistory(sessions, entities, new Reader(entities, []), new Set());
  const out: ColumnRead[] = [];
  for (const [tool, calls] of byTool)
    for (const entity of entities) {
      const asked = calls.filter(
        (call) => call.ok && isScalar(call.value) && entity.key.every((column) => isScalar(call.args[column])),
      );
      if (asked.length < 3 || asked.length < calls.filter((call) => call.ok).length) continue;
      const hits = new Map<string, number>();
      let met = 0;
      for (const call of asked) {
        const row = plain.base[entity.name]?.[joinKey(entity.key.map((column) => call.args[column] as Json))];
        if (!row) continue;
        met++;
        for (const column of Object.keys(row))
          if (row[column] === call.value) hits.set(column, (hits.get(column) ?? 0) + 1);
      }
      const best = [...hits]
        .filter(([column, n]) => n >= met * 0.8 && !entity.key.includes(column))
        .sort((a, b) => b[1] - a[1] || byText(a[0], b[0]))[0];
      if (best && met >= 2) out.push({ tool, table: entity.name, column: best[0] });
    }
  return out;
}

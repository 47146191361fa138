import type { Json, JsonObject } from "../../json.ts";
import { effectByName } from "../effects.ts";
import type { Call } from "../observations.ts";
import { joinKey } from "../values.ts";
import {
  columnsOf,
  type Instance,
  idLike,
  innerSources,
  type Source,
  scalarArgs,
  scalarColumns,
  sourcesOf,
} from "./entities.ts";
import { type Keyed, keyOf } from "./keys.ts";
import { tableName } from "./names.ts";

/** A source with the table its objects are rows of. `injected` are key columns that come from arguments, by column. */
export interface Placed {
  readonly source: Source;
  readonly table: string;
  readonly injected: ReadonlyMap<string, string>;
}

/** A table that the sessions show, and where its rows stand in the answers of tools. */
export interface Entity {
  readonly name: string;
  readonly key: readonly string[];
  readonly placed: Placed[];
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const column of a) if (b.has(column)) shared++;
  return shared / Math.max(1, Math.min(a.size, b.size));
}

function alike(a: Keyed, b: Keyed): boolean {
  const sameKey = a.key.length === b.key.length && a.key.every((column) => b.key.includes(column));
  return (
    sameKey &&
    overlap(a.columns, b.columns) >= (a.key.length > 1 || !/^(id|name|key)$/.test(a.key[0] ?? "") ? 0.5 : 0.7)
  );
}

/** Entity types: sources whose rows share key and shape; a write's answer joins the table of its shape. No name is a `taken` one. */
export function findEntities(
  byTool: ReadonlyMap<string, readonly Call[]>,
  taken: ReadonlySet<string> = new Set(),
): Entity[] {
  const argNames = new Set<string>();
  for (const calls of byTool.values())
    for (const call of calls) for (const name of Object.keys(call.args)) argNames.add(name);
  const firstWrite = firstWrites(byTool);
  const sources = [...byTool].flatMap(([tool, calls]) => sourcesOf(tool, calls));
  const scoped = scopes(sources);
  const reads = sources.filter((source) => effectByName(source.tool) === "read");
  const groups: Keyed[][] = [];
  const place = (keyed: Keyed) => {
    const group = groups.find((candidate) => candidate.some((other) => alike(other, keyed)));
    if (group) group.push(keyed);
    else groups.push([keyed]);
  };
  const unkeyed: Source[] = [];
  const join = (source: Source): boolean => {
    const columns = columnsOf(source.instances);
    const fits = groups.filter(
      (group) =>
        (group[0] as Keyed).key.every(
          (column) => columns.has(column) || source.instances.every(({ call }) => call.args[column] !== undefined),
        ) && group.some((other) => overlap(other.columns, columns) >= 0.7),
    );
    const best = fits.sort((a, b) => similarity(b, columns) - similarity(a, columns))[0];
    if (!best) return false;
    const key = (best[0] as Keyed).key;
    const injected = new Map(key.filter((column) => !columns.has(column)).map((column) => [column, column]));
    best.push({ source, key, injected, columns });
    return true;
  };
  for (const source of reads) {
    const keyed = keyOf(source, argNames, firstWrite, new Set(), scoped);
    if (keyed) place(keyed);
    else unkeyed.push(source);
  }
  for (const source of sources.filter((candidate) => !reads.includes(candidate))) unkeyed.push(source);
  for (const source of unkeyed) {
    if (join(source) || innerSources(source).some((inner) => holdsKey(inner, groups) && join(inner))) continue;
    const keyed =
      effectByName(source.tool) === "read" ? undefined : keyOf(source, argNames, firstWrite, keysOf(groups), scoped);
    if (keyed && keyed.injected.size === 0) place(keyed);
    else if (effectByName(source.tool) === "write") {
      const part = partOfRow(source, groups);
      part?.group.push(part.keyed);
    }
  }
  return named(groups.map(withoutAsides), taken);
}

/** A write that answers less of a row than this share of its columns says other things beside it. */
const MOST_OF_A_ROW = 0.5;

/** The sources of one table, without what writes that answer little of a row say beside it: columns that nothing else shows of any row. */
function withoutAsides(group: readonly Keyed[]): Keyed[] {
  return group.map((keyed) => {
    const { source } = keyed;
    if (effectByName(source.tool) === "read") return keyed;
    const others = new Set<string>();
    for (const other of group)
      if (other.source.tool !== source.tool) for (const name of other.columns) others.add(name);
    const columns = new Set([...keyed.columns].filter((column) => others.has(column)));
    if (columns.size === keyed.columns.size || columns.size >= others.size * MOST_OF_A_ROW) return keyed;
    const instances = source.instances.map(({ call, row }) => ({ call, row: only(row, columns) }));
    return { ...keyed, columns, source: { ...source, instances } };
  });
}

const only = (row: JsonObject, columns: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(row).filter(([column]) => columns.has(column)));

/** Columns of this name say how a call went, not what a row has become. */
const OUTCOME = /^(status|state|message|result|success|ok|name|type|kind|note|date|time)$/i;

/** A write's answer as part of the row that an argument names by key: its numbers and switches there, where it names nothing itself. */
function partOfRow(source: Source, groups: readonly Keyed[][]): { group: Keyed[]; keyed: Keyed } | undefined {
  if (source.list || source.instances.length < 2) return undefined;
  const rows = source.instances.map(({ row }) => row);
  const asked = scalarArgs(source.instances);
  const own = scalarColumns(rows).some(
    (column) =>
      idLike(
        column,
        rows.map((row) => row[column] as Json),
      ) >= 2 && !asked.includes(column),
  );
  if (own) return undefined;
  const found = groups.flatMap((group) => {
    const [key, ...others] = (group[0] as Keyed).key;
    if (key === undefined || others.length > 0 || !asked.includes(key)) return [];
    const shared = scalarColumns(rows).filter(
      (column) =>
        column !== key &&
        !asked.includes(column) &&
        !OUTCOME.test(column) &&
        rows.every((row) => typeof row[column] !== "string") &&
        group.some(({ columns }) => columns.has(column)),
    );
    return shared.length === 0 ? [] : [{ group, key, shared }];
  });
  const [best] = found.sort((a, b) => b.shared.length - a.shared.length);
  if (!best) return undefined;
  const columns = new Set(best.shared);
  const instances = source.instances.map(({ call, row }) => ({ call, row: only(row, columns) }));
  const keyed = {
    source: { ...source, instances },
    key: [best.key],
    injected: new Map([[best.key, best.key]]),
    columns,
  };
  return { group: best.group, keyed };
}

/** Whether objects hold the whole key of some table. */
function holdsKey({ instances }: Source, groups: readonly Keyed[][]): boolean {
  const columns = columnsOf(instances);
  return groups.some((group) => (group[0] as Keyed).key.every((column) => columns.has(column)));
}

/** Per trace the place of the first call that by its name may have changed something. */
function firstWrites(byTool: ReadonlyMap<string, readonly Call[]>): Map<number, number> {
  const first = new Map<number, number>();
  for (const [tool, calls] of byTool) {
    if (effectByName(tool) === "read") continue;
    for (const { ok, trace, index } of calls) if (ok && index < (first.get(trace) ?? Infinity)) first.set(trace, index);
  }
  return first;
}

/** Arguments that lists leave out of their rows and that alike rows of other tools show as a column: rows are instances per value of it. */
function scopes(sources: readonly Source[]): Set<string> {
  const out = new Set<string>();
  for (const source of sources) {
    if (!source.list) continue;
    const columns = columnsOf(source.instances);
    const hidden = scalarArgs(source.instances).filter((arg) =>
      source.instances.every(({ row }) => row[arg] === undefined || row[arg] === null),
    );
    for (const arg of hidden)
      for (const other of sources) {
        if (
          other === source ||
          !other.list ||
          !other.instances.some(({ row }) => row[arg] !== undefined && row[arg] !== null)
        )
          continue;
        if (overlap(columns, columnsOf(other.instances)) >= 0.7) out.add(arg);
      }
  }
  return out;
}

/** Columns that are another entity's whole key: in a row that a write makes they refer to it. */
function keysOf(groups: readonly Keyed[][]): Set<string> {
  return new Set(groups.flatMap((group) => ((group[0] as Keyed).key.length === 1 ? (group[0] as Keyed).key : [])));
}

function similarity(group: readonly Keyed[], columns: ReadonlySet<string>): number {
  return Math.max(
    ...group.map(
      (other) =>
        [...columns].filter((column) => other.columns.has(column)).length /
        new Set([...columns, ...other.columns]).size,
    ),
  );
}

function named(groups: readonly Keyed[][], reserved: ReadonlySet<string>): Entity[] {
  const taken = new Set(reserved);
  return groups.map((group) => {
    const key = [...(group[0] as Keyed).key];
    const name = tableName(
      key,
      group.map((keyed) => keyed.source),
      taken,
    );
    taken.add(name);
    return {
      name,
      key,
      placed: group.map((keyed) => ({ source: keyed.source, table: name, injected: keyed.injected })),
    };
  });
}

/** The row that an instance shows, key columns that came from arguments put in; undefined when its key is not whole. */
export function rowOf(
  entity: Entity,
  placed: Placed,
  instance: Instance,
): { key: string; row: JsonObject } | undefined {
  const row: JsonObject = {};
  for (const [column, arg] of placed.injected) row[column] = instance.call.args[arg] as Json;
  for (const [column, value] of Object.entries(instance.row))
    if (value !== null || !Object.hasOwn(row, column)) row[column] = value;
  const values = entity.key.map((column) => row[column]);
  if (values.some((value) => value === undefined || value === null || typeof value === "object")) return undefined;
  return { key: joinKey(values as Json[]), row };
}

import type { Json, JsonObject } from "../json.ts";
import { effectByName } from "./effects.ts";
import { columnsOf, type Instance, idLike, type Source, scalarArgs, scalarColumns, sourcesOf } from "./entities.ts";
import { tableName } from "./names.ts";
import type { Call } from "./observations.ts";
import { byText, canon, joinKey } from "./values.ts";

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

interface Keyed {
  readonly source: Source;
  readonly key: readonly string[];
  /** Key column → argument it comes from, where the row lacks it. */
  readonly injected: Map<string, string>;
  readonly columns: Set<string>;
}

interface Part {
  readonly column: string;
  readonly arg?: string;
  readonly weight: number;
}

function partValue(part: Part, { row, call }: Instance): Json {
  return (part.arg !== undefined ? call.args[part.arg] : row[part.column]) as Json;
}

/** Whether a key tells rows apart: no two rows of one answer share it, and rows that share it agree. */
function functional(instances: readonly Instance[], parts: readonly Part[]): boolean {
  const content = new Map<string, string>();
  const within = new Map<string, string>();
  let repeats = 0;
  let broken = 0;
  for (const instance of instances) {
    const key = joinKey(parts.map((part) => partValue(part, instance)));
    const text = canon(instance.row);
    const here = `${instance.call.trace}/${instance.call.index}/${key}`;
    const twin = within.get(here);
    if (twin !== undefined && twin !== text) return false;
    within.set(here, text);
    const seen = content.get(key);
    if (seen === undefined) content.set(key, text);
    else {
      repeats++;
      if (seen !== text) broken++;
    }
  }
  return broken <= repeats * 0.02 && (content.size > 1 || instances.length === 1 || within.size === instances.length);
}

/** The id that single rows are asked for by: a column that always holds an argument, or an argument that rows may leave out. */
function askedId({ instances }: Source, args: readonly string[]): { column: string; arg?: string } | undefined {
  for (const arg of args) {
    const asked = instances.map(({ call }) => call.args[arg] as Json);
    if (idLike(arg, asked) < 3) continue;
    const whole = instances.every(({ row }) => row[arg] !== undefined);
    if (instances.every(({ row }, i) => row[arg] === undefined || row[arg] === asked[i]))
      return whole ? { column: arg } : { column: arg, arg };
    const column = Object.keys(instances[0]?.row ?? {}).find((name) =>
      instances.every(({ row }, i) => row[name] === asked[i]),
    );
    if (column !== undefined) return { column };
  }
  return undefined;
}

/** The key of a source: fewest columns that tell its rows apart, names that tools take as arguments first. */
function keyOf(
  source: Source,
  argNames: ReadonlySet<string>,
  firstWrite: ReadonlyMap<number, number>,
  foreign: ReadonlySet<string>,
  scoped: ReadonlySet<string>,
): Keyed | undefined {
  // Rows read after a write differ from those read before it, whatever their key.
  const before = source.instances.filter(({ call }) => call.index < (firstWrite.get(call.trace) ?? Infinity));
  const instances = before.length > 0 ? before : source.instances;
  const rows = source.instances.map((instance) => instance.row);
  const columns = columnsOf(source.instances);
  if (!source.list && source.instances.every(({ call }) => Object.keys(call.args).length === 0)) return undefined;
  const keyed = (chosen: readonly Part[]): Keyed => ({
    source,
    key: chosen.map((part) => part.column),
    injected: new Map(chosen.flatMap((part) => (part.arg === undefined ? [] : [[part.column, part.arg] as const]))),
    columns,
  });
  const parts: Part[] = scalarColumns(rows).map((column) => {
    const values = rows.map((row) => row[column] as Json);
    return {
      column,
      weight:
        idLike(column, values) * 2 +
        (argNames.has(column) ? 3 : 0) +
        (values.some((value) => typeof value === "number" && !Number.isInteger(value)) ? -9 : 0),
    };
  });
  const args = scalarArgs(source.instances);
  // A single row asked for by an id is that id's row, however its other fields differ between deployments.
  const asked = source.list || effectByName(source.tool) === "write" ? undefined : askedId(source, args);
  if (asked) return keyed([{ ...asked, weight: 0 }]);
  const empty = (column: string) => rows.every((row) => row[column] === undefined || row[column] === null);
  for (const arg of args)
    if (!columns.has(arg) || empty(arg))
      parts.push({
        column: arg,
        arg,
        weight: source.list
          ? 0
          : 6 +
            idLike(
              arg,
              source.instances.map(({ call }) => call.args[arg] as Json),
            ),
      });
  parts.sort((a, b) => b.weight - a.weight || byText(a.column, b.column));
  // What a write makes has an id of its own, not one of those it was asked with.
  const own = parts.filter(
    ({ column, arg, weight }) =>
      arg === undefined &&
      !foreign.has(column) &&
      weight >= 4 &&
      !args.some((name) => source.instances.every(({ call, row }) => call.args[name] === row[column])),
  );
  const made = effectByName(source.tool) === "write" && own.length > 0;
  const usable = (made ? own : parts).slice(0, 10);
  const scope = source.list ? parts.find((part) => scoped.has(part.column)) : undefined;
  for (const part of usable)
    if (part.weight >= 2 && part !== scope && functional(instances, [part]))
      return keyed(scope ? [part, scope] : [part]);
  for (const part of usable)
    for (const other of usable) {
      if (part === other || part.weight < 2 || (part.arg !== undefined && other.arg !== undefined)) continue;
      if (functional(instances, [part, other])) return keyed([part, other]);
    }
  return undefined;
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

/** Entity types: sources whose rows share key and shape are one table; a write's answer joins the table of its shape. None gets a name that is `taken`. */
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
  for (const source of reads) {
    const keyed = keyOf(source, argNames, firstWrite, new Set(), scoped);
    if (keyed) place(keyed);
    else unkeyed.push(source);
  }
  for (const source of sources.filter((candidate) => !reads.includes(candidate))) unkeyed.push(source);
  for (const source of unkeyed) {
    const columns = columnsOf(source.instances);
    const fits = groups.filter(
      (group) =>
        (group[0] as Keyed).key.every(
          (column) => columns.has(column) || source.instances.every(({ call }) => call.args[column] !== undefined),
        ) && group.some((other) => overlap(other.columns, columns) >= 0.7),
    );
    const best = fits.sort((a, b) => similarity(b, columns) - similarity(a, columns))[0];
    if (best) {
      const key = (best[0] as Keyed).key;
      best.push({
        source,
        key,
        injected: new Map(key.filter((column) => !columns.has(column)).map((column) => [column, column])),
        columns,
      });
      continue;
    }
    const keyed =
      effectByName(source.tool) === "read" ? undefined : keyOf(source, argNames, firstWrite, keysOf(groups), scoped);
    if (keyed && keyed.injected.size === 0) place(keyed);
  }
  return named(groups, taken);
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

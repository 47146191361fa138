import type { Json, JsonObject } from "../../json.ts";
import { effectByName } from "../effects.ts";
import { byText, canon, joinKey } from "../values.ts";
import { columnsOf, type Instance, idLike, type Source, scalarArgs, scalarColumns } from "./entities.ts";

/** A source with what its rows are told apart by. */
export interface Keyed {
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

/** The weight of a column that goes by the name of an id, or that tools are asked with. */
const NAMING = 4;
/** The share of their columns that rows of one name must have in common, whenever they were seen. */
const ONE_ROW = 0.6;

/** Whether a column identifies rows whose other columns vary: unique per answer, and rows of a name are alike. */
function names(instances: readonly Instance[], part: Part): boolean {
  const first = new Map<string, JsonObject>();
  const within = new Set<string>();
  let [same, n] = [0, 0];
  for (const instance of instances) {
    const key = joinKey([partValue(part, instance)]);
    const here = `${instance.call.trace}/${instance.call.index}/${key}`;
    if (within.has(here)) return false;
    within.add(here);
    const before = first.get(key);
    if (!before) {
      first.set(key, instance.row);
      continue;
    }
    for (const [column, value] of Object.entries(instance.row)) {
      if (column === part.column) continue;
      n++;
      if (canon(value) === canon(before[column])) same++;
    }
  }
  return first.size > 1 && same >= n * ONE_ROW;
}

/** Whether a list can be asked for by a column, and need not be: what picks some of its rows names none. */
function isFilter({ list, instances }: Source, column: string): boolean {
  const given = instances.filter(({ call }) => (call.args[column] ?? null) !== null).length;
  return list && given > 0 && given < instances.length;
}

/** The id that single rows are asked for by: a column that always holds an argument, or an argument that rows may leave out. */
function requestedId({ instances }: Source, args: readonly string[]): { column: string; arg?: string } | undefined {
  for (const arg of args) {
    const asked = instances.map(({ call }) => call.args[arg] as Json);
    if (idLike(arg, asked) < 3) continue;
    if (instances.every(({ row }, i) => row[arg] === asked[i])) return { column: arg };
    const column = Object.keys(instances[0]?.row ?? {}).find((name) =>
      instances.every(({ row }, i) => row[name] === asked[i]),
    );
    if (column !== undefined) return { column };
    if (instances.every(({ row }, i) => row[arg] === undefined || row[arg] === asked[i])) return { column: arg, arg };
  }
  return undefined;
}

/** The key of a source: fewest columns that tell its rows apart, argument names of tools first. Undefined where nothing does. */
export function keyOf(
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
  const asked = source.list || effectByName(source.tool) === "write" ? undefined : requestedId(source, args);
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
      if (!functional(instances, [part, other])) continue;
      // What no tool is asked with and no id tells is no part of a name: the row has it now so, now otherwise.
      const named = other.weight >= NAMING && !isFilter(source, other.column);
      const plain = other.arg === undefined && !named && part.weight >= NAMING;
      return keyed(plain && names(instances, part) ? [part] : [part, other]);
    }
  return undefined;
}

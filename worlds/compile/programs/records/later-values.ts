import { getOwn, isObject, type Json } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { isScalar } from "../../values.ts";
import type { Env, Value } from "../expressions/expr.ts";
import { type Act, keyIn, type Placed } from "./row-actions.ts";
import { observationOf } from "./shapes.ts";
import { type ExportTable, listIn } from "./tables.ts";

/** What else is known when a write is learnt. */
export interface Known {
  readonly sessions: readonly (readonly Placed[])[];
  readonly actions: ReadonlyMap<string, Act>;
  readonly tables: readonly ExportTable[];
  readonly readers: ReadonlySet<string>;
  /** Calls before which all that happened is known. */
  readonly determined: ReadonlySet<Call>;
}

/** What an answer showed of a row. */
interface RowObservation {
  readonly index: number;
  readonly table: string;
  readonly key: string;
  readonly columns: Readonly<Record<string, Json>>;
}

/** What the answers of one session show of rows, as far as readings are understood. */
function rowObservationsOf(
  calls: readonly Placed[],
  acts: ReadonlyMap<string, Act>,
  keys: ReadonlyMap<string, string>,
): RowObservation[] {
  const out: RowObservation[] = [];
  for (const { call, index, kind } of calls) {
    const act = acts.get(call.tool);
    if (call.ok && (act?.effect.kind !== "none" || act.row)) out.push(...ownRows(call, index, keys));
    if (!act?.kinds.has(kind) || act.effect.kind !== "none") continue;
    if (act.view) {
      const { table, item } = act.view;
      for (const entry of listIn(call.value)?.list ?? []) {
        const columns = observationOf(item, entry, call.args);
        const key = columns[keys.get(table) ?? ""];
        if (isScalar(key)) out.push({ index, table, key: String(key), columns });
      }
    } else if (act.row) {
      const key = keyIn(call.args, act.row.arg);
      if (key !== undefined)
        out.push({ index, table: act.row.table, key, columns: observationOf(act.answer, call.value, call.args) });
    }
  }
  return out;
}

/** What a write's own answer shows of rows whose keys it was given and repeats. */
function ownRows({ args, value }: Call, index: number, keys: ReadonlyMap<string, string>): RowObservation[] {
  if (!isObject(value)) return [];
  return [...keys].flatMap(([table, column]): RowObservation[] => {
    const key = getOwn(value, column);
    const given = isScalar(key) && Object.values(args).some((one) => isScalar(one) && String(one) === String(key));
    return given ? [{ index, table, key: String(key), columns: value }] : [];
  });
}

/** The first later sight of a column of a row, before another write names the row. */
function laterValue(
  of: Placed,
  table: string,
  key: string,
  column: string,
  known: Known,
  sights: readonly RowObservation[],
): Json | undefined {
  const calls = known.sessions[of.session] ?? [];
  const end = calls.findIndex(
    ({ call, index }) =>
      index > of.index &&
      !known.readers.has(call.tool) &&
      Object.values(call.args).some((value) => isScalar(value) && String(value) === key),
  );
  const own = sights.find((one) => one.index === of.index && one.key === key && Object.hasOwn(one.columns, column));
  if (own) return getOwn(own.columns, column);
  const seen = sights.find(
    (one) =>
      one.index > of.index &&
      (end < 0 || one.index < end) &&
      one.table === table &&
      one.key === key &&
      Object.hasOwn(one.columns, column),
  );
  return seen && getOwn(seen.columns, column);
}

/** What a later answer shows of a column of the row that a call names or makes. */
export interface Later {
  readonly call: Call;
  readonly env: Env;
  readonly value: Json;
  readonly before: Value | undefined;
}

/** What later answers show of the rows that calls name or make, by column. */
export function latersOf(
  calls: readonly Placed[],
  table: ExportTable,
  keyOf: (one: Placed) => string | undefined,
  known: Known,
): (column: string) => Later[] {
  const keys = new Map(known.tables.map(({ name, key }) => [name, key]));
  const sights = new Map<number, RowObservation[]>();
  return (column) =>
    calls.flatMap((one): Later[] => {
      const key = keyOf(one);
      if (key === undefined) return [];
      const shown =
        sights.get(one.session) ?? rowObservationsOf(known.sessions[one.session] ?? [], known.actions, keys);
      sights.set(one.session, shown);
      const value = laterValue(one, table.name, key, column, known, shown);
      const before = getOwn(one.before.tables.get(table.name)?.rows.get(key) ?? {}, column);
      return value === undefined
        ? []
        : [{ call: one.call, env: { args: one.call.args, facts: one.before }, value, before }];
    });
}

import type { JsonObject } from "../../json.ts";
import type { History } from "../history.ts";
import { byText, canon } from "../values.ts";
import { columnsOf, formsOf, keyedForms, rowsOf } from "./record-forms.ts";
import { rowsAsShown } from "./record-values.ts";
import type { Entity } from "./tables.ts";

/** The share of its columns that an export's table has to have in common with the observed one it joins. */
const ALIKE = 0.6;
/** The same where the two have no row in common, of the columns of the wider one. */
const ALIKE_UNSEEN = 0.4;
/** The share of the values of rows in common that must agree. */
const AGREED = 0.5;

/** Rows of an export in the form of an observed table. */
interface Joined {
  readonly entity: Entity;
  /** What was unfolded to come to them. */
  readonly inner: string;
  readonly rows: ReadonlyMap<string, JsonObject>;
  readonly score: number;
}

/** The observed tables that rows of an export's table belong to, each with the rows in its form. One form joins one table. */
function joinsOf(name: string, value: unknown, history: History): Joined[] {
  const forms = formsOf(rowsOf(value));
  const found = [...history.entities.values()].flatMap((entity) =>
    forms.flatMap((form) =>
      keyedForms(form, entity.key).flatMap((rows) => {
        const joined = joinOf(name, entity, rows, history);
        return joined ? [{ ...joined, inner: form.inner.join() }] : [];
      }),
    ),
  );
  const out: Joined[] = [];
  for (const join of found.sort((a, b) => b.score - a.score || byText(a.entity.name, b.entity.name)))
    if (!out.some(({ entity, inner }) => entity === join.entity || inner === join.inner)) out.push(join);
  return out;
}

/** An export's rows as those of a table, with how well they fit; undefined where they do not. */
function joinOf(
  name: string,
  entity: Entity,
  given: ReadonlyMap<string, JsonObject>,
  history: History,
): Omit<Joined, "inner"> | undefined {
  const base = history.base[entity.name] ?? {};
  const known = columnsOf(Object.values(base));
  const columns = columnsOf([...given.values()]);
  const shared = [...columns].filter((column) => known.has(column)).length;
  const share = shared / Math.max(1, Math.min(known.size, columns.size));
  if (share < ALIKE) return undefined;
  const shown = entity.placed.flatMap(({ source }) => source.instances.map(({ row }) => row));
  const rows = rowsAsShown(given, { shown, observed: (key) => (Object.hasOwn(base, key) ? base[key] : undefined) });
  let [met, values, agreed] = [0, 0, 0];
  for (const [key, row] of Object.entries(base)) {
    const beside = rows.get(key);
    if (!beside) continue;
    met++;
    for (const column of Object.keys(row)) {
      if (entity.key.includes(column) || !Object.hasOwn(beside, column)) continue;
      values++;
      if (canon(beside[column]) === canon(row[column])) agreed++;
    }
  }
  const named = entity.name === name;
  if (values > 0 && agreed < values * AGREED) return undefined;
  if (met === 0 && !named && shared < Math.max(known.size, columns.size) * ALIKE_UNSEEN) return undefined;
  const seen = met / Math.max(1, Object.keys(base).length);
  return { entity, rows, score: share + seen + (values > 0 ? agreed / values : 0) + (named ? 0.5 : 0) };
}

/**
 * Rows of a database export put under the observed ones: a table of the export joins the entity whose columns it shares
 * most, and what that entity's key finds nested in its rows is taken out of them. Columns that traces showed stay as
 * they showed them until what sessions start with is told apart. A table that an export names is whole: a key that it lacks is no row.
 */
export function addRecords(history: History, records: Readonly<Record<string, unknown>>): History {
  const base: Record<string, Record<string, JsonObject>> = { ...history.base };
  const complete = new Map<string, ReadonlySet<string>>();
  const exported = new Map<string, ReadonlyMap<string, JsonObject>>();
  for (const name of Object.keys(records).sort(byText))
    for (const { entity, rows } of joinsOf(name, records[name], { ...history, base })) {
      const merged: Record<string, JsonObject> = { ...base[entity.name] };
      for (const [id, row] of rows) merged[id] = { ...row, ...merged[id] };
      exported.set(entity.name, new Map([...(exported.get(entity.name) ?? []), ...rows]));
      const columns = [...rows.values()].flatMap((row) => Object.keys(row));
      complete.set(entity.name, new Set([...(complete.get(entity.name) ?? []), ...columns]));
      base[entity.name] = Object.fromEntries(Object.entries(merged).sort(([a], [b]) => byText(a, b)));
    }
  return { ...history, base, complete, exported };
}

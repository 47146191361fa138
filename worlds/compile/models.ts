import { jsonStyle } from "../answers.ts";
import type { ColumnModel, Rendering, TableModel } from "../bundle.ts";
import type { Json, JsonObject } from "../json.ts";
import type { History } from "./history.ts";
import type { Call } from "./observations.ts";
import { wrapperOf } from "./tables/entities.ts";
import { byText, isScalar, mode } from "./values.ts";

type Format = NonNullable<ColumnModel["format"]>;
const TEXT_FORMATS: readonly [Format, RegExp][] = [
  ["datetime", /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/],
  ["date", /^\d{4}-\d{2}-\d{2}$/],
  ["time", /^\d{2}:\d{2}(:\d{2})?(\+\d)?$/],
  ["email", /^[^@\s]+@[^@\s]+\.[a-z]{2,}$/i],
  ["phone", /^\+?[\d ()-]{9,}$/],
];

function formatOf(name: string, values: readonly Json[], isKey: boolean): Format | undefined {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  if (known.every((value) => typeof value === "boolean")) return "boolean";
  if (known.every((value) => typeof value === "object")) return "nested";
  if (known.every((value) => typeof value === "number")) {
    if (/price|amount|cost|total|balance|fee|paid|refund|subtotal|salary/i.test(name)) return "money";
    return known.every((value) => Number.isInteger(value)) ? "integer" : "number";
  }
  if (!known.every((value) => typeof value === "string")) return undefined;
  const texts = known as string[];
  const fits = TEXT_FORMATS.find(([, pattern]) => texts.every((value) => pattern.test(value)));
  if (fits) return fits[0];
  if (isKey || /(^|_)(id|sku|code|number)$|Id$/.test(name)) return "id";
  if (/zip|postal/i.test(name)) return "zip";
  const distinct = new Set(texts).size;
  if (distinct <= 12 && texts.length >= distinct * 3) return "enum";
  return /name/i.test(name) ? "name" : "text";
}

/** Table models: key, columns with types, formats, closed value sets, and whose keys a column's values are. */
export function tableModels(history: History): TableModel[] {
  const keys = new Map<string, Set<Json>>();
  for (const entity of history.entities.values())
    if (entity.key.length === 1)
      keys.set(
        entity.name,
        new Set(Object.values(history.base[entity.name] ?? {}).map((row) => row[entity.key[0] as string] as Json)),
      );
  return [...history.entities.values()]
    .sort((a, b) => byText(a.name, b.name))
    .map((entity) => {
      const rows = Object.values(history.base[entity.name] ?? {});
      const names = [...new Set([...entity.key, ...rows.flatMap((row) => Object.keys(row))])];
      return {
        name: entity.name,
        key: [...entity.key],
        columns: names.map((name) => columnModel(name, rows, entity.key.includes(name), entity.name, keys, history)),
      };
    });
}

function columnModel(
  name: string,
  rows: readonly JsonObject[],
  isKey: boolean,
  table: string,
  keys: ReadonlyMap<string, ReadonlySet<Json>>,
  history: History,
): ColumnModel {
  const values = rows.flatMap((row) => (Object.hasOwn(row, name) ? [row[name] as Json] : []));
  const types = [
    ...new Set(
      values.map(
        (value) =>
          (value === null ? "null" : Array.isArray(value) ? "array" : typeof value) as ColumnModel["types"][number],
      ),
    ),
  ].sort(byText);
  const format = formatOf(name, values, isKey);
  const known = values.filter((value) => value !== null);
  const distinct = [...new Set(known.filter(isScalar))].sort((a, b) => byText(String(a), String(b)));
  const closed = (format === "enum" || format === "boolean") && distinct.length > 0;
  const items = known
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter((value) => typeof value === "string");
  const target =
    items.length === 0
      ? undefined
      : [...keys].find(
          ([other, ids]) =>
            other !== table && items.filter((value) => ids.has(value)).length >= Math.max(2, items.length * 0.3),
        );
  return {
    name,
    types,
    ...(format ? { format } : {}),
    present: rows.length === 0 ? 0 : values.length / rows.length,
    ...(closed ? { values: distinct } : {}),
    ...(target && !isKey
      ? { refers_to: { table: target[0], column: history.entities.get(target[0])?.key[0] as string } }
      : {}),
  };
}

/** How a tool's answers look on the wire, by what most of its answers show. */
export function renderingOf(calls: readonly Call[]): Rendering {
  const ok = calls.filter((call) => call.ok);
  const containers = ok.filter((call) => typeof call.value === "object");
  const from = containers.length > 0 ? containers : ok;
  const most = <T>(of: readonly T[], pick: (each: T) => string) => {
    const counts = new Map<string, number>();
    for (const each of of) counts.set(pick(each), (counts.get(pick(each)) ?? 0) + 1);
    return mode(counts);
  };
  const form = (most(from, (call) => call.parsed.form) ?? "text") as Rendering["form"];
  const styles = from.map((call) => jsonStyle(call.parsed));
  const indent = Number(most(styles, (style) => String(style.indent)) ?? 0);
  const errors = calls.filter((call) => !call.ok);
  const wrap = wrapOf(containers);
  return {
    form,
    ...(indent > 0 ? { indent } : {}),
    ...(most(styles, (style) => String(style.spaced)) === "true" ? { spaced: true } : {}),
    ...(containers.length > 0 && styles.some((style) => style.ascii) ? { ascii: true } : {}),
    ...(wrap.length > 0 ? { wrap } : {}),
    error_flag: errors.length === 0 || errors.some((call) => call.flagged),
  };
}

function wrapOf(calls: readonly Call[]): string[] {
  const wraps = new Set(
    calls.map((call) =>
      typeof call.value === "object" &&
      call.value !== null &&
      !Array.isArray(call.value) &&
      Object.keys(call.value).length === 1
        ? wrapperOf(call.value).join()
        : "",
    ),
  );
  const [only] = wraps;
  return wraps.size === 1 && only ? [only] : [];
}

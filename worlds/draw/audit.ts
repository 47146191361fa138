import type { BaseState, Bundle } from "../bundle.ts";
import { MADE } from "../compile/programs/records/tables.ts";
import type { JsonObject } from "../json.ts";
import { leaves, skeleton } from "../tasks/leaves.ts";
import { elements } from "../tasks/select.ts";
import { dateColumns, findOrders } from "./orders.ts";
import { findJoins, findMutuals, scalarsOf } from "./relations.ts";
import { Telling } from "./telling.ts";
import { findTotals, sumOf } from "./totals.ts";

/** A row that contradicts what the observed rows always show. */
export interface Contradiction {
  readonly kind: "join" | "total" | "dates";
  readonly table: string;
  readonly key: string;
  readonly detail: string;
}

/** What looks made up, without contradicting anything. */
export interface RealismFlag {
  readonly kind: "duplicate" | "format" | "range";
  readonly table: string;
  readonly key: string;
  readonly detail: string;
}

/** An audit: rows looked at, rules that the observed rows keep without exception, rows that break them, and flags. */
export interface AuditReport {
  readonly rows: number;
  readonly drawn: number;
  readonly rules: { readonly joins: number; readonly totals: number; readonly dates: number };
  readonly contradictions: readonly Contradiction[];
  readonly flags: readonly RealismFlag[];
}

/**
 * Audits a drawn state: every row against the joins, totals and date orders that the observed rows keep without
 * exception, and the drawn rows for what gives them away. Counts what it held them to.
 */
export function audit(bundle: Bundle, base: BaseState): AuditReport {
  const isDrawn = (table: string, key: string) => base.drawn[table]?.includes(key) === true;
  const observed: BaseState = {
    tables: Object.fromEntries(
      Object.entries(base.tables).map(([t, rows]) => [
        t,
        Object.fromEntries(Object.entries(rows).filter(([key]) => !isDrawn(t, key))),
      ]),
    ),
    drawn: {},
  };
  const contradictions: Contradiction[] = [];
  const flags: RealismFlag[] = [];
  const all = scalarsOf(base);
  const seen = scalarsOf(observed);
  const joins = findJoins(bundle, observed, seen);
  const mutuals = findMutuals(joins, seen);
  const whole = joins.filter((j) => j.share === 1);
  const telling = new Telling(observed, joins, seen);
  for (const join of whole) {
    for (const [key, scalars] of all.get(join.table) ?? []) {
      const broken = scalars.find(
        (l) =>
          l.generic === join.generic &&
          typeof l.value === "string" &&
          !Object.hasOwn(base.tables[join.to] ?? {}, l.value),
      );
      if (broken)
        contradictions.push({
          kind: "join",
          table: join.table,
          key,
          detail: `${join.generic} names no row of ${join.to}`,
        });
    }
  }
  for (const mutual of mutuals) {
    for (const [key, scalars] of all.get(mutual.parent) ?? []) {
      for (const leaf of scalars) {
        if (leaf.generic !== mutual.list) continue;
        const back = all
          .get(mutual.part)
          ?.get(String(leaf.value))
          ?.find((l) => l.generic === mutual.back);
        if (back && back.value !== key)
          contradictions.push({
            kind: "join",
            table: mutual.part,
            key: String(leaf.value),
            detail: `${mutual.back} is not the row of ${mutual.parent} that lists it`,
          });
      }
    }
    for (const [key, scalars] of all.get(mutual.part) ?? []) {
      const owner = scalars.find((l) => l.generic === mutual.back)?.value;
      const listed = typeof owner === "string" ? all.get(mutual.parent)?.get(owner) : undefined;
      if (isDrawn(mutual.part, key) && listed && !listed.some((l) => l.generic === mutual.list && l.value === key))
        contradictions.push({
          kind: "join",
          table: mutual.part,
          key,
          detail: `its ${mutual.parent} row does not list it`,
        });
    }
  }
  let totals = 0;
  let dates = 0;
  for (const [table, rows] of Object.entries(base.tables)) {
    const known = Object.values(observed.tables[table] ?? {}) as JsonObject[];
    const sums = findTotals(known);
    const orders = findOrders(known);
    totals += sums.length;
    dates += orders.length;
    for (const [key, value] of Object.entries(rows)) {
      const row = value as JsonObject;
      for (const rule of sums) {
        const sum = sumOf(row, rule);
        const said = row[rule.column];
        if (
          sum !== undefined &&
          elements(row[rule.list] ?? null).length > 0 &&
          said !== undefined &&
          (typeof said !== "number" || Math.abs(sum - said) >= 0.01)
        )
          contradictions.push({ kind: "total", table, key, detail: `${rule.column} is not the sum of ${rule.list}` });
      }
      const days = dateColumns(row);
      for (const { before, after } of orders) {
        const [a, b] = [days.get(before), days.get(after)];
        if (a !== undefined && b !== undefined && a > b)
          contradictions.push({ kind: "dates", table, key, detail: `${before} is after ${after}` });
      }
    }
    flags.push(...flagDrawn(table, rows as Record<string, JsonObject>, known, base.drawn[table] ?? [], telling));
  }
  return {
    rows: Object.values(base.tables).reduce((n, rows) => n + Object.keys(rows).length, 0),
    drawn: Object.values(base.drawn).reduce((n, keys) => n + keys.length, 0),
    rules: { joins: whole.length + mutuals.length, totals, dates },
    contradictions,
    flags,
  };
}

function flagDrawn(
  table: string,
  rows: Readonly<Record<string, JsonObject>>,
  observed: readonly JsonObject[],
  drawn: readonly string[],
  telling: Telling,
): RealismFlag[] {
  const flags: RealismFlag[] = [];
  if (drawn.length === 0 || observed.length === 0) return flags;
  const drawnKeys = new Set(drawn);
  const formats = new Set(
    Object.keys(rows)
      .filter((k) => !drawnKeys.has(k))
      .map(skeleton),
  );
  const ranges = new Map<string, { low: number; high: number }>();
  for (const row of observed) {
    for (const leaf of leaves(row)) {
      if (typeof leaf.value !== "number" || leaf.generic === MADE) continue;
      const range = ranges.get(leaf.generic);
      ranges.set(leaf.generic, {
        low: Math.min(range?.low ?? leaf.value, leaf.value),
        high: Math.max(range?.high ?? leaf.value, leaf.value),
      });
    }
  }
  for (const key of drawn) {
    const row = rows[key];
    if (!row) continue;
    if (!formats.has(skeleton(key)))
      flags.push({ kind: "format", table, key, detail: "no observed key has this form" });
    const twin = telling.duplicateOf(table, key, row);
    if (twin) flags.push({ kind: "duplicate", table, key, detail: `${twin.detail} (${twin.key})` });
    const out = leaves(row).find(
      (l) =>
        typeof l.value === "number" &&
        ranges.has(l.generic) &&
        (l.value < (ranges.get(l.generic)?.low ?? 0) || l.value > (ranges.get(l.generic)?.high ?? 0)),
    );
    if (out) flags.push({ kind: "range", table, key, detail: `${out.generic} lies outside what was observed` });
  }
  return flags;
}

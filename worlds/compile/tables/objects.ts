import { isObject, type Json, type JsonObject } from "../../json.ts";
import { findPredicate } from "../conditions/predicates.ts";
import { literal, type Term } from "../conditions/term.ts";
import type { Env } from "../conditions/terms.ts";
import type { Solve, Target } from "../fit/fitting.ts";
import { canon, same } from "../values.ts";
import { isDataMap } from "./entities.ts";

/** An object: one that is known with some columns changed, a data map with an entry more or less, else built column by column. */
export function synthesiseObject(env: Env, target: Target, depth: number, solve: Solve): Term | undefined {
  const known = target.filter(isObject);
  if (isDataMap(known)) {
    const entry = mapEntry(env, target, depth, solve);
    if (entry) return entry;
  }
  const changed = withChanges(env, target, depth, solve);
  const built = byColumns(env, target, known, depth, solve);
  return changed && built ? (built.cost < changed.cost ? built : changed) : (changed ?? built);
}

/** An object whose every column is found by itself. */
function byColumns(
  env: Env,
  target: Target,
  known: readonly JsonObject[],
  depth: number,
  solve: Solve,
): Term | undefined {
  const columns = numbersFirst([...new Set(known.flatMap((object) => Object.keys(object)))], known);
  if (columns.length > 40 || known.some((object) => columns.some((column) => !Object.hasOwn(object, column))))
    return undefined;
  const parts: [string, Term][] = [];
  for (const column of columns) {
    const wanted = target.map((want) => (isObject(want) ? (want[column] as Json) : undefined));
    const term = solve(env, wanted, depth + 1);
    if (!term) return undefined;
    parts.push([column, namesake(env, column, wanted, term) ?? term]);
  }
  sortLike(parts, Object.keys(known[0] as JsonObject));
  return {
    cel: `{${parts.map(([column, term]) => `${literal(column)}: ${term.cel}`).join(", ")}}`,
    cost: parts.reduce((total, [, term]) => total + term.cost * 0.6, 0.5),
    vals: target.map((_, i) =>
      parts.some(([, term]) => term.vals[i] === undefined)
        ? undefined
        : Object.fromEntries(parts.map(([column, term]) => [column, term.vals[i] as Json])),
    ),
  };
}

/** For a number that was always the same: the column of a known row by its name, where that was always that number too. */
function namesake(env: Env, column: string, wanted: Target, { cel }: Term): Term | undefined {
  if (!/^-?\d+(?:\.\d+)?$/.test(cel)) return undefined;
  const ending = new RegExp(`\\.${column}\\)*$`);
  return env.terms.find(
    (term) => ending.test(term.cel) && wanted.every((want, i) => want === undefined || term.vals[i] === want),
  );
}

/** Columns with numbers before the others: what a number is made of may tell what its label is. */
function numbersFirst(columns: readonly string[], rows: readonly JsonObject[]): string[] {
  const numeric = (column: string) => rows.some((row) => typeof row[column] === "number");
  return [...columns.filter(numeric), ...columns.filter((column) => !numeric(column))];
}

function sortLike(parts: [string, Term][], columns: readonly string[]): void {
  parts.sort(([a], [b]) => columns.indexOf(a) - columns.indexOf(b));
}

function withChanges(env: Env, target: Target, depth: number, solve: Solve): Term | undefined {
  const bases = env.terms.filter(
    (term) =>
      term.vals.some(isObject) && term.vals.every((value) => value === undefined || value === null || isObject(value)),
  );
  let best: Term | undefined;
  for (const base of bases) {
    const columns = new Set<string>();
    let n = 0;
    let shared = 0;
    target.forEach((want, i) => {
      const before = base.vals[i];
      if (!isObject(want) || !isObject(before)) return;
      n++;
      const keys = Object.keys(before);
      if (keys.every((key) => Object.hasOwn(want, key)) && keys.some((key) => same(before[key], want[key]))) shared++;
      for (const key of Object.keys(want)) if (!same(want[key], before[key])) columns.add(key);
    });
    const size = Math.max(...base.vals.filter(isObject).map((object) => Object.keys(object).length));
    if (
      n < target.filter((want) => want !== undefined).length * 0.8 ||
      shared < n ||
      columns.size === 0 ||
      columns.size > size * 0.7
    )
      continue;
    const parts: [string, Term][] = [];
    for (const column of numbersFirst([...columns], target.filter(isObject))) {
      const term = solve(
        env,
        target.map((want, i) => (isObject(want) && isObject(base.vals[i]) ? (want[column] as Json) : undefined)),
        depth + 1,
      );
      if (term) parts.push([column, term]);
    }
    if (parts.length < columns.size) continue;
    sortLike(parts, [...columns]);
    const cost = parts.reduce((total, [, term]) => total + term.cost * 0.6, base.cost + 0.6);
    if (best && best.cost <= cost) continue;
    const vals = target.map((_, i) => {
      const before = base.vals[i];
      if (!isObject(before) || parts.some(([, term]) => term.vals[i] === undefined)) return undefined;
      return { ...before, ...Object.fromEntries(parts.map(([column, term]) => [column, term.vals[i] as Json])) };
    });
    best = {
      cel: `${base.cel}.merge({${parts.map(([column, term]) => `${literal(column)}: ${term.cel}`).join(", ")}})`,
      cost,
      vals,
    };
  }
  return best;
}

function lacks({ cel, vals }: Term, entry: string): boolean {
  return cel.startsWith(`${entry}.`) && vals.includes(null) && vals.some((value) => typeof value === "number");
}

/** A data map with one entry, named by a scalar, changed, added or taken away; on a condition where only some examples change it. */
function mapEntry(env: Env, target: Target, depth: number, solve: Solve): Term | undefined {
  for (const base of env.terms) {
    if (!base.vals.every((value) => value === undefined || isObject(value)) || !base.vals.some(isObject)) continue;
    const changed = target.map((want, i) => {
      const before = base.vals[i];
      if (!isObject(want) || !isObject(before)) return undefined;
      const keys = [...new Set([...Object.keys(want), ...Object.keys(before)])].filter(
        (key) => canon(want[key]) !== canon(before[key]),
      );
      return keys;
    });
    const known = changed.filter((keys) => keys !== undefined);
    if (known.length === 0 || known.some((keys) => keys.length > 1) || known.every((keys) => keys.length === 0))
      continue;
    const key = solve(
      env,
      changed.map((keys) => keys?.[0]),
      depth + 1,
    );
    if (!key) continue;
    const named = `${base.cel}.get(${key.cel})`;
    env.open(
      named,
      base.vals.map((map, i) => {
        const name = key.vals[i];
        return map === undefined || name === undefined
          ? undefined
          : isObject(map) && typeof name === "string" && Object.hasOwn(map, name)
            ? (map[name] as Json)
            : null;
      }),
      base.cost + 0.8,
    );
    const entry = target.map((want, i) => {
      const name = changed[i]?.[0];
      return name === undefined ? undefined : (((want as JsonObject)[name] ?? null) as Json);
    });
    const gone = entry.filter((value) => value !== undefined).every((value) => value === null);
    const value = gone ? undefined : solve(env, entry, depth + 1);
    if (!gone && !value) continue;
    const made = gone ? `${base.cel}.without(${key.cel})` : `${base.cel}.merge({${key.cel}: ${(value as Term).cel}})`;
    const cost = base.cost + key.cost + (value?.cost ?? 0) + 0.6;
    const vals = target.map((want, i) => (base.vals[i] === undefined ? undefined : want));
    // An entry that lacks what the new value is made of has nothing to change.
    const needed = value && env.terms.find((term) => lacks(term, named) && value.cel.includes(term.cel));
    const kept = changed.flatMap((keys, i) => {
      const name = key.vals[i];
      if (needed?.vals[i] === null || keys?.length !== 0 || typeof name !== "string") return [];
      const before = (base.vals[i] as JsonObject)[name];
      return same(gone ? undefined : value?.vals[i], before) ? [] : [i];
    });
    if (kept.length === 0)
      return { cel: needed ? `(${needed.cel} != null ? ${made} : ${base.cel})` : made, cost, vals };
    const when = findPredicate(
      env,
      changed.flatMap((keys, i) => (keys?.length === 1 ? [i] : [])),
      kept,
      { general: true },
    );
    if (when) return { cel: `(${when.cel} ? ${made} : ${base.cel})`, cost: cost + when.cost, vals };
  }
  return undefined;
}

import { isObject, type Json, type JsonObject } from "../json.ts";
import { isDataMap } from "./entities.ts";
import { fits, type Solve, scoreOf, type Target } from "./fitting.ts";
import { findPredicate } from "./predicates.ts";
import { literal, type Term } from "./term.ts";
import type { Env } from "./terms.ts";
import { byText, canon, same } from "./values.ts";

const SORT = (list: readonly Json[]) =>
  [...list].sort((a, b) => (typeof a === "number" && typeof b === "number" ? a - b : byText(String(a), String(b))));

/** Lists and objects: copies with changes, elements mapped, appended, removed, sorted; objects column by column. */
export function synthesiseStructure(env: Env, target: Target, depth: number, solve: Solve): Term | undefined {
  const known = target.filter((value) => value !== undefined);
  if (known.every((value) => Array.isArray(value))) return synthesiseList(env, target, depth, solve);
  if (known.every(isObject)) return synthesiseObject(env, target, depth, solve);
  return undefined;
}

function listTerms(env: Env): Term[] {
  return env.terms.filter(
    (term) =>
      term.vals.some((value) => Array.isArray(value)) &&
      term.vals.every((value) => value === undefined || Array.isArray(value)),
  );
}

function synthesiseList(env: Env, target: Target, depth: number, solve: Solve): Term | undefined {
  const lists = listTerms(env)
    .filter((list) => !list.cel.includes(".map("))
    .sort((a, b) => a.cost - b.cost || byText(a.cel, b.cel));
  for (const list of lists) {
    const vals = list.vals.map((value) => (value === undefined ? undefined : SORT(value as Json[])));
    if (fits(scoreOf(vals, target), target, env.tolerance))
      return { cel: `${list.cel}.sort()`, cost: list.cost + 0.5, vals };
  }
  let best: Term | undefined;
  const consider = (term: Term | undefined) => {
    if (term && (!best || term.cost < best.cost)) best = term;
  };
  for (const list of lists) {
    consider(appended(env, target, list, depth, solve));
    if (best) continue;
    consider(removed(env, target, list));
    consider(rebuilt(env, target, list, depth, solve));
    consider(mapped(env, target, list, depth, solve));
  }
  return best ?? written(env, target, depth, solve);
}

/** A list of one to three elements, each found by itself. */
function written(env: Env, target: Target, depth: number, solve: Solve): Term | undefined {
  const sizes = new Set(target.flatMap((want) => (Array.isArray(want) ? [want.length] : [])));
  const [size] = sizes;
  if (sizes.size !== 1 || size === undefined || size < 1 || size > 3) return undefined;
  return additions(
    env,
    target.map((want) => (want === undefined ? undefined : (want as Json[]))),
    depth,
    solve,
  );
}

/** The list with elements added at its end: none or one by a condition, or one for each of another list. */
function appended(env: Env, target: Target, list: Term, depth: number, solve: Solve): Term | undefined {
  const added: (Json[] | undefined)[] = target.map((want, i) => {
    const before = list.vals[i];
    if (!Array.isArray(want) || !Array.isArray(before) || want.length < before.length) return undefined;
    return before.every((item, k) => same(item, want[k])) ? want.slice(before.length) : undefined;
  });
  const known = added.filter((items) => items !== undefined);
  const asked = target.filter((want, i) => want !== undefined && list.vals[i] !== undefined).length;
  if (asked === 0 || known.length < asked || known.every((items) => items.length === 0)) return undefined;
  if (list.vals.every((value) => value === undefined || (value as Json[]).length === 0)) return undefined;
  const one = additions(env, added, depth, solve);
  // Where every list had one element, what is made of the first is made of each.
  const each = one?.cel.includes(`${list.cel}[0]`) ? mapped(env, added, list, depth, solve) : undefined;
  const tail = each && !each.cel.includes("[0]") ? each : one;
  if (!tail) return undefined;
  const vals = target.map((_, i) =>
    list.vals[i] === undefined || tail.vals[i] === undefined
      ? undefined
      : [...(list.vals[i] as Json[]), ...(tail.vals[i] as Json[])],
  );
  return { cel: `${list.cel} + ${tail.cel}`, cost: list.cost + tail.cost + 0.5, vals };
}

function additions(env: Env, added: readonly (Json[] | undefined)[], depth: number, solve: Solve): Term | undefined {
  const sizes = new Set(added.filter((items) => items !== undefined).map((items) => items.length));
  if ([...sizes].every((size) => size <= 1)) {
    const item = solve(
      env,
      added.map((items) => items?.[0]),
      depth + 1,
    );
    if (!item) return undefined;
    if (!sizes.has(0))
      return {
        cel: `[${item.cel}]`,
        cost: item.cost + 0.3,
        vals: item.vals.map((value) => (value === undefined ? undefined : [value])),
      };
    const pos = added.flatMap((items, i) => (items?.length === 1 ? [i] : []));
    const neg = added.flatMap((items, i) => (items?.length === 0 ? [i] : []));
    const when = findPredicate(env, pos, neg, { general: true });
    if (!when) return undefined;
    return {
      cel: `(${when.cel} ? [${item.cel}] : [])`,
      cost: item.cost + when.cost,
      vals: item.vals.map((value, i) =>
        when.truth[i] === undefined ? undefined : when.truth[i] ? (value === undefined ? undefined : [value]) : [],
      ),
    };
  }
  if (sizes.size === 1) {
    const [size] = sizes;
    const items = Array.from({ length: size as number }, (_, k) =>
      solve(
        env,
        added.map((list) => list?.[k]),
        depth + 1,
      ),
    );
    if (items.every((item) => item !== undefined))
      return {
        cel: `[${items.map((item) => item.cel).join(", ")}]`,
        cost: items.reduce((total, item) => total + item.cost, 0.3),
        vals: added.map((_, i) =>
          items.some((item) => item.vals[i] === undefined) ? undefined : items.map((item) => item.vals[i] as Json),
        ),
      };
  }
  const target: Target = added.map((items) => items ?? undefined);
  for (const list of listTerms(env)) {
    const term = mapped(env, target, list, depth, solve);
    if (term) return term;
  }
  return undefined;
}

/** One element for each of another list, in its order. */
function mapped(env: Env, target: Target, list: Term, depth: number, solve: Solve): Term | undefined {
  const usable = target.map((_, i) => Array.isArray(list.vals[i]));
  const asked = target.filter((want) => want !== undefined).length;
  const n = usable.filter((has, i) => has && target[i] !== undefined).length;
  if (
    n < Math.max(1, asked * 0.6) ||
    target.some(
      (want, i) => want !== undefined && usable[i] && (want as Json[]).length !== (list.vals[i] as Json[]).length,
    )
  )
    return undefined;
  if (target.every((want) => want === undefined || (want as Json[]).length === 0)) return undefined;
  const variable = `x${env.depth}`;
  const { env: inner, owner, lists } = env.each(list, variable);
  const flat: Target = lists.flatMap((items, i) =>
    target[i] === undefined ? items.map(() => undefined) : (target[i] as Json[]).slice(0, items.length),
  );
  const element = solve(inner, flat, depth + 1);
  if (!element) return undefined;
  const vals: (Json | undefined)[] = target.map((_, i) => (usable[i] ? [] : undefined));
  element.vals.forEach((value, e) => {
    const i = owner[e] as number;
    const soFar = vals[i];
    vals[i] = soFar === undefined || value === undefined ? undefined : [...(soFar as Json[]), value];
  });
  if (element.cel === variable) return { cel: list.cel, cost: list.cost, vals };
  return { cel: `${list.cel}.map(${variable}, ${element.cel})`, cost: list.cost + element.cost + 0.8, vals };
}

/** The list without some of its elements. */
function removed(env: Env, target: Target, list: Term): Term | undefined {
  const lists: Json[][] = [];
  const kept: boolean[] = [];
  for (const [i, want] of target.entries()) {
    const before = list.vals[i];
    if (!Array.isArray(want) || !Array.isArray(before)) {
      lists.push([]);
      continue;
    }
    if (want.length > before.length) return undefined;
    let k = 0;
    for (const item of before) {
      const keep = k < want.length && same(item, want[k]);
      if (keep) k++;
      kept.push(keep);
    }
    if (k !== want.length) return undefined;
    lists.push(before);
  }
  if (kept.every(Boolean)) return undefined;
  const variable = `x${env.depth}`;
  const { env: inner, owner } = env.inside(lists, variable);
  const pos = kept.flatMap((keep, e) => (keep ? [e] : []));
  const neg = kept.flatMap((keep, e) => (keep ? [] : [e]));
  const predicate = findPredicate(inner, pos, neg);
  if (!predicate) return undefined;
  const items = lists.flat();
  const vals = target.map((_, i) => items.filter((_, e) => owner[e] === i && predicate.truth[e] === true));
  return { cel: `${list.cel}.filter(${variable}, ${predicate.cel})`, cost: list.cost + predicate.cost + 0.8, vals };
}

/** The list without some of its elements and with others at its end. */
function rebuilt(env: Env, target: Target, list: Term, depth: number, solve: Solve): Term | undefined {
  const heads: (Json | undefined)[] = [];
  const tails: (Json[] | undefined)[] = [];
  for (const [i, want] of target.entries()) {
    const before = list.vals[i];
    if (!Array.isArray(want) || !Array.isArray(before)) {
      heads.push(undefined);
      tails.push(undefined);
      continue;
    }
    let n = 0;
    let from = 0;
    for (; n < want.length; n++) {
      const at = before.findIndex((item, k) => k >= from && same(item, want[n]));
      if (at < 0) break;
      from = at + 1;
    }
    heads.push(want.slice(0, n));
    tails.push(want.slice(n));
  }
  const sizes = new Set(tails.flatMap((tail) => (tail ? [tail.length] : [])));
  const lost = heads.some((head, i) => Array.isArray(head) && head.length < (list.vals[i] as Json[]).length);
  if (!lost || sizes.size !== 1 || sizes.has(0)) return undefined;
  const head = removed(env, heads, list);
  const tail = head ? additions(env, tails, depth, solve) : undefined;
  if (!head || !tail) return undefined;
  return {
    cel: `${head.cel} + ${tail.cel}`,
    cost: head.cost + tail.cost + 0.5,
    vals: target.map((_, i) =>
      Array.isArray(head.vals[i]) && Array.isArray(tail.vals[i])
        ? [...(head.vals[i] as Json[]), ...(tail.vals[i] as Json[])]
        : undefined,
    ),
  };
}

/** An object: one that is known with some columns changed, a data map with an entry more or less, else built column by column. */
function synthesiseObject(env: Env, target: Target, depth: number, solve: Solve): Term | undefined {
  const known = target.filter(isObject);
  if (isDataMap(known)) {
    const entry = mapEntry(env, target, depth, solve);
    if (entry) return entry;
  }
  const changed = withChanges(env, target, depth, solve);
  const built = byColumns(env, target, known, depth, solve);
  return changed && built ? (built.cost < changed.cost ? built : changed) : (changed ?? built);
}

/** An object whose every column is an argument of its own: what a call says in full it does not look up. */
export function asTold(env: Env, target: Target): Term | undefined {
  const known = target.filter((value) => value !== undefined);
  if (!known.every(isObject) || known.some((object) => Object.keys(object).length < 2)) return undefined;
  const given = env.terms.filter(({ cel }) => /^args\.\w+$/.test(cel));
  const told = byColumns(env, target, known, 0, (_, wanted) =>
    given.find((term) => fits(scoreOf(term.vals, wanted), wanted, 0)),
  );
  return told && new Set(told.cel.match(/args\.\w+/g)).size === Object.keys(known[0] as JsonObject).length
    ? told
    : undefined;
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
    const term = solve(
      env,
      target.map((want) => (isObject(want) ? (want[column] as Json) : undefined)),
      depth + 1,
    );
    if (!term) return undefined;
    parts.push([column, term]);
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

/** A data map with one entry changed, added or taken away, the entry named by a scalar; where only some examples change it, on a condition. */
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

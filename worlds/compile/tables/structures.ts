import { isObject, type Json } from "../../json.ts";
import type { Predicate } from "../conditions/predicate.ts";
import { findPredicate } from "../conditions/predicates.ts";
import type { Term } from "../conditions/term.ts";
import type { Env } from "../conditions/terms.ts";
import { fits, type Solve, scoreOf, type Target } from "../fit/fitting.ts";
import { byText, same } from "../values.ts";
import { synthesiseObject } from "./objects.ts";

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
    const when = amountThere(env, item, pos, neg) ?? findPredicate(env, pos, neg, { general: true });
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

/** Whether an added item's own amount tells when it is added: where there is one, and not where it is nothing, or less. */
function amountThere(env: Env, item: Term, pos: readonly number[], neg: readonly number[]): Predicate | undefined {
  for (const term of env.terms) {
    if (term.cel.length < 2 || !item.cel.includes(`: ${term.cel}`)) continue;
    const amounts = (examples: readonly number[]) =>
      examples.flatMap((i) => (term.vals[i] === undefined ? [] : [term.vals[i]]));
    const [there, none] = [amounts(pos), amounts(neg)];
    if (![...there, ...none].every((value) => typeof value === "number") || none.length === 0) continue;
    const made = (op: string, test: (value: number) => boolean): Predicate => ({
      cel: `${term.cel} ${op} 0`,
      cost: term.cost + 0.8,
      truth: term.vals.map((value) => (typeof value === "number" ? test(value) : undefined)),
    });
    if (none.every((value) => value === 0) && there.every((value) => value !== 0))
      return made("!=", (value) => value !== 0);
    if (none.every((value) => (value as number) <= 0) && there.every((value) => (value as number) > 0))
      return made(">", (value) => value > 0);
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
  const { env: inner, exampleOf, lists } = env.each(list, variable);
  const flat: Target = lists.flatMap((items, i) =>
    target[i] === undefined ? items.map(() => undefined) : (target[i] as Json[]).slice(0, items.length),
  );
  const element = solve(inner, flat, depth + 1);
  if (!element) return undefined;
  const vals: (Json | undefined)[] = target.map((_, i) => (usable[i] ? [] : undefined));
  element.vals.forEach((value, e) => {
    const i = exampleOf[e] as number;
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
  const { env: inner, exampleOf } = env.inside(lists, variable);
  const pos = kept.flatMap((keep, e) => (keep ? [e] : []));
  const neg = kept.flatMap((keep, e) => (keep ? [] : [e]));
  const predicate = findPredicate(inner, pos, neg);
  if (!predicate) return undefined;
  const items = lists.flat();
  const vals = target.map((_, i) => items.filter((_, e) => exampleOf[e] === i && predicate.truth[e] === true));
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

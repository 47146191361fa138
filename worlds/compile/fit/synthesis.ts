import type { Json } from "../../json.ts";
import { findPredicate } from "../conditions/predicates.ts";
import { literal, type Term, tidy } from "../conditions/term.ts";
import type { Env } from "../conditions/terms.ts";
import { synthesiseStructure } from "../tables/structures.ts";
import { canon, isScalar, same } from "../values.ts";
import { agrees, close, fits, scoreOf, type Target, wanted } from "./fitting.ts";

/** The simplest expression that gives the target in every example; where there is none, one that misses few of many. */
export function synthesise(env: Env, target: Target, depth = 0): Term | undefined {
  const exact = search(env, target, depth);
  if (exact || depth > 0 || env.tolerance > 0 || wanted(target) < 12) return exact;
  env.tolerance = 0.08;
  const close = search(env, target, depth);
  env.tolerance = 0;
  return close;
}

function search(env: Env, target: Target, depth: number): Term | undefined {
  if (wanted(target) === 0) return undefined;
  const direct = bestTerm(env, target);
  const constant = constantOf(env, target);
  if (direct && (!constant || direct.cost < 1.6 || wanted(target) < 2)) return direct;
  if (constant) return constant;
  if (direct) return direct;
  const known = target.filter((value) => value !== undefined);
  if (known.every((value) => typeof value === "number")) {
    const sum = env.aggregate() ? bestTerm(env, target) : undefined;
    const number: Numeric | undefined = sum ?? arithmetic(env, target);
    if (number) {
      if (env.depth === 0) env.add(number.cel, number.vals, Math.min(number.cost, 3));
      for (const inner of number.inner ?? []) env.add(inner.cel, inner.vals, 1.3);
      return number;
    }
  }
  const structure =
    depth < 4 && known.every((value) => typeof value === "object" && value !== null)
      ? synthesiseStructure(env, target, depth, synthesise)
      : undefined;
  return structure ?? conditional(env, target);
}

function bestTerm(env: Env, target: Target): Term | undefined {
  let best: Term | undefined;
  let bestHits = 0;
  for (const term of env.terms) {
    const score = scoreOf(term.vals, target);
    if (!fits(score, target, env.tolerance)) continue;
    const better =
      !best ||
      score.hits > bestHits * 1.3 ||
      (score.hits >= bestHits * 0.75 && (term.cost < best.cost || (term.cost === best.cost && term.cel < best.cel)));
    if (better) {
      best = term;
      bestHits = score.hits;
    }
  }
  return best;
}

/** A greater number that one question alone shows is that question's. */
const SMALL = 1;

function constantOf(env: Env, target: Target): Term | undefined {
  const first = target.find((value) => value !== undefined);
  if (first === undefined || !target.every((value) => value === undefined || same(value, first))) return undefined;
  const asked = new Set(target.flatMap((value, i) => (value === undefined ? [] : [env.groups[i] ?? i]))).size;
  const text = literal(first);
  if (typeof first === "number" && Math.abs(first) > SMALL && asked < 2) return undefined;
  const particular = /\d/.test(text) && typeof first !== "number";
  const structured = typeof first === "object" && first !== null && text.length > 2;
  if ((particular || structured) && asked < 3) return undefined;
  return { cel: literal(first), cost: 1.5, vals: target.map(() => first) };
}

function numeric(terms: readonly Term[]): Term[] {
  const seen = new Set<string>();
  return terms
    .filter(
      (term) =>
        term.vals.some((value) => typeof value === "number") &&
        term.vals.every((value) => value === undefined || value === null || typeof value === "number"),
    )
    .sort((a, b) => a.cost - b.cost || (a.cel < b.cel ? -1 : 1))
    .filter((term) => {
      const text = `${term.vals.map((value) => String(value)).join()}${term.cel.includes(".filter(") ? "nested" : ""}`;
      return !seen.has(text) && Boolean(seen.add(text));
    });
}

type Op = readonly [cel: (a: string, b: string) => string, value: (a: number, b: number) => number];
const OPS: readonly Op[] = [
  [(a, b) => `${a} + ${b}`, (a, b) => a + b],
  [(a, b) => `${a} - ${b}`, (a, b) => a - b],
  [(a, b) => `${a} * ${b}`, (a, b) => a * b],
];

/** Whether two terms are columns of one nested row: what is multiplied or added most likely stands side by side. */
function sameRowColumns(a: Term, b: Term): boolean {
  const [x, y] = [a, b].map(({ cel }) => /^(.*\.first\(\))\.\w+$/.exec(cel)?.[1]);
  return x !== undefined && x === y;
}

function combine(a: Term, b: Term, [cel, value]: Op): Term {
  const wrap = (text: string) => (/ [-+?] /.test(text) ? `(${text})` : text);
  return {
    cel: cel(wrap(a.cel), wrap(b.cel)),
    cost: a.cost + b.cost + 0.6 - (sameRowColumns(a, b) ? 2 : 0),
    vals: a.vals.map((x, i) => {
      const y = b.vals[i];
      return typeof x === "number" && typeof y === "number"
        ? tidy(value(x, y))
        : x === null || y === null
          ? null
          : undefined;
    }),
  };
}

/** A number's expression, and for a distance the difference inside, either way round. */
interface Numeric extends Term {
  readonly inner?: readonly Term[];
  /** The two numbers of a difference. */
  readonly of?: readonly [Term, Term];
}

/** A difference as the observed numbers have it: in binary fractions, where theirs show that noise and it is the same. */
function asObserved(best: Numeric | undefined, target: Target): Numeric | undefined {
  if (!best?.of) return best;
  const [a, b] = best.of;
  const raw = best.cel.startsWith("math.abs(") ? Math.abs : (value: number) => value;
  const vals = a.vals.map((x, i) => {
    const y = b.vals[i];
    return typeof x === "number" && typeof y === "number" ? raw(x - y) : best.vals[i];
  });
  const noisy = target.flatMap((value, i) => (typeof value === "number" && tidy(value) !== value ? [i] : []));
  if (noisy.length < 2 || noisy.filter((i) => vals[i] === target[i]).length < noisy.length * 0.5) return best;
  const cel = `binary_minus(${a.cel}, ${b.cel})`;
  return { ...best, cel: raw === Math.abs ? `math.abs(${cel})` : cel, vals };
}

/** Questions that sums and products of several numbers take. */
const QUESTIONS = 2;

/** Sums, differences and products of up to three numbers that give the target; of a distance also its signed difference. */
export function arithmetic(env: Env, target: Target): Numeric | undefined {
  const numbers = numeric(env.terms).slice(0, 90);
  const probe = target.findIndex((value) => typeof value === "number" && value !== 0);
  if (probe < 0) return undefined;
  const want = target[probe] as number;
  const constants = smallConstants(env.n);
  let best: Numeric | undefined;
  let bestRank = 0;
  const n = wanted(target);
  const consider = (term: Numeric) => {
    if (best && bestRank <= term.cost) return;
    const score = scoreOf(term.vals, target);
    const rank = term.cost + 10 * (1 - score.hits / n);
    if (!fits(score, target, env.tolerance) || (best && bestRank <= rank)) return;
    best = term;
    bestRank = rank;
  };
  for (const a of numbers) {
    consider({
      cel: `-${/ /.test(a.cel) ? `(${a.cel})` : a.cel}`,
      cost: a.cost + 0.3,
      vals: a.vals.map((value) => (typeof value === "number" ? -value : value)),
    });
    consider({
      cel: `math.abs(${a.cel})`,
      cost: a.cost + 0.4,
      vals: a.vals.map((value) => (typeof value === "number" ? Math.abs(value) : value)),
    });
  }
  // Of many numbers some two give any one amount: a second question must show the same two.
  const asked = new Set(target.flatMap((value, i) => (value === undefined ? [] : [env.groups[i] ?? i]))).size;
  if (best || asked < QUESTIONS) return asObserved(best, target);
  const pairs: Term[] = [];
  for (const [i, a] of numbers.entries())
    for (const b of [...numbers.slice(0, i), ...numbers.slice(i + 1), ...constants])
      for (const op of OPS) {
        if (op !== OPS[1] && numbers.indexOf(b) >= 0 && numbers.indexOf(b) < i) continue;
        const pair: Numeric = op === OPS[1] ? { ...combine(a, b, op), of: [a, b] } : combine(a, b, op);
        if (pair.cost > 9) continue;
        pairs.push(pair);
        consider(pair);
        if (op === OPS[1])
          consider({
            cel: `math.abs(${pair.cel})`,
            cost: pair.cost + 0.4,
            vals: pair.vals.map((value) => (typeof value === "number" ? Math.abs(value) : value)),
            inner: [pair, combine(b, a, op)],
            of: [a, b],
          });
      }
  if (best) return asObserved(best, target);
  const extra = [...numbers.slice(0, 40), ...constants];
  for (const pair of pairs) {
    if (pair.cost > 6) continue;
    const here = pair.vals[probe];
    if (typeof here !== "number") continue;
    for (const c of extra) {
      const value = c.vals[probe];
      if (typeof value !== "number") continue;
      if (close(here * value, want)) consider(combine(pair, c, OPS[2] as Op));
      if (close(here + value, want)) consider(combine(pair, c, OPS[0] as Op));
      if (close(here - value, want)) consider(combine(pair, c, OPS[1] as Op));
    }
  }
  return best;
}

function smallConstants(n: number): Term[] {
  return [1, 2, 5, 10, 25, 30, 50, 100].map((value) => ({
    cel: String(value),
    cost: 1.4,
    vals: Array.from({ length: n }, () => value),
  }));
}

/** The cost of a test of a difference's sign: what one example may show. */
const SIGN = 2.2;

/** A choice between two expressions, each right where the other is not, told apart by a condition. */
function conditional(env: Env, target: Target): Term | undefined {
  const n = wanted(target);
  if (n < 3) return undefined;
  const options: Option[] = [];
  const constants = new Map<string, Json>();
  for (const value of target)
    if (isScalar(value) || value === null || (Array.isArray(value) && value.length === 0))
      constants.set(canon(value), value);
  const pool = [
    ...env.terms,
    ...[...constants.values()]
      .slice(0, 8)
      .map((value): Term => ({ cel: literal(value), cost: 1.5, vals: target.map(() => value) })),
  ];
  for (const term of pool) {
    const right: number[] = [];
    const wrong: number[] = [];
    target.forEach((want, i) => {
      if (want === undefined || term.vals[i] === undefined) return;
      (agrees(term.vals[i], want) ? right : wrong).push(i);
    });
    // One example makes a case only of a label, and only where the sign of what stands beside it tells (below).
    const rare = right.length === 1 && term.cel.startsWith('"');
    if (rare || right.length >= Math.max(2, n * 0.08)) options.push({ term, right, wrong });
  }
  const byCover = (a: Option, b: Option) => b.right.length - a.right.length || a.term.cost - b.term.cost;
  const usual = distinct(options.sort(byCover), ({ right, wrong }) => `${right.join()}/${wrong.join()}`).slice(0, 16);
  let best: Term | undefined;
  for (const a of usual) {
    const open = new Set(a.wrong);
    const others = options
      .filter((b) => b !== a && !b.wrong.some((e) => open.has(e)))
      .map((b) => ({ b, covered: b.right.filter((e) => open.has(e)).length }))
      .filter(({ covered }) => covered > 0 && covered >= open.size * 0.5)
      .sort((x, y) => y.covered - x.covered || x.b.term.cost - y.b.term.cost);
    for (const { b } of distinct(others, (other) => `${other.covered}/${other.b.wrong.join()}`).slice(0, 10)) {
      if (new Set([...a.right, ...b.right]).size < n * 0.3) continue;
      if (best && best.cost <= a.term.cost + b.term.cost + 0.5) continue;
      const predicate = findPredicate(env, a.wrong, b.wrong, { general: true });
      if (!predicate || (b.right.length === 1 && predicate.cost > SIGN)) continue;
      const known = new Set([...a.right, ...b.right]).size;
      const cost = a.term.cost + b.term.cost + predicate.cost + 0.5 + 6 * (1 - known / n);
      if (best && best.cost <= cost) continue;
      const vals = target.map((_, e) =>
        predicate.truth[e] === undefined ? undefined : predicate.truth[e] ? b.term.vals[e] : a.term.vals[e],
      );
      if (scoreOf(vals, target).misses > 0) continue;
      best = { cel: `(${predicate.cel} ? ${b.term.cel} : ${a.term.cel})`, cost, vals };
    }
  }
  return best;
}

interface Option {
  readonly term: Term;
  readonly right: readonly number[];
  readonly wrong: readonly number[];
}

function distinct<T>(items: readonly T[], idOf: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => !seen.has(idOf(item)) && Boolean(seen.add(idOf(item))));
}

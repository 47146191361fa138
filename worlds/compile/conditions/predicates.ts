import type { Json } from "../../json.ts";
import { byText, canon, isScalar } from "../values.ts";
import { comparisons } from "./comparisons.ts";
import { limits } from "./limits.ts";
import { type Make, maker, type Predicate, type PredicateHints } from "./predicate.ts";
import { literal, type Term } from "./term.ts";
import type { Env } from "./terms.ts";

function wordsIn(cel: string): string[] {
  return cel.toLowerCase().match(/[a-z]{4,}/g) ?? [];
}

/** Words of refusals that compare one amount with another. */
const MEASURE =
  /^(only|less|fewer|more|most|least|above|below|over|under|exceeds?|enough|insufficient|higher|lower|than)$/i;

/** Words of refusals that count things. */
const COUNT = /^(number|count|length|many|match|same)$/i;

/** The row that a term is a column of. */
function rowOfTerm(cel: string): string | undefined {
  return /^(.*)\.\w+$/.exec(cel)?.[1];
}

function bonus({ cel, sides }: Predicate, hints: PredicateHints): number {
  const words = new Set((hints.words ?? []).map((word) => word.toLowerCase().replace(/s$/, "")));
  let hits = 0;
  for (const word of new Set(wordsIn(cel).map((part) => part.replace(/s$/, "")))) if (words.has(word)) hits++;
  const named = hints.holes ?? [];
  const holes = named.filter((hole) => !/^args\.\w+$/.test(hole));
  let worth = Math.min(hits, 3) * 0.9;
  if (/^size\(.*size\(/.test(cel)) worth += (hints.words ?? []).some((word) => COUNT.test(word)) ? 1.2 : -1;
  if (cel.includes(".map(")) worth -= 0.8;
  if (cel.includes("[0]")) worth -= 1.5;
  if (cel.includes("rows(")) worth += 0.7 * named.filter((hole) => !holes.includes(hole) && cel.includes(hole)).length;
  if (!sides) return worth + (holes.some((hole) => cel.includes(hole)) ? 0.8 : 0);
  const rows = new Set(holes.map(rowOfTerm));
  const about = sides.map(rowOfTerm);
  if (sides.some((side) => holes.includes(side))) worth += 2;
  if (about[0] !== about[1] && about.every((row) => row !== undefined && rows.has(row))) worth += 1.2;
  if ((hints.words ?? []).some((word) => MEASURE.test(word))) worth += 0.8;
  if ((hints.pairs ?? []).some((pair) => pair.every((side) => sides.includes(side)))) worth += 3;
  return worth;
}

/** How much less it costs to compare an argument with the column of its name: that decides changes more often than others do. */
const NAMESAKES = 1.4;

/** The share of the negatives that a condition must be known of, and of one that looks for what the refusal names. */
const KNOWN = 0.4;
const NAMED = 0.15;

/** Whether words name a state. */
const says = (words: readonly string[], state: string): boolean =>
  wordsIn(state).length > 0 && wordsIn(state).every((part) => words.some((word) => word.toLowerCase() === part));

/** Whether a condition holds on every known positive and on no known negative, with enough of both known. */
function separates(
  truth: readonly (boolean | undefined)[],
  pos: readonly number[],
  neg: readonly number[],
  share = KNOWN,
): boolean {
  let p = 0;
  for (const i of pos) {
    if (truth[i] === false) return false;
    if (truth[i] === true) p++;
  }
  let n = 0;
  for (const i of neg) {
    if (truth[i] === true) return false;
    if (truth[i] === false) n++;
  }
  return p >= Math.max(1, pos.length * 0.5) && (neg.length === 0 || n >= Math.max(1, neg.length * share));
}

/** Whether a condition holds on some positive and on none not, and on some negative does not: with another it may separate. */
const mayJoin = (truth: readonly (boolean | undefined)[], pos: readonly number[], neg: readonly number[]): boolean =>
  neg.some((i) => truth[i] === false) && pos.some((i) => truth[i] === true) && !pos.some((i) => truth[i] === false);

/** A text constant that names one thing: a code, an id, a date. */
const PARTICULAR = /"(?:[A-Z0-9_#-]+|[^"]*\d[^"]*)"$/;

const cache = new WeakMap<Env, { terms: number; predicates: readonly Predicate[] }>();

/** Every condition over an environment's terms, made once per environment. */
function predicatesOf(env: Env): readonly Predicate[] {
  const held = cache.get(env);
  if (held?.terms === env.terms.length) return held.predicates;
  const predicates = [...enumerate(env, env.terms)];
  cache.set(env, { terms: env.terms.length, predicates });
  return predicates;
}

function* enumerate(env: Env, terms: readonly Term[], fresh?: readonly Term[]): Generator<Predicate> {
  const make = maker(env);
  const scalars = terms.filter(
    (term) =>
      // A sum with a part that is absent has no value at all.
      !(term.vals.includes(null) && / [-+*] /.test(term.cel)) &&
      term.vals.some(isScalar) &&
      term.vals.every((value) => value === undefined || value === null || isScalar(value)),
  );
  for (const term of scalars) {
    const values = new Map<string, Json>();
    for (const value of term.vals) if (isScalar(value) && values.size <= 24) values.set(canon(value), value);
    const is = (value: Json) => (i: number) => (term.vals[i] === undefined ? undefined : term.vals[i] === value);
    if (values.size <= 24)
      for (const value of values.values()) {
        if (typeof value === "number") continue;
        const names = typeof value === "string" && values.size > 3 && values.size > env.n / 5;
        yield { ...make(`${term.cel} == ${literal(value)}`, term.cost + 1.2, is(value)), particular: names };
        const equal = is(value);
        yield make(`${term.cel} != ${literal(value)}`, term.cost + 1.1, (i) =>
          equal(i) === undefined ? undefined : !equal(i),
        );
      }
    if (term.vals.some((value) => value === null) && !/ [-+*] /.test(term.cel)) {
      yield make(`${term.cel} == null`, term.cost + 0.5, (i) =>
        term.vals[i] === undefined ? undefined : term.vals[i] === null,
      );
      yield make(`${term.cel} != null`, term.cost + 0.5, (i) =>
        term.vals[i] === undefined ? undefined : term.vals[i] !== null,
      );
    }
    if (!term.vals.some((value) => typeof value === "number")) continue;
    const num = (test: (value: number) => boolean) => (i: number) =>
      typeof term.vals[i] === "number" ? test(term.vals[i]) : undefined;
    yield make(
      `${term.cel} > 0`,
      term.cost + 0.8,
      num((value) => value > 0),
    );
    yield make(
      `${term.cel} <= 0`,
      term.cost + 0.9,
      num((value) => value <= 0),
    );
    yield make(
      `${term.cel} < 0`,
      term.cost + 0.85,
      num((value) => value < 0),
    );
    yield make(
      `${term.cel} >= 0`,
      term.cost + 0.95,
      num((value) => value >= 0),
    );
    yield make(
      `${term.cel} == 0`,
      term.cost + 0.8,
      num((value) => value === 0),
    );
    yield make(
      `${term.cel} != 0`,
      term.cost + 0.8,
      num((value) => value !== 0),
    );
  }
  yield* objectTests(env, make);
  yield* comparisons(scalars, fresh, make);
  yield* listTests(terms, scalars, make);
}

function* objectTests(env: Env, make: Make): Generator<Predicate> {
  for (const term of env.terms) {
    if (
      !term.vals.some((value) => typeof value === "object" && value !== null && !Array.isArray(value)) ||
      !term.vals.some((value) => value === null)
    )
      continue;
    const absent = (i: number) => (term.vals[i] === undefined ? undefined : term.vals[i] === null);
    yield make(`${term.cel} == null`, term.cost + 0.4, absent);
    yield make(`${term.cel} != null`, term.cost + 0.4, (i) => (absent(i) === undefined ? undefined : !absent(i)));
  }
}

/** The values that a list ever holds. */
const statesIn = ({ vals }: Term): Json[] =>
  [...new Set(vals.flatMap((value) => (Array.isArray(value) ? value.filter(isScalar) : [])))].sort((a, b) =>
    byText(String(a), String(b)),
  );

function* listTests(terms: readonly Term[], scalars: readonly Term[], make: Make): Generator<Predicate> {
  const lists = terms
    .filter(
      (term) =>
        term.vals.some((value) => Array.isArray(value) && value.some(isScalar)) &&
        term.vals.every(
          (value) =>
            value === undefined ||
            (Array.isArray(value) &&
              value.every((item) => isScalar(item) || (item === null && term.cel.startsWith("rows(")))),
        ),
    )
    .sort((a, b) => a.cost - b.cost)
    .slice(0, 24);
  for (const list of lists) {
    for (const term of scalars.slice(0, 80)) {
      const inside = (i: number) =>
        list.vals[i] === undefined || term.vals[i] === undefined
          ? undefined
          : (list.vals[i] as Json[]).includes(term.vals[i] as Json);
      yield make(`${term.cel} in ${list.cel}`, list.cost + term.cost + 0.8, inside);
      yield make(`!(${term.cel} in ${list.cel})`, list.cost + term.cost + 0.9, (i) =>
        inside(i) === undefined ? undefined : !inside(i),
      );
    }
    for (const value of list.cel.startsWith("rows(") ? statesIn(list) : []) {
      const held = (i: number) => (list.vals[i] === undefined ? undefined : (list.vals[i] as Json[]).includes(value));
      yield { ...make(`${literal(value)} in ${list.cel}`, list.cost + 1.2, held), state: String(value) };
    }
    for (const other of lists) {
      if (other === list) continue;
      const covered = (i: number) =>
        list.vals[i] === undefined || other.vals[i] === undefined
          ? undefined
          : (list.vals[i] as Json[]).every((value) => (other.vals[i] as Json[]).includes(value));
      yield make(`!${list.cel}.all(w, w in ${other.cel})`, list.cost + other.cost + 1, (i) =>
        covered(i) === undefined ? undefined : !covered(i),
      );
      const shares = (i: number) =>
        list.vals[i] === undefined || other.vals[i] === undefined
          ? undefined
          : (list.vals[i] as Json[]).some((value) => (other.vals[i] as Json[]).includes(value));
      if (list.cel < other.cel)
        yield make(`${list.cel}.exists(w, w in ${other.cel})`, list.cost + other.cost + 1.4, shares);
    }
  }
}

/** The simplest condition that holds on the positives and on none of the negatives, if evidence has one: a single test, else two joined. */
export function findPredicate(
  env: Env,
  pos: readonly number[],
  neg: readonly number[],
  hints: PredicateHints = {},
): Predicate | undefined {
  let best: Predicate | undefined;
  const holding: Predicate[] = [];
  const extra = hints.terms?.length ? [...enumerate(env, [...env.terms, ...hints.terms], hints.terms)] : [];
  const bounds = hints.holes ? [...limits(env, pos, neg, hints, maker(env))] : [];
  for (const list of [predicatesOf(env), extra, bounds])
    for (const plain of list) {
      const { truth } = plain;
      if (plain.guarded && !hints.words) continue;
      const named = plain.state !== undefined && says(hints.words ?? [], plain.state);
      const single = separates(truth, pos, neg, named ? NAMED : KNOWN);
      if (!single && !mayJoin(truth, pos, neg)) continue;
      if (hints.general && (plain.particular || PARTICULAR.test(plain.cel)) && !plain.cel.includes(".matches("))
        continue;
      // Most conditions neither separate nor join: what a condition is worth takes longer to say than that.
      const worth = hints.words ? bonus(plain, hints) : plain.changes ? NAMESAKES : 0;
      const predicate = worth === 0 ? plain : { ...plain, cost: plain.cost - worth };
      if (!single) holding.push(predicate);
      else if (!best || predicate.cost < best.cost || (predicate.cost === best.cost && predicate.cel < best.cel))
        best = predicate;
    }
  if (best) return best;
  const parts = holding.sort((a, b) => a.cost - b.cost || (a.cel < b.cel ? -1 : 1)).slice(0, 90);
  for (const [i, a] of parts.entries())
    for (const b of parts.slice(i + 1)) {
      const cost = a.cost + b.cost + 0.5;
      if (best && best.cost <= cost) continue;
      if (neg.some((i) => a.truth[i] === true && b.truth[i] === true)) continue;
      const truth = a.truth.map((value, e) =>
        value === false || b.truth[e] === false
          ? false
          : value === undefined || b.truth[e] === undefined
            ? undefined
            : true,
      );
      if (separates(truth, pos, neg)) best = { cel: `${a.cel} && ${b.cel}`, cost, truth };
    }
  return best;
}

import type { Json } from "../json.ts";
import { literal, type Term } from "./term.ts";
import type { Env } from "./terms.ts";
import { canon, isScalar } from "./values.ts";

/** A condition with its truth in every example, undefined where evidence does not tell. */
export interface Predicate {
  readonly cel: string;
  readonly cost: number;
  readonly truth: readonly (boolean | undefined)[];
  /** It names one of many values: an example rather than a rule. */
  readonly particular?: boolean;
  /** The two amounts that it puts in order, where it does. */
  readonly sides?: readonly [string, string];
  /** It says that an amount is there before comparing it: of use to refusals, where words name the amounts. */
  readonly guarded?: boolean;
  /** It says whether the call changes a column that an argument gives. */
  readonly changes?: boolean;
}

/** How a condition is chosen. */
export interface PredicateHints {
  /** Words of the refusal that the condition explains: terms that they name come first. */
  readonly words?: readonly string[];
  /** Extra terms to compare, such as sums. */
  readonly terms?: readonly Term[];
  /** Terms that stand in the refusal's text: conditions over them come first. */
  readonly holes?: readonly string[];
  /** Numbers that the refusal says: limits to compare with. */
  readonly numbers?: readonly number[];
  /** Terms that the call takes one from the other: a condition over both comes first. */
  readonly pairs?: readonly (readonly [string, string])[];
  /** Leave out tests against ids, dates and other values with digits: they name examples, not rules. */
  readonly general?: boolean;
}

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

/** Whether a condition holds on every known positive and on no known negative, with enough of both known. */
function separates(truth: readonly (boolean | undefined)[], pos: readonly number[], neg: readonly number[]): boolean {
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
  return p >= Math.max(1, pos.length * 0.5) && (neg.length === 0 || n >= Math.max(1, neg.length * 0.4));
}

/** A text constant that names one thing: a code, an id, a date. */
const PARTICULAR = /"(?:[A-Z0-9_#-]+|[^"]*\d[^"]*)"$/;

type Truth = (boolean | undefined)[];

const cache = new WeakMap<Env, { terms: number; predicates: readonly Predicate[] }>();

/** Every condition over an environment's terms, made once per environment. */
function predicatesOf(env: Env): readonly Predicate[] {
  const held = cache.get(env);
  if (held?.terms === env.terms.length) return held.predicates;
  const predicates = [...enumerate(env, env.terms)];
  cache.set(env, { terms: env.terms.length, predicates });
  return predicates;
}

function maker(env: Env): Make {
  return (cel, cost, test) => {
    const truth: Truth = [];
    for (let i = 0; i < env.n; i++) truth.push(test(i));
    return { cel, cost, truth };
  };
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

type Make = (cel: string, cost: number, test: (i: number) => boolean | undefined) => Predicate;

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

const ORDERS: readonly [op: string, test: (a: Json, b: Json) => boolean][] = [
  ["==", (a, b) => a === b],
  ["!=", (a, b) => a !== b],
  ["<", (a, b) => (a as number) < (b as number)],
  [">", (a, b) => (a as number) > (b as number)],
  ["<=", (a, b) => (a as number) <= (b as number)],
  [">=", (a, b) => (a as number) >= (b as number)],
];

function* comparisons(scalars: readonly Term[], fresh: readonly Term[] | undefined, make: Make): Generator<Predicate> {
  const cheap = [...scalars].sort((a, b) => a.cost - b.cost).slice(0, fresh ? 240 : 72);
  for (const term of fresh ?? []) if (!cheap.includes(term)) cheap.push(term);
  for (const [i, a] of cheap.entries())
    for (const b of cheap.slice(i + 1)) {
      if (fresh && !fresh.includes(a) && !fresh.includes(b)) continue;
      const numbers =
        a.vals.some((value) => typeof value === "number") && b.vals.some((value) => typeof value === "number");
      const texts =
        a.vals.some((value) => typeof value === "string") && b.vals.some((value) => typeof value === "string");
      if (!numbers && !texts) continue;
      for (const [op, holds] of numbers || (dated(a) && dated(b)) ? ORDERS : ORDERS.slice(0, 2)) {
        const test = (e: number) => {
          const [x, y] = [a.vals[e], b.vals[e]];
          if (x === undefined || y === undefined) return undefined;
          if (x === null || y === null) return op === "==" ? x === y : op === "!=" ? x !== y : undefined;
          return holds(x, y);
        };
        const ordered = /[<>]/.test(op);
        const plain = make(`${a.cel} ${op} ${b.cel}`, a.cost + b.cost + 0.8, test);
        const predicate = namesakes(a, b) ? { ...plain, changes: true } : plain;
        yield ordered ? { ...predicate, sides: [a.cel, b.cel] } : predicate;
        // What is not there is neither more nor less.
        const gaps = ordered ? [a, b].filter(({ vals }) => vals.includes(null)).map(({ cel }) => `${cel} != null`) : [];
        if (gaps.length > 0)
          yield {
            ...make(`${gaps.join(" && ")} && ${a.cel} ${op} ${b.cel}`, a.cost + b.cost + 1.1, (e) =>
              a.vals[e] === null || b.vals[e] === null ? false : test(e),
            ),
            sides: [a.cel, b.cel],
            guarded: true,
          };
      }
    }
}

/** How much less a comparison costs of an argument with the column of its name: on whether a call changes a column more depends than on others. */
const NAMESAKES = 1.4;

function namesakes(a: Term, b: Term): boolean {
  const [given, held] = a.cel.startsWith("args.") ? [a, b] : [b, a];
  return /^args\.\w+$/.test(given.cel) && held.cel === `it.${given.cel.slice(5)}`;
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+Z?)?$/;

/** Whether a term's texts are dates of one writing, whose order as text is that of time. */
function dated({ vals }: Term): boolean {
  let width = 0;
  for (const value of vals) {
    if (value === undefined || value === null) continue;
    if (typeof value !== "string" || !DATE.test(value) || (width > 0 && value.length !== width)) return false;
    width = value.length;
  }
  return width > 0;
}

/** The writing of a text: its digits counted, its letters by kind. */
function form(text: string): string {
  return text
    .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    .replace(/[A-Za-z]+|\d+/g, (run) => (/\d/.test(run) ? `[0-9]{${run.length}}` : "[A-Za-z]+"));
}

/** Limits that the words of a refusal name, and the writing that accepted arguments share: tests that need the examples they tell apart. */
function* limits(
  env: Env,
  pos: readonly number[],
  neg: readonly number[],
  { numbers = [], holes = [] }: PredicateHints,
  make: Make,
): Generator<Predicate> {
  for (const term of env.terms) {
    if (term.cost > 3) continue;
    const of = (examples: readonly number[]) =>
      examples.flatMap((i) => (typeof term.vals[i] === "number" ? [term.vals[i]] : []));
    const [refused, accepted] = [of(pos), of(neg)];
    if (refused.length === 0 || accepted.length === 0) continue;
    const number = (test: (value: number) => boolean) => (i: number) =>
      typeof term.vals[i] === "number" ? test(term.vals[i]) : undefined;
    for (const limit of numbers) {
      if (refused.every((value) => value > limit))
        yield make(
          `${term.cel} > ${limit}`,
          term.cost + 0.2,
          number((value) => value > limit),
        );
      if (refused.every((value) => value < limit))
        yield make(
          `${term.cel} < ${limit}`,
          term.cost + 0.2,
          number((value) => value < limit),
        );
    }
  }
  for (const term of env.terms) {
    if (!holes.includes(term.cel) || !/^args\.\w+$/.test(term.cel)) continue;
    const of = (examples: readonly number[]) =>
      new Set(examples.flatMap((i) => (typeof term.vals[i] === "string" ? [term.vals[i]] : [])));
    const [refused, accepted] = [of(pos), of(neg)];
    const forms = [...new Set([...accepted].map(form))].sort();
    if (accepted.size < 3 || forms.length > 2 || forms.some((text) => text.length > 200)) continue;
    const pattern = new RegExp(`^(?:${forms.join("|")})$`);
    if ([...refused].some((text) => pattern.test(text))) continue;
    yield make(`!${term.cel}.matches(${literal(`^(?:${forms.join("|")})$`)})`, term.cost + 0.2, (i) =>
      typeof term.vals[i] === "string" ? !pattern.test(term.vals[i]) : undefined,
    );
  }
}

function* listTests(terms: readonly Term[], scalars: readonly Term[], make: Make): Generator<Predicate> {
  const lists = terms
    .filter(
      (term) =>
        term.vals.some((value) => Array.isArray(value) && value.some(isScalar)) &&
        term.vals.every((value) => value === undefined || (Array.isArray(value) && value.every(isScalar))),
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
      if (pos.some((i) => plain.truth[i] === false)) continue;
      if (plain.guarded && !hints.words) continue;
      if (hints.general && (plain.particular || PARTICULAR.test(plain.cel)) && !plain.cel.includes(".matches("))
        continue;
      const worth = hints.words ? bonus(plain, hints) : plain.changes ? NAMESAKES : 0;
      const predicate = worth === 0 ? plain : { ...plain, cost: plain.cost - worth };
      if (separates(predicate.truth, pos, neg)) {
        if (!best || predicate.cost < best.cost || (predicate.cost === best.cost && predicate.cel < best.cel))
          best = predicate;
      } else if (pos.some((i) => predicate.truth[i] === true) && neg.some((i) => predicate.truth[i] === false))
        holding.push(predicate);
    }
  if (best) return best;
  const parts = holding.sort((a, b) => a.cost - b.cost || (a.cel < b.cel ? -1 : 1)).slice(0, 90);
  for (const [i, a] of parts.entries())
    for (const b of parts.slice(i + 1)) {
      const cost = a.cost + b.cost + 0.5;
      if (best && best.cost <= cost) continue;
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

import { getOwn, isObject, type Json, type JsonObject } from "../../../json.ts";
import { same } from "../../values.ts";
import { changedList, EACH, ONE } from "../state/list-changes.ts";
import { caseBits, length } from "./bits.ts";
import {
  argumentPaths,
  constant,
  type Env,
  type Expr,
  inText,
  type Path,
  present,
  UNKNOWN,
  type Value,
} from "./expr.ts";
import { type Found, Level, RIGHT, UNTOLD, type Verdict, WRONG } from "./level.ts";
import { entryChanges, shortened } from "./maps.ts";
import { considerFunctions } from "./mathematics.ts";
import { type Hole, sentenceOf } from "./numbers-in-text.ts";
import { considerSums } from "./sums.ts";
import { UNKNOWN_ID, type Vector, Vectors } from "./vectors.ts";
import { insideOf } from "./within-text.ts";

/** A value that was observed, and what was known when it came to be. */
export interface Example {
  readonly env: Env;
  readonly target: Json;
  readonly session: number;
}

/** Share of a text's numbers that have to be told. */
const MOST = 0.5;

/** Values of a term past which cases on it are no rule. */
const CASES = 24;

/** Sights of one value that are enough to take it for fixed where it is known that something is put there. */
export const UNANIMOUS = 3;

const EMPTY: Expr = { op: "const", value: [] };
/** What becomes of entries of which no example tells. */
const UNTAUGHT: Expr = { op: "unknown" };

/** The examples of one search as positions in one list, so that their values are found once for every part of them. */
export class Search {
  private readonly examples: readonly Example[];
  private readonly own: Expr | undefined;
  private readonly named: string | undefined;
  private readonly vectors: Vectors;
  private readonly targets: Int32Array;
  private readonly optional: readonly { readonly path: Path; readonly given: Uint8Array }[];
  private readonly parts = new Map<string, Found | undefined>();
  private terms: readonly Vector[] = [];

  constructor(examples: readonly Example[], own: Expr | undefined, named: string | undefined) {
    this.examples = examples;
    this.own = own;
    this.named = named;
    const envs = examples.map(({ env }) => env);
    this.vectors = new Vectors(envs);
    this.targets = Int32Array.from(examples, ({ target }) => this.vectors.ids.of(target));
    this.optional = argumentPaths(envs).map((path) => ({
      path,
      given: Uint8Array.from(envs, ({ args }) => (present(args, path) ? 1 : 0)),
    }));
  }

  /** The best expression over terms for all examples; undefined where none is worth anything. */
  best(given: readonly Expr[], depth: number): Found | undefined {
    const level = this.level(Int32Array.from(this.examples, (_, i) => i));
    this.plain(level, given);
    if (level.whole() && !isList(level.best?.expr)) return level.best;
    this.terms = this.distinct(given);
    const sizes = this.terms
      .filter((term) => isListed(term, level.at))
      .map(({ expr }) => this.vectors.of({ op: "size", a: expr }));
    for (const size of sizes) this.value(level, size);
    this.terms = [...this.terms, ...sizes];
    return this.composed(level, depth);
  }

  private level(at: Int32Array): Level {
    return new Level(at, this.targets, (i) => this.target(i), this.named);
  }

  /** The same for some of the examples, over all terms. */
  private part(at: Int32Array, depth: number): Found | undefined {
    const id = `${depth} ${at.join()}`;
    const known = this.parts.get(id);
    if (known !== undefined || this.parts.has(id)) return known;
    const level = this.level(at);
    this.plain(level, undefined);
    const found = level.whole() && !isList(level.best?.expr) ? level.best : this.composed(level, depth);
    this.parts.set(id, found ?? this.agreed(level));
    return this.parts.get(id);
  }

  /** The one value that a part shows over several sessions: too short to be worth its bits there, though the whole may be. */
  private agreed({ at, all }: Level): Found | undefined {
    const [first] = at;
    if (first === undefined || at.length < UNANIMOUS || at.some((i) => this.targets[i] !== this.targets[first]))
      return undefined;
    const marks = new Uint8Array(at.length).fill(RIGHT);
    const found = { expr: constant(this.target(first)), at, marks, right: at.length, wrong: 0, spared: all };
    return this.sessions(found) > 1 ? found : undefined;
  }

  /** The value before, the most frequent value, and the terms by themselves. */
  private plain(level: Level, given: readonly Expr[] | undefined): void {
    if (this.own) this.value(level, this.vectors.of(this.own));
    const common = level.mostCommon();
    const { target } = this.examples[common] as Example;
    const id = this.targets[common];
    level.consider(
      () => constant(target),
      (i) => (this.targets[i] === id ? RIGHT : WRONG),
    );
    for (const term of given?.map((expr) => this.vectors.of(expr)) ?? this.terms) this.value(level, term);
  }

  private value(level: Level, term: Vector): void {
    level.consider(
      () => term.expr,
      (i) => {
        const id = term.id(i);
        return id === UNKNOWN_ID ? UNTOLD : id === this.targets[i] ? RIGHT : WRONG;
      },
    );
  }

  /** Terms without those that say what a shorter one before says, or that nobody knows. */
  private distinct(given: readonly Expr[]): Vector[] {
    const shortest = new Map<string, number>();
    return given.flatMap((expr) => {
      const vector = this.vectors.of(expr);
      const id = vector.signature();
      const bits = length(expr, this.named);
      if (id === undefined || (shortest.get(id) ?? Number.POSITIVE_INFINITY) <= bits) return [];
      shortest.set(id, bits);
      return [vector];
    });
  }

  private composed(level: Level, depth: number): Found | undefined {
    const { at } = level;
    const every = (test: (value: Json) => boolean): boolean => at.every((i) => test(this.target(i)));
    if (every((value) => typeof value === "number")) {
      considerSums(level, this.terms, (i) => this.target(i), this.own && this.vectors.of(this.own));
      if (!level.whole()) considerFunctions(level, this.terms, (i) => this.target(i), this.named);
    }
    if (at.some((i) => Array.isArray(this.target(i)))) this.lists(level);
    if (at.some((i) => isObject(this.target(i)))) this.maps(level);
    if (level.whole()) return level.best;
    if (every((value) => typeof value === "string")) {
      this.paths(level);
      this.text(level);
      if (!level.whole() && depth > 0) this.sentences(level);
    }
    if (level.whole() || depth === 0) return level.best;
    this.options(level, depth);
    if (level.whole()) return level.best;
    this.decisions(level, depth);
    return level.best;
  }

  private lists(level: Level): void {
    const lists = this.terms.filter((term) => isListed(term, level.at));
    for (const list of lists) this.objects(level, list);
    for (const list of [this.vectors.of(EMPTY), ...lists])
      for (const value of this.terms) {
        if (list === value) continue;
        for (const change of lists.includes(value) ? [...ONE, ...EACH] : ONE)
          level.consider(
            () => ({ ...change, list: list.expr, value: value.expr }),
            (i) => changedList(change, list.value(i), value.value(i), this.target(i)),
          );
      }
  }

  /** A list with one more object at its end, of which every field is told. */
  private objects(level: Level, list: Vector): void {
    const made = [...level.at].flatMap((i): Example[] => {
      const [held, target] = [list.value(i), this.target(i)];
      const entry = Array.isArray(held) && Array.isArray(target) ? target[held.length] : undefined;
      return isObject(entry) ? [{ ...(this.examples[i] as Example), target: entry }] : [];
    });
    const [first] = made;
    if (!first) return;
    const given = this.terms.flatMap(({ expr }) => (expr === list.expr ? [] : [expr]));
    const fields = Object.keys(first.target as JsonObject).map((name): [string, Expr] => {
      const examples = made.map((one) => ({ ...one, target: getOwn(one.target as JsonObject, name) ?? null }));
      return [name, new Search(examples, undefined, name).entry(given) ?? UNTAUGHT];
    });
    if (fields.some(([, of]) => of === UNTAUGHT)) return;
    this.value(level, this.vectors.of({ op: "append", list: list.expr, value: { op: "object", fields } }));
  }

  /** A map with another entry under a key that was given. */
  private maps(level: Level): void {
    const maps = this.terms.filter((term) => term.some(level.at, isMap));
    const keys = this.terms.filter(({ expr }) => expr.op === "arg");
    for (const map of maps)
      for (const key of keys) {
        const changed = entryChanges(map, key, level.at, (i) => this.target(i));
        if (!changed) continue;
        const entry: Expr = { op: "entry", map: map.expr, key: key.expr };
        const others = this.terms.flatMap(({ expr }) => (maps.some((one) => one.expr === expr) ? [] : [expr]));
        const of = (there: boolean): Expr | undefined => {
          const examples = changed
            .filter((one) => one.there === there)
            .map(({ at, value }) => ({ ...(this.examples[at] as Example), target: value }));
          if (examples.length === 0) return undefined;
          const own = there ? entry : undefined;
          return new Search(examples, own, undefined).entry(there ? [...others, entry, ...shortened(entry)] : others);
        };
        const [met, otherwise] = [of(true) ?? UNTAUGHT, of(false) ?? UNTAUGHT];
        const test: Expr = { op: "contains", a: map.expr, b: key.expr };
        const value: Expr = same(met as never, otherwise as never) ? met : { op: "if", test, met, otherwise };
        if (value !== UNTAUGHT) this.value(level, this.vectors.of({ op: "put", map: map.expr, key: key.expr, value }));
      }
  }

  /** What an entry of a map becomes. */
  private entry(given: readonly Expr[]): Expr | undefined {
    return (this.best(given, 1) ?? this.agreed(this.level(Int32Array.from(this.examples, (_, i) => i))))?.expr;
  }

  /** Where a path that was given leads from another, and the last part of a path. */
  private paths(level: Level): void {
    const { at } = level;
    const isPath = (value: Value): boolean => typeof value === "string" && value.includes("/");
    const texts = this.terms.filter((term) => term.some(at, (value) => typeof value === "string"));
    const paths = at.some((i) => isPath(this.target(i)));
    for (const a of texts) {
      if (!paths && a.some(at, isPath)) this.value(level, this.vectors.of({ op: "leaf", a: a.expr }));
      for (const b of paths ? texts : [])
        if (a !== b && b.expr.op === "arg") this.value(level, this.vectors.of({ op: "resolve", a: a.expr, b: b.expr }));
    }
  }

  /** A text with the values of terms in it, as the example that shows most of them has it. */
  private text(level: Level): void {
    const { at } = level;
    let best: { parts: readonly (string | Expr)[]; right: number } | undefined;
    const step = at.length > 6 ? at.length / 6 : 1;
    const judge = (parts: readonly (string | Expr)[]) => {
      const vectors = parts.map((part) => (typeof part === "string" ? part : this.vectors.of(part)));
      return (i: number) => this.written(vectors, i);
    };
    for (let n = 0; n < Math.min(6, at.length); n++) {
      const i = at[Math.floor(n * step)] as number;
      const parts = insideOf(this.target(i) as string, this.terms, i);
      if (!parts) continue;
      const { right, wrong } = level.tally(judge(parts));
      if (!best || right - wrong > best.right) best = { parts, right: right - wrong };
    }
    if (!best) return;
    const { parts } = best;
    level.consider(() => ({ op: "text", parts }), judge(parts));
  }

  /** A text in which each number is told by itself. */
  private sentences(level: Level): void {
    const texts = new Map([...level.at].map((i) => [i, this.target(i) as string]));
    const [first] = level.at;
    const sentence = first === undefined ? undefined : sentenceOf(texts, this.terms, first);
    if (!sentence) return;
    const given = this.terms.map(({ expr }) => expr);
    const parts = sentence.map((part) => (typeof part === "string" || "op" in part ? part : this.number(part, given)));
    if (parts.includes(undefined)) return;
    const vectors = parts.map((part) => (typeof part === "string" ? part : this.vectors.of(part as Expr)));
    level.consider(
      () => ({ op: "text", parts: parts as (string | Expr)[] }),
      (i) => this.written(vectors, i),
    );
  }

  /** The number of a text, as it is written there; undefined where nothing tells it of every example. */
  private number({ numbers, decimals }: Hole, given: readonly Expr[]): Expr | undefined {
    const examples = [...numbers].map(([i, target]) => ({ ...(this.examples[i] as Example), target }));
    const found = new Search(examples, undefined, this.named).best(given, 1);
    if (!found || found.wrong > 0 || found.right < examples.length * MOST) return undefined;
    return decimals === undefined ? found.expr : { op: "fixed", a: found.expr, digits: decimals };
  }

  private written(parts: readonly (string | Vector)[], i: number): Verdict {
    const target = this.target(i) as string;
    let text = "";
    for (const part of parts) {
      if (typeof part === "string") text += part;
      else {
        const value = part.value(i);
        if (value === UNKNOWN) return UNTOLD;
        text += inText(value);
      }
    }
    return text === target ? RIGHT : WRONG;
  }

  /** One expression where an argument was given and another where not. */
  private options(level: Level, depth: number): void {
    const { at } = level;
    for (const { path, given } of this.optional) {
      if (level.all - 4 - length({ op: "given", path }, this.named) <= level.most) continue;
      const there = at.filter((i) => given[i] === 1);
      const absent = at.filter((i) => given[i] === 0);
      if (there.length === 0 || absent.length === 0) continue;
      const then = this.part(there, depth - 1);
      const otherwise = then && this.part(absent, depth - 1);
      if (!then || !otherwise) continue;
      const marks = this.together([then, otherwise]);
      level.consider(
        () => ({ op: "if", test: { op: "given", path }, met: then.expr, otherwise: otherwise.expr }),
        (i) => marks[i] as Verdict,
      );
    }
  }

  private together(found: readonly Found[]): Uint8Array {
    const out = new Uint8Array(this.examples.length);
    for (const { at, marks } of found) for (let k = 0; k < at.length; k++) out[at[k] as number] = marks[k] as number;
    return out;
  }

  private decisions(level: Level, depth: number): void {
    const own = this.own && this.vectors.of(this.own);
    for (const on of own ? [own, ...this.terms] : this.terms) {
      if (depth === 1 && !isOwnColumn(on.expr)) continue;
      // Cases within cases are looked for within those of a row's own column alone.
      const inner = isOwnColumn(on.expr) ? Math.min(depth - 1, 1) : 0;
      const groups = this.groupsOf(on, level);
      if (!groups) continue;
      // What the cases can come to at most: each spares all that it holds, in one bit.
      const most = groups.map(({ spare }) => Math.max(0, sum(spare) - caseBits(2) - 1));
      let bound = sum(most) - 5 - length(on.expr, this.named);
      const cases: { value: Json; found: Found }[] = [];
      for (const [g, { value, at, spare }] of groups.entries()) {
        if (bound <= level.most) break;
        const found = this.part(at, inner);
        bound -= most[g] as number;
        if (!found || this.sessions(found) < 2) continue;
        cases.push({ value, found });
        bound -= caseBits(2) + length(found.expr, this.named);
        for (let k = 0; k < at.length; k++) if (found.marks[k] === RIGHT) bound += spare[k] as number;
      }
      if (bound <= level.most || cases.length < 2) continue;
      if (new Set(cases.map(({ found }) => JSON.stringify(found.expr))).size < 2) continue;
      const marks = this.together(cases.map(({ found }) => found));
      level.consider(
        () => ({ op: "decide", on: on.expr, cases: cases.map(({ value, found }) => [value, found.expr] as const) }),
        (i) => marks[i] as Verdict,
      );
    }
  }

  /** The examples by the value of a term; undefined where there are too many values to make cases of. */
  private groupsOf(on: Vector, level: Level): { value: Json; at: Int32Array; spare: number[] }[] | undefined {
    const groups = new Map<number, { value: Json; of: number[]; spare: number[] }>();
    const { at } = level;
    for (let k = 0; k < at.length; k++) {
      const i = at[k] as number;
      const id = on.id(i);
      if (id === UNKNOWN_ID) continue;
      const value = on.value(i) as Json;
      if (typeof value === "object" && value !== null) continue;
      const group = groups.get(id) ?? { value, of: [], spare: [] };
      if (group.of.length === 0) {
        groups.set(id, group);
        if (groups.size > CASES) return undefined;
      }
      group.of.push(i);
      group.spare.push(level.spare[k] as number);
    }
    if (groups.size < 2 || groups.size * 2 > at.length) return undefined;
    return [...groups.values()].map(({ value, of, spare }) => ({ value, at: Int32Array.from(of), spare }));
  }

  /** Over how many sessions an expression is right. */
  private sessions({ at, marks }: Found): number {
    const out = new Set<number>();
    for (let k = 0; k < at.length; k++)
      if (marks[k] === RIGHT) out.add((this.examples[at[k] as number] as Example).session);
    return out.size;
  }

  private target(i: number): Json {
    return (this.examples[i] as Example).target;
  }
}

const isListed = (term: Vector, at: Int32Array): boolean => term.some(at, (value) => Array.isArray(value));
const isMap = (value: Value): boolean => value !== UNKNOWN && isObject(value);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
/** A whole list is long to say: what is put into one, or taken out, says it sooner. */
const isList = (expr: Expr | undefined): boolean => expr?.op === "const" && Array.isArray(expr.value);
const isOwnColumn = (expr: Expr): boolean => expr.op === "column" && expr.of === "row";

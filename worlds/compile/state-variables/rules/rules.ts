import { byText, mode } from "../../values.ts";
import { type ArgumentAssignment, acted } from "../argument-assignments.ts";
import type { Case } from "../cases.ts";
import { bounded, type Copy, type Increment, shifted, shiftsFrom } from "../increments.ts";
import { tableOf } from "../own-rows.ts";
import { crossValidatedTree } from "./cross-validate-tree.ts";
import { Grid } from "./grid.ts";
import { predict, reaches, type Tree } from "./tree.ts";

/** How a value follows from features: a copy, a table over a few, an increment, or an assignment by arguments. */
export type Rule =
  | Increment
  | ArgumentAssignment
  | Copy
  | Tree
  | { readonly kind: "table"; readonly of: readonly string[]; readonly entries: ReadonlyMap<string, string> };

/** The share of foretold cases that a rule must get right. */
const PURE = 0.99;
/** Fewer foretold cases than this are chance. */
const LEAST = 5;
const MAX_FEATURES = 3;
/** The most entries of a table. */
const MAX_ENTRIES = 40;
/** Features tried together: those that tell most by themselves. */
const TRIED = 12;
/** Cases that rules are tried on. */
const SAMPLE = 300;
const MARK = "\u001f";
/** The share of cases that a rule foretells when more features are not tried. */
const ENOUGH = 0.8;
/** The share of cases that a plain rule foretells when no tree is tried. */
const NEARLY = 0.97;
/** The share of what a tree tells of held-out groups that may be wrong. */
const HELD_OUT_WRONG = 0.04;
/** Rules that stand in for each other. */
const MAX_RULES = 3;

interface Fitted {
  readonly rule: Rule;
  readonly score: number;
  /** Cases whose features it finds known. */
  readonly covers: (at: number) => boolean;
}

/** Rules for a value in order: each predicts cases of sessions that it was not fitted on. Few `groups` must beat chance. */
export function findRules(
  given: readonly Case[],
  names: readonly string[],
  own?: string,
  groups = Number.POSITIVE_INFINITY,
): Rule[] {
  const step = Math.max(1, given.length / SAMPLE);
  let cases = given.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
  const out: Rule[] = [];
  while (out.length < MAX_RULES && cases.length > 1) {
    const fitted =
      out.length === 0
        ? bestRule(new Grid(cases, groups), names, own)
        : plainRule(new Grid(cases, groups), names, MAX_FEATURES);
    if (!fitted) break;
    // A rule for what others leave open is one for all cases, or none.
    if (out.length === 0 || holds(fitted.rule, given)) out.push(fitted.rule);
    cases = cases.filter((_, i) => !fitted.covers(i));
  }
  return out;
}

function holds(rule: Rule, cases: readonly Case[]): boolean {
  let [told, wrong] = [0, 0];
  for (const { features, value } of cases) {
    const foretold = applied([rule], features);
    if (foretold === undefined) continue;
    told++;
    if (foretold !== value) wrong++;
  }
  return wrong <= told * HELD_OUT_WRONG;
}

function bestRule(grid: Grid, names: readonly string[], own: string | undefined): Fitted | undefined {
  const plain = plainRule(grid, names, 1);
  if (plain && plain.score >= grid.cases.length * NEARLY) return plain;
  const tree = treeRule(grid.cases, names, own);
  if (tree && tree.score >= grid.cases.length * NEARLY) return tree;
  const wide = plainRule(grid, names, MAX_FEATURES);
  return !tree || (wide && wide.score >= tree.score) ? wide : tree;
}

/** A tree that stands on held-out groups of sessions, scored by what it tells of them. */
function treeRule(cases: readonly Case[], names: readonly string[], own: string | undefined): Fitted | undefined {
  const proven = crossValidatedTree(cases, names, own);
  if (!proven) return undefined;
  const { tree: rule, right, wrong } = proven;
  if (right < LEAST || wrong > (right + wrong) * HELD_OUT_WRONG) return undefined;
  return { rule, score: right - wrong * 5, covers: (at) => reaches(rule, (cases[at] as Case).features) };
}

function plainRule(grid: Grid, names: readonly string[], most: number): Fitted | undefined {
  const { length } = grid.cases;
  let best: { score: number; names: readonly string[]; rule: Rule | undefined } | undefined;
  const consider = (set: readonly string[], score: number | undefined, rule?: Rule) => {
    if (score !== undefined && (!best || score > best.score)) best = { score, names: set, rule };
  };
  consider([], tableScore(grid, [], 0));
  for (const name of names) {
    consider([name], copyScore(grid, name), { kind: "copy", of: name });
    consider([name], tableScore(grid, [name], names.length));
  }
  for (const increment of shiftsOf(grid, names))
    consider(
      typeof increment.by === "string" ? [increment.of, increment.by] : [increment.of],
      incrementScore(grid, increment),
      increment,
    );
  const useful = names
    .map((name) => ({ name, told: purity(grid, name) }))
    .sort((a, b) => b.told - a.told || byText(a.name, b.name))
    .slice(0, TRIED)
    .map(({ name }) => name);
  for (let size = 2; size <= most && (best?.score ?? 0) < length * ENOUGH; size++)
    for (const set of subsets(useful, size)) consider(set, tableScore(grid, set, useful.length));
  if (!best) return undefined;
  const keys = grid.keys(best.names);
  const rule: Rule = best.rule ?? { kind: "table", of: best.names, entries: entriesOf(grid, best.names) };
  return { rule, score: best.score, covers: (at) => (keys[at] as number) >= 0 };
}

/** The features of cases by name, without readings that are several in one (their marks tell the same); of keyed rows, the tables given. */
export function featureNames(
  cases: readonly Case[],
  composites: ReadonlyMap<string, unknown>,
  tables?: ReadonlySet<string>,
): string[] {
  const names = new Set(cases.flatMap(({ features }) => [...features.keys()]));
  const fits = (name: string) => {
    const table = tableOf(name);
    return table === undefined ? !composites.has(name) : (tables?.has(table) ?? false);
  };
  return [...names].filter(fits).sort(byText);
}

/** What the first rule that knows gives; undefined where none does. */
export function applied(rules: readonly Rule[], features: ReadonlyMap<string, string>): string | undefined {
  for (const rule of rules) {
    const value = given(rule, features);
    if (value !== undefined) return value;
  }
  return undefined;
}

function given(rule: Rule, features: ReadonlyMap<string, string>): string | undefined {
  if (rule.kind === "copy") return features.get(rule.of);
  if (rule.kind === "shift") return shifted(rule, features);
  if (rule.kind === "acts") return acted(rule, features);
  if (rule.kind === "tree") return predict(rule, features).value;
  const key = keyOf(features, rule.of);
  return key === undefined ? undefined : rule.entries.get(key);
}

function keyOf(features: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  let key = "";
  for (const [i, name] of names.entries()) {
    const part = features.get(name);
    if (part === undefined) return undefined;
    key += i === 0 ? part : MARK + part;
  }
  return key;
}

/** The parts of a table entry's key. */
export function entryParts(key: string): string[] {
  return key.split(MARK);
}

function copyScore(grid: Grid, name: string): number | undefined {
  let covered = 0;
  let right = 0;
  const values = new Set<string>();
  for (const { features, value } of grid.cases) {
    const known = features.get(name);
    if (known === undefined) continue;
    covered++;
    if (known !== value) continue;
    right++;
    values.add(value);
  }
  return right < LEAST || right < covered * PURE || values.size < 2 ? undefined : right + 0.5;
}

/** Cases that shifts are taken from. */
const PROBED = 6;

/** Shifts that some of the first cases allow. */
function shiftsOf({ cases }: Grid, names: readonly string[]): Increment[] {
  const steps = names.filter((name) => name.startsWith("args."));
  const found = new Map<string, Increment>();
  for (const { features, value } of cases.slice(0, PROBED))
    for (const name of names)
      for (const increment of shiftsFrom(value, name, features, steps))
        found.set(`${increment.of}\n${increment.by}\n${increment.sign}`, increment);
  const values = cases.map(({ value }) => value);
  return [...found].sort(([a], [b]) => byText(a, b)).map(([, shift]) => bounded(shift, values));
}

/** How many cases a shift foretells; undefined where it errs, or where one number or one group of sessions is all it knows. */
function incrementScore({ cases }: Grid, increment: Increment): number | undefined {
  let covered = 0;
  let right = 0;
  const numbers = new Set<string>();
  const groups = new Set<number>();
  for (const { features, value, session } of cases) {
    const told = shifted(increment, features);
    if (told === undefined) continue;
    covered++;
    if (told !== value) continue;
    right++;
    numbers.add(features.get(increment.of) as string);
    groups.add(session);
  }
  if (right < LEAST || right < covered * PURE || numbers.size < 2 || groups.size < 2) return undefined;
  return right + 0.4;
}

/** One value under one key: its cases, and the groups of sessions that show it. */
interface ValueSupport {
  n: number;
  readonly groups: Set<number>;
}

/** How many rules may be found by chance alone among those that are tried. */
const CHANCE = 0.2;

/** Of fewer groups than this nearly every reading tells which one it is, and so whatever else it has. */
const MANY = 30;
/** Values that are mostly the same are seldom told wrongly by chance: they count as if they were less so. */
const RARE = 0.6;

/** Whether what few groups of sessions agree on under a table's keys is more than chance, for as many tables as are tried. */
function beyondChance(grid: Grid, keys: Iterable<Map<number, ValueSupport>>, features: number, names: number): boolean {
  if (features === 0 || grid.among >= MANY) return true;
  let agreements = 0;
  for (const values of keys) {
    let most = 0;
    for (const { groups } of values.values()) most = Math.max(most, groups.size);
    agreements += most - 1;
  }
  let tried = 1;
  for (let i = 0; i < features; i++) tried *= (names - i) / (i + 1);
  return Math.log(Math.max(1, tried)) + agreements * Math.log(Math.min(grid.alike, RARE)) <= Math.log(CHANCE);
}

function tally(grid: Grid, names: readonly string[]): Map<number, Map<number, ValueSupport>> | undefined {
  const keys = grid.keys(names);
  const out = new Map<number, Map<number, ValueSupport>>();
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number;
    if (key < 0) continue;
    let values = out.get(key);
    if (values === undefined) {
      if (out.size === MAX_ENTRIES) return undefined;
      values = new Map();
      out.set(key, values);
    }
    const value = grid.values[i] as number;
    const group = grid.groups[i] as number;
    const told = values.get(value);
    if (told === undefined) values.set(value, { n: 1, groups: new Set([group]) });
    else {
      told.n++;
      told.groups.add(group);
    }
  }
  return out;
}

/** How many cases of other groups a table over some features foretells, less its cost; undefined where it errs. */
function tableScore(grid: Grid, names: readonly string[], among: number): number | undefined {
  const keys = tally(grid, names);
  if (!keys || keys.size === 0) return undefined;
  let hits = 0;
  let misses = 0;
  const foretold = new Set<number>();
  for (const values of keys.values()) {
    let most: ValueSupport | undefined;
    let best = -1;
    let all = 0;
    for (const [value, told] of values) {
      all += told.n;
      if (most && told.n <= most.n) continue;
      most = told;
      best = value;
    }
    foretold.add(best);
    if (most && most.groups.size > 1) hits += most.n;
    misses += all - (most?.n ?? 0);
  }
  // One value whatever the features is no table of them.
  if (names.length > 0 && foretold.size < 2) return undefined;
  if (hits < LEAST || misses > (hits + misses) * (1 - PURE)) return undefined;
  if (!beyondChance(grid, keys.values(), names.length, among)) return undefined;
  return hits - misses * 5 - names.length * 0.5 - keys.size * 0.5;
}

function entriesOf({ cases }: Grid, names: readonly string[]): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const { features, value } of cases) {
    const key = keyOf(features, names);
    if (key === undefined) continue;
    const values = counts.get(key) ?? new Map<string, number>();
    counts.set(key, values.set(value, (values.get(value) ?? 0) + 1));
  }
  return new Map([...counts].map(([key, values]) => [key, mode(values) as string]));
}

/** How well one feature alone foretells the value, as hits less the keys it takes. */
function purity(grid: Grid, name: string): number {
  const { codes, size } = grid.column(name);
  const counts = new Map<number, number>();
  const most = new Int32Array(size);
  const width = grid.cases.length + 1;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    if (code < 0) continue;
    const n = (counts.get(code * width + (grid.values[i] as number)) ?? 0) + 1;
    counts.set(code * width + (grid.values[i] as number), n);
    if (n > (most[code] as number)) most[code] = n;
  }
  return most.reduce((sum, n) => sum + n, -size);
}

function* subsets(names: readonly string[], size: number, from = 0): Generator<string[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let i = from; i <= names.length - size; i++)
    for (const rest of subsets(names, size - 1, i + 1)) yield [names[i] as string, ...rest];
}

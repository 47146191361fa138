import { byText } from "../values.ts";

/** One observed case: what the features were, where known, and what came of it. */
export interface Case {
  readonly features: ReadonlyMap<string, string>;
  readonly value: string;
  /** Cases of one group of sessions tell the same thing once. */
  readonly session: number;
}

/** How a value follows from features: the same as one of them, or by a table over few of them (none: one value). */
export type Rule =
  | { readonly kind: "copy"; readonly of: string }
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
const SAMPLE = 400;
const MARK = "\u001f";
/** Rules that stand in for each other. */
const MAX_RULES = 3;

interface Fitted {
  readonly rule: Rule;
  readonly score: number;
  readonly covered: ReadonlySet<number>;
}

/** Rules for a value, the one to ask first at the head: each foretells cases of sessions that it was not made from, and the later ones those whose features the earlier ones do not find known. */
export function findRules(given: readonly Case[], names: readonly string[]): Rule[] {
  const step = Math.max(1, given.length / SAMPLE);
  let cases = given.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
  const out: Rule[] = [];
  while (out.length < MAX_RULES && cases.length > 1) {
    const fitted = bestRule(cases, names);
    if (!fitted) break;
    out.push(fitted.rule);
    const { covered } = fitted;
    cases = cases.filter((_, i) => !covered.has(i));
  }
  return out;
}

function bestRule(cases: readonly Case[], names: readonly string[]): Fitted | undefined {
  const singles = names.flatMap((name) => [copyOf(cases, name) ?? [], tableOver(cases, [name]) ?? []].flat());
  let best: Fitted | undefined;
  const consider = (fitted: Fitted | undefined) => {
    if (fitted && (!best || fitted.score > best.score)) best = fitted;
  };
  consider(tableOver(cases, []));
  for (const fitted of singles) consider(fitted);
  if (best && best.score >= cases.length * 0.85) return best;
  const useful = names
    .map((name) => ({ name, told: purity(cases, name) }))
    .sort((a, b) => b.told - a.told || byText(a.name, b.name))
    .slice(0, TRIED)
    .map(({ name }) => name);
  for (let size = 2; size <= MAX_FEATURES; size++) {
    for (const set of subsets(useful, size)) consider(tableOver(cases, set));
    if (best && best.score >= cases.length * 0.7) return best;
  }
  return best;
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

function copyOf(cases: readonly Case[], name: string): Fitted | undefined {
  const covered = new Set<number>();
  let right = 0;
  cases.forEach(({ features, value }, i) => {
    const known = features.get(name);
    if (known === undefined) return;
    covered.add(i);
    if (known === value) right++;
  });
  if (right < LEAST || right < covered.size * PURE) return undefined;
  return { rule: { kind: "copy", of: name }, covered, score: right + 0.5 };
}

/** A table over some features, judged by how it foretells each session from the others. */
function tableOver(cases: readonly Case[], names: readonly string[]): Fitted | undefined {
  const keys = new Map<string, Map<string, Map<number, number>>>();
  const covered = new Set<number>();
  for (const [i, { features, value, session }] of cases.entries()) {
    const key = keyOf(features, names);
    if (key === undefined) continue;
    covered.add(i);
    const values = keys.get(key) ?? new Map<string, Map<number, number>>();
    if (values.size === 0) keys.set(key, values);
    const sessions = values.get(value) ?? new Map<number, number>();
    if (sessions.size === 0) values.set(value, sessions);
    sessions.set(session, (sessions.get(session) ?? 0) + 1);
  }
  if (keys.size === 0 || keys.size > MAX_ENTRIES) return undefined;
  const entries = new Map<string, string>();
  let hits = 0;
  let misses = 0;
  for (const [key, values] of keys) {
    const ranked = [...values].sort((a, b) => b[1].size - a[1].size || byText(a[0], b[0]));
    const [most, sessions] = ranked[0] as (typeof ranked)[number];
    entries.set(key, most);
    for (const n of sessions.values()) if (sessions.size > 1) hits += n;
    for (const [, of] of ranked.slice(1)) for (const n of of.values()) misses += n;
  }
  if (hits < LEAST || misses > (hits + misses) * (1 - PURE)) return undefined;
  const rule: Rule = { kind: "table", of: names, entries };
  return { rule, covered, score: hits - misses * 5 - names.length * 0.5 - keys.size * 0.5 };
}

/** How well one feature alone foretells the value, as hits less the keys it takes. */
function purity(cases: readonly Case[], name: string): number {
  const counts = new Map<string, Map<string, number>>();
  for (const { features, value } of cases) {
    const key = features.get(name);
    if (key === undefined) continue;
    const values = counts.get(key) ?? new Map<string, number>();
    counts.set(key, values.set(value, (values.get(value) ?? 0) + 1));
  }
  let hits = 0;
  for (const values of counts.values()) hits += Math.max(...values.values()) - 1;
  return hits;
}

function* subsets(names: readonly string[], size: number, from = 0): Generator<string[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let i = from; i <= names.length - size; i++)
    for (const rest of subsets(names, size - 1, i + 1)) yield [names[i] as string, ...rest];
}

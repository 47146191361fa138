import { getOwn, isObject, type Json } from "../../json.ts";
import { byText, canon, isScalar } from "../values.ts";
import { columnNames, type Learnt, termsOf } from "./effects.ts";
import {
  arg,
  argumentPaths,
  cell,
  column,
  constant,
  type Env,
  type Expr,
  evaluate,
  UNKNOWN,
  type Value,
} from "./expressions/expr.ts";
import { type Holding, hasBit, inBoth, noBits, setBit, together, valuesOver } from "./expressions/holding.ts";
import { parentColumn, type Step } from "./simulate.ts";
import { actOf, type Kind, type Kinds } from "./state/kinds.ts";
import type { Layout } from "./state/observations.ts";
import { productsOf, statedComparisons } from "./state/refusal-amounts.ts";
import type { View } from "./state/views.ts";
import { nobodys, refusedValues, unheardSteps, unlike, unseenByFunctions, unsupported } from "./support.ts";

/** When a call ends in a kind: the first condition that holds decides. */
export interface Outcome {
  readonly kind: Kind;
  readonly when: Expr;
}

/** How calls of a tool end: conditions in order, and the kind of those that meet none. */
export interface Outcomes {
  readonly rules: readonly Outcome[];
  readonly otherwise: Kind;
  /** Conditions under which no call that meets no rule was seen to succeed: nobody knows how it ends. */
  readonly unheard: readonly Expr[];
  /** Calls that the conditions tell as they ended, and calls that they tell otherwise. */
  readonly right: number;
  readonly wrong: number;
}

/** Usual endings for each unexplained one, from which a call that meets no condition is taken to end as usual. */
const UNEXPLAINED = 3;
/** Refusals from which a tool that was seen to do nothing else is taken to refuse always. */
const REFUSED = 6;
/** Bits that a call costs of which a condition cannot be told. */
const OPEN = 0.1;
/** Bits of a condition that refusals say themselves. */
const SAID = 2;
const EXAMPLES = 500;
const VALUES = 24;
const TESTS = 1500;

interface Test {
  readonly expr: Expr;
  readonly bits: number;
  readonly holds: Holding;
  /** The ending that it is known to decide, though few calls show it. */
  readonly decides?: Kind;
}

/** Learns from what was known before each call of a tool how it ends. */
export function learnOutcomes(
  tool: string,
  all: readonly Step[],
  learnt: Learnt,
  kinds: Kinds,
  views: readonly View[],
): Outcomes {
  const step = Math.max(1, all.length / EXAMPLES);
  const steps = Array.from({ length: Math.min(all.length, EXAMPLES) }, (_, i) => all[Math.floor(i * step)] as Step);
  const ends = steps.map(({ call }) => kinds.of(call));
  const counts = new Map<Kind, number>();
  for (const kind of ends) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const successes = [...counts].filter(([kind]) => !kind.startsWith("error "));
  const [otherwise] = (successes.length > 0 ? successes : [...counts]).sort(
    (a, b) => b[1] - a[1] || byText(a[0], b[0]),
  )[0] ?? [""];
  const present = presence(tool, learnt, argumentPaths(steps.map(({ call }) => call)));
  const endsSo = ({ call }: Step): boolean => kinds.of(call) === otherwise;
  const functions = learnt.layout.functions.leaves.get(actOf(tool, otherwise));
  const unheardOf = (rules: readonly Outcome[]): Expr[] => [
    ...unsupported(
      steps,
      endsSo,
      ({ call, before }) => rules.every(({ when }) => evaluate(when, { args: call.args, facts: before }) !== true),
      present,
    ),
    ...nobodys(steps.filter(endsSo), views),
    ...unseenByFunctions(steps.filter(endsSo), functions?.values() ?? []),
  ];
  // A tool that was refused a few times and never did its work may be refused for what nobody saw change.
  const usualOnes = steps.filter(endsSo);
  const never = usualOnes.length < REFUSED ? [constant(true)] : unlike(usualOnes);
  const refuses = otherwise.startsWith("error ");
  if (counts.size < 2)
    return { rules: [], otherwise, unheard: refuses ? never : unheardOf([]), right: steps.length, wrong: 0 };
  const tests = testsOf(tool, steps, ends, otherwise, learnt, views, present);
  const left = new Set(steps.map((_, i) => i));
  const rules: Outcome[] = [];
  for (let round = 0; round < 16; round++) {
    let best: { kind: Kind; test: Test; score: number } | undefined;
    const remaining = new Map<Kind, number>();
    for (const i of left) remaining.set(ends[i] as Kind, (remaining.get(ends[i] as Kind) ?? 0) + 1);
    for (const [kind, n] of [...remaining].sort(([a], [b]) => byText(a, b))) {
      if (kind === otherwise) continue;
      const info = 1 + Math.log2(left.size / n);
      const found = bestTest(tests, ends, left, kind, info);
      if (!found) continue;
      if (!best || found.score > best.score) best = { kind, ...found };
    }
    if (!best) break;
    rules.push({ kind: best.kind, when: best.test.expr });
    for (const i of [...left]) if (hasBit(best.test.holds.yes, i)) left.delete(i);
  }
  const unheard = refuses ? never : unheardOf(rules);
  // A call of which a function has no value is not answered: how such calls end tells nothing of others.
  for (const i of [...left]) {
    const { call, before } = steps[i] as Step;
    const untold = [...(functions?.values() ?? [])].some(
      (of) => evaluate(of, { args: call.args, facts: before }) === UNKNOWN,
    );
    if (untold) left.delete(i);
  }
  const usual = [...left].filter((i) => ends[i] === otherwise).length;
  // Where rules leave too many calls that end otherwise, nobody knows how one ends that meets none.
  if (usual < (left.size - usual) * UNEXPLAINED) unheard.splice(0, unheard.length, constant(true));
  else if (usual < left.size) unheard.push(...unsettled(steps, ends, left, otherwise));
  let right = 0;
  let wrong = 0;
  for (const [i, { call, before }] of steps.entries()) {
    const env: Env = { args: call.args, facts: before };
    let ended: Kind | undefined = otherwise;
    for (const { when, kind } of rules) {
      const value = evaluate(when, env);
      if (value === UNKNOWN) ended = undefined;
      else if (value === true) ended = kind;
      if (value !== false) break;
    }
    if (ended === otherwise && unheard.some((expr) => evaluate(expr, env) !== false)) ended = undefined;
    if (ended === ends[i]) right++;
    else if (ended !== undefined) wrong++;
  }
  return { rules, otherwise, unheard, right, wrong };
}

/** Values of arguments with which calls that meet no condition end as usual too seldom. */
function unsettled(steps: readonly Step[], ends: readonly Kind[], left: ReadonlySet<number>, otherwise: Kind): Expr[] {
  const counts = new Map<string, { name: string; value: Json; usual: number; other: number }>();
  for (const i of left)
    for (const [name, value] of Object.entries(steps[i]?.call.args ?? {})) {
      if (!isScalar(value)) continue;
      const id = `${name}\u001e${canon(value)}`;
      const count = counts.get(id) ?? { name, value, usual: 0, other: 0 };
      counts.set(id, count);
      if (ends[i] === otherwise) count.usual++;
      else count.other++;
    }
  const all = [...counts.values()];
  return all.flatMap(({ name, value, usual, other }): Expr[] =>
    other > 1 &&
    usual < other * UNEXPLAINED &&
    all.some((one) => one.name === name && one.usual >= one.other * UNEXPLAINED)
      ? [{ op: "eq", a: arg(name), b: constant(value) }]
      : [],
  );
}

function bestTest(
  tests: readonly Test[],
  ends: readonly Kind[],
  left: ReadonlySet<number>,
  kind: Kind,
  info: number,
): { test: Test; score: number } | undefined {
  let best: { test: Test; score: number } | undefined;
  const near: { test: Test; hits: number; misses: number }[] = [];
  const [wanted, others] = [noBits(ends.length), noBits(ends.length)];
  for (const i of left) setBit(ends[i] === kind ? wanted : others, i);
  const worth = ({ hits, misses, open }: ReturnType<typeof together>, bits: number, decides?: Kind): number => {
    const score = hits * info - misses * 20 - bits - open * OPEN;
    const enough = hits > 1 || (hits > 0 && decides === kind);
    return enough && misses <= hits * 0.02 ? score : 0;
  };
  for (const test of tests) {
    const counts = together(test.holds, test.holds, wanted, others);
    const { hits, misses } = counts;
    if (hits < 2 && test.decides !== kind) continue;
    const score = worth(counts, test.bits, test.decides);
    if (score > (best?.score ?? 0)) best = { test, score };
    if (misses > 0 && hits > 2) near.push({ test, hits, misses });
  }
  near.sort((a, b) => b.hits - b.misses * 0.5 - (a.hits - a.misses * 0.5));
  for (const { test: a } of near.slice(0, 12))
    for (const b of tests) {
      if (a === b) continue;
      const bits = a.bits + b.bits + 4;
      const score = worth(together(a.holds, b.holds, wanted, others), bits);
      if (score <= (best?.score ?? 0)) continue;
      const holds = { yes: inBoth(a.holds.yes, b.holds.yes), maybe: inBoth(a.holds.maybe, b.holds.maybe) };
      best = { test: { expr: { op: "and", a: a.expr, b: b.expr }, bits, holds }, score };
    }
  return best;
}

/** Whether the rows are there that the arguments of a tool name. */
function presence(tool: string, { layout }: Learnt, given: readonly (readonly string[])[]): Expr[] {
  const out = [...(layout.refs.get(tool) ?? [])]
    .sort(([a], [b]) => byText(a, b))
    .map(([name, table]): Expr => ({ op: "exists", of: { table, key: [arg(name)] } }));
  for (const [table, key] of [...layout.tables].sort(([a], [b]) => byText(a, b)))
    if (key.length > 1 && key.every((name) => given.some(([one, ...more]) => one === name && more.length === 0)))
      out.push({ op: "exists", of: { table, key: key.map((name) => arg(name)) } });
  return out;
}

/** Conditions that a call may rest on: on its arguments, cells, the rows that it names and rows of theirs. */
function testsOf(
  tool: string,
  steps: readonly Step[],
  ends: readonly Kind[],
  otherwise: Kind,
  learnt: Learnt,
  views: readonly View[],
  present: readonly Expr[],
): Test[] {
  const { layout } = learnt;
  const columns = columnNames(learnt.timelines);
  const given = argumentPaths(steps.map(({ call }) => call));
  const terms = termsOf(tool, given, layout, columns, undefined);
  const envs = steps.map(({ call, before }): Env => ({ args: call.args, facts: before }));
  const valuesOf = valuesOver(envs);
  const out: Test[] = [];
  const seen = new Set<string>();
  const add = (expr: Expr, bits: number, decides?: Kind): void => {
    if (out.length >= TESTS) return;
    const holds = { yes: noBits(envs.length), maybe: noBits(envs.length) };
    let never = true;
    for (const [i, value] of valuesOf(expr).entries()) {
      if (value !== false) setBit(holds.maybe, i);
      if (value !== true) continue;
      setBit(holds.yes, i);
      never = false;
    }
    if (never) return;
    const id = `${holds.yes} ${holds.maybe}`;
    if (seen.has(id)) return;
    seen.add(id);
    out.push({ expr, bits, holds, ...(decides === undefined ? {} : { decides }) });
  };
  const both = (expr: Expr, bits: number): void => {
    add(expr, bits);
    add({ op: "not", a: expr }, bits + 1);
  };
  const values = new Map(terms.map((term) => [term, valuesOf(term)]));
  const isNumber = (term: Expr): boolean => values.get(term)?.some((value) => typeof value === "number") ?? false;
  const products = productsOf(terms, isNumber);
  for (const kind of new Set(ends)) {
    if (!kind.startsWith("error ")) continue;
    const ended = steps.filter((_, i) => ends[i] === kind);
    for (const name of learnt.layout.reasons)
      if (ended.every(({ call }) => learnt.layout.tells.get(call)?.[name] === true))
        add({ op: "eq", a: cell(name), b: constant(true) }, SAID, kind);
    for (const expr of statedComparisons(ended, terms.filter(isNumber), products)) add(expr, SAID, kind);
  }
  for (const path of given) both({ op: "given", path }, 3);
  const refs = [...(layout.refs.get(tool) ?? [])].sort(([a], [b]) => byText(a, b));
  for (const expr of present) both(expr, 3);
  for (const view of views) both({ op: "eq", a: countOf(view), b: constant(0) }, 3);
  for (const term of terms) {
    const kinds = distinct(values.get(term) ?? []);
    if (kinds.length < 2 || kinds.length > VALUES) continue;
    for (const value of kinds)
      if (value === null || isScalar(value)) both({ op: "eq", a: term, b: constant(value) }, 5);
  }
  const texts = terms.filter((term) => values.get(term)?.some((value) => typeof value === "string"));
  // A column of a row that is named, beside a cell: whose row it is, and who is signed in.
  const comparable = (a: Expr, b: Expr): boolean => a.op === "arg" || (a.op === "column" && b.op === "cell");
  for (const a of texts) for (const b of texts) if (a !== b && comparable(a, b)) both({ op: "eq", a, b }, 7);
  const usual = steps.filter((_, i) => ends[i] === otherwise);
  const held = terms.filter(({ op }) => op === "column");
  for (const expr of unheardSteps(steps, usual, held)) add(expr, 10);
  const lists = terms.filter((term) =>
    values.get(term)?.some((value) => Array.isArray(value) || (term.op !== "arg" && isObject(value as Json))),
  );
  for (const list of lists)
    for (const term of terms) if (term.op === "arg" && term !== list) both({ op: "contains", a: list, b: term }, 7);
  for (const [name, table] of refs)
    for (const [child] of layout.tables) {
      const within = parentColumn(table);
      if (!columns.get(child)?.has(within)) continue;
      const mine: Expr = { op: "eq", a: column("row", within), b: arg(name) };
      for (const of of [...(columns.get(child) ?? [])].sort(byText))
        for (const value of smallDomain(steps, child, of)) {
          const where: Expr = { op: "and", a: mine, b: { op: "eq", a: column("row", of), b: constant(value) } };
          both({ op: "eq", a: { op: "count", table: child, where }, b: constant(0) }, 10);
        }
    }
  for (const [table, names] of [...columns].filter(([table]) => table !== "").sort(([a], [b]) => byText(a, b)))
    for (const path of given)
      for (const name of [...names].sort(byText))
        if (path.length === 1 && (name === path[0] || names.size < 8)) {
          const held = listed(steps, table, name);
          const where: Expr = { op: held ? "contains" : "eq", a: column("row", name), b: { op: "arg", path } };
          both({ op: "eq", a: { op: "count", table, where }, b: constant(0) }, 8);
        }
  for (const [table, names] of [...columns].filter(([table]) => table !== "").sort(([a], [b]) => byText(a, b)))
    for (const path of given)
      for (const name of [...names].sort(byText)) {
        const holder: Expr = { op: "holder", table, column: name, value: { op: "arg", path } };
        if (!layout.tables.get(table)?.includes(name))
          add({ op: "not", a: { op: "eq", a: holder, b: constant(null) } }, 8);
      }
  const refused = steps.filter((_, i) => ends[i]?.startsWith("error "));
  for (const test of refusedValues(refused)) add(test, 5);
  // Keys are numbers that nothing is added to: a limit on one tells the rows of a session apart, and no rule.
  const numeric = terms.filter((term) => isNumber(term) && !isKey(term, tool, layout));
  for (const a of numeric)
    for (const b of numeric) {
      if (a === b) continue;
      if (a.op === "arg" || b.op === "arg") add({ op: "less", a, b }, 8);
      if (a.op !== "arg" || (b.op === "arg" && numeric.indexOf(b) < numeric.indexOf(a))) continue;
      thresholds({ op: "add", a, b }, add, 12);
    }
  for (const a of numeric) thresholds(a, add, 8);
  for (const product of products)
    for (const c of numeric)
      if (c.op !== "arg" && !(product.op === "multiply" && product.b === c)) add({ op: "less", a: c, b: product }, 10);
  return out;

  function thresholds(of: Expr, put: (expr: Expr, bits: number) => void, bits: number): void {
    const sorted = distinct(envs.map((env) => evaluate(of, env)))
      .filter((value): value is number => typeof value === "number")
      .sort((x, y) => x - y);
    for (const at of roundBetween(sorted)) {
      put({ op: "less", a: constant(at), b: of }, bits);
      put({ op: "less", a: of, b: constant(at) }, bits);
    }
  }
}

/** Whether a term is the key of a row: an argument that names one, or the key of the row that it names. */
function isKey(term: Expr, tool: string, { refs, tables }: Layout): boolean {
  if (term.op === "arg") return term.path.length === 1 && refs.get(tool)?.has(term.path[0] as string) === true;
  return term.op === "column" && term.of !== "row" && tables.get(term.of.table)?.includes(term.name) === true;
}

/** The roundest number between each two neighbours, the lower one included; few of them where there are many. */
function roundBetween(sorted: readonly number[]): number[] {
  const out = new Set<number>();
  const stride = Math.max(1, Math.floor(sorted.length / 40));
  for (let i = 0; i + 1 < sorted.length; i += stride) {
    const [low, high] = [sorted[i] as number, sorted[i + 1] as number];
    let found = low;
    for (let unit = 10 ** 9; unit >= 1e-6; unit /= 10) {
      const at = Math.floor(high / unit) * unit;
      if (at >= low && at < high) {
        found = Number(at.toFixed(6));
        break;
      }
    }
    out.add(found);
  }
  return [...out];
}

function distinct(values: readonly Value[]): Json[] {
  const out = new Map<string, Json>();
  for (const value of values) if (value !== UNKNOWN) out.set(canon(value as Json), value as Json);
  return [...out.keys()].sort(byText).map((id) => out.get(id) as Json);
}

/** Whether a column of a table's rows holds lists. */
const listed = (steps: readonly Step[], table: string, name: string): boolean =>
  steps.some(({ before }) =>
    [...(before.tables.get(table)?.rows.values() ?? [])].some((row) => Array.isArray(getOwn(row, name))),
  );

function smallDomain(steps: readonly Step[], table: string, name: string): Json[] {
  const out = new Map<string, Json>();
  for (const { before } of steps)
    for (const row of before.tables.get(table)?.rows.values() ?? []) {
      const value = getOwn(row, name);
      if (value === undefined || value === UNKNOWN || (value !== null && !isScalar(value))) continue;
      out.set(canon(value as Json), value as Json);
      if (out.size > 6) return [];
    }
  return [...out.keys()].sort(byText).map((id) => out.get(id) as Json);
}

/** The number of rows that a view shows. */
export function countOf(view: View): Expr {
  const parts = view.where.map((expr, i): Expr => {
    const name = view.given[i];
    return name === undefined ? expr : { op: "or", a: { op: "not", a: { op: "given", path: [name] } }, b: expr };
  });
  const where = parts.reduce<Expr | undefined>((sum, part) => (sum ? { op: "and", a: sum, b: part } : part), undefined);
  return { op: "count", table: view.table, where: where ?? constant(true) };
}

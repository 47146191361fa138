import type { Step } from "../../behaviour/schema.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { listedIn } from "../conditions/limits.ts";
import { findPredicate } from "../conditions/predicates.ts";
import { findTemplate, phrasesOf, type Template, wording, wordsOf } from "../conditions/templates.ts";
import type { Term } from "../conditions/term.ts";
import type { Env } from "../conditions/terms.ts";
import type { RowInvariant } from "../row-invariants.ts";
import { byText, canon, isScalar, scalarsOf } from "../values.ts";
import type { Examples } from "./examples.ts";
import { fitBalance } from "./fit-balance.ts";
import { synthesise } from "./synthesis.ts";

/** A refusal: when it is given, and its words as a template. */
export interface FittedGuard {
  readonly when: string;
  readonly error: string;
  /** Examples that it explains. */
  readonly n: number;
  readonly truth: readonly (boolean | undefined)[];
  readonly own: readonly number[];
}

/** The words of a refusal that nobody knows, as a template: the call is a gap. */
const UNTOLD = "{not_served()}";

/** The refusals of a tool: one per wording that a condition over arguments and known rows explains, in the order they are checked. */
export function fitGuards(
  examples: Examples,
  env: Env,
  effects: readonly Step[] = [],
  habits: readonly RowInvariant[] = [],
): FittedGuard[] {
  const pairs = takings(effects);
  const clusters = new Map<string, number[]>();
  examples.calls.forEach((call, i) => {
    if (call.ok || typeof call.value !== "string") return;
    if (call.answerClass === "error:not_found" && !namesKnown(examples, i)) return;
    const shape = wording(call.value, wordsOf(scalarsOf(call.args)), phrasesOf(env, i));
    clusters.set(shape, [...(clusters.get(shape) ?? []), i]);
  });
  const successes = examples.calls.flatMap((call, i) => (call.ok ? [i] : []));
  const out: FittedGuard[] = [];
  for (const [, own] of [...clusters].sort((a, b) => byText(a[0], b[0]))) {
    const guard =
      overInvariants(examples, env, own, habits) ??
      overAmounts(examples, env, own, successes) ??
      overCall(examples, env, own, successes, pairs) ??
      overElements(examples, env, own, successes);
    if (guard) out.push(guard);
  }
  return ordered(out);
}

/** Whether every row that a call's arguments name as a key is known: what is not found is then something else. */
function namesKnown({ calls, states, history }: Examples, i: number): boolean {
  const args = calls[i]?.args ?? {};
  const keyed = [...history.entities.values()].flatMap(({ name, key }) => {
    const id = key.length === 1 ? args[key[0] as string] : undefined;
    return isScalar(id) ? [states[i]?.(name, String(id))] : [];
  });
  return keyed.length > 0 && keyed.every((row) => row !== undefined);
}

/** What a call takes away from what: `a - b` assigned says that a refusal compares the two. */
function takings(steps: readonly Step[]): [string, string][] {
  return steps.flatMap((step) =>
    step.op === "update" || step.op === "insert"
      ? step.set.flatMap(({ expr }): [string, string][] => {
          const parts = expr.split(" - ");
          return parts.length === 2 ? [[parts[0] as string, parts[1] as string]] : [];
        })
      : [],
  );
}

/** A refusal of two amounts that are not alike. */
function overAmounts(
  { calls }: Examples,
  env: Env,
  own: readonly number[],
  successes: readonly number[],
): FittedGuard | undefined {
  const balance = fitBalance(env, own, successes, (i) => calls[i]?.value);
  return balance && { ...balance, n: own.length, own };
}

/** Whether a refusal's fixed words hold an id of one call: they are an example, not a wording. */
function repeats(text: string, args: JsonObject): boolean {
  return [...scalarsOf(args)].some(
    (value) => typeof value === "string" && value.length > 2 && /\d/.test(value) && text.includes(value),
  );
}

function words(text: string): string[] {
  return text.match(/[A-Za-z]{4,}/g) ?? [];
}

function overCall(
  examples: Examples,
  env: Env,
  own: readonly number[],
  successes: readonly number[],
  pairs: readonly (readonly [string, string])[],
): FittedGuard | undefined {
  const target = examples.calls.map((call, i) => (own.includes(i) ? call.value : undefined));
  const template: Template | undefined = findTemplate(env, target, synthesise);
  if (!template || own.some((i) => repeats(template.text, examples.calls[i]?.args ?? {}))) return undefined;
  const holes: Term[] = template.holes.filter((hole) => hole.vals.some((value) => typeof value === "number"));
  const said = words(examples.calls[own[0] as number]?.value as string);
  const numbers = template.text.match(/(?<![\w.{])\d+(?:\.\d+)?(?![\w}])/g) ?? [];
  const predicate = findPredicate(env, own, successes, {
    words: said,
    terms: holes,
    holes: template.holes.map((hole) => hole.cel),
    numbers: numbers.map(Number),
    listed: listedIn(template.text),
    pairs,
    general: true,
  });
  if (!predicate || predicate.cost > (own.length > 1 ? 7 : 3.6) || successes.length < 2) return undefined;
  // A number that one call alone was told, and that decides nothing, is that call's: what others are told, evidence does not tell.
  const asked = new Set(own.map((i) => canon(examples.calls[i]?.args))).size;
  const theirs =
    asked < 2 && numbers.some((number) => number.length > 1 && !new RegExp(`\\b${number}\\b`).test(predicate.cel));
  return { when: predicate.cel, error: theirs ? UNTOLD : template.text, n: own.length, truth: predicate.truth, own };
}

/** A refusal about one element of a list argument, which its words name. */
function overElements(
  examples: Examples,
  env: Env,
  own: readonly number[],
  successes: readonly number[],
): FittedGuard | undefined {
  const lists = env.terms.filter(
    (term) =>
      /^args\.\w+$/.test(term.cel) &&
      term.vals.some((value) => Array.isArray(value) && value.length > 0) &&
      term.vals.every((value) => value === undefined || value === null || Array.isArray(value)),
  );
  for (const list of lists) {
    const { env: inner, exampleOf, lists: items } = env.each(list, "x0");
    const flat = items.flat();
    const named: number[] = [];
    for (const i of own) {
      const said = new Set(String(examples.calls[i]?.value).match(/[\w#.-]+/g) ?? []);
      const hits = flat.flatMap((item, e) => (exampleOf[e] === i && mentions(item, said) ? [e] : []));
      if (hits.length === 0) break;
      named.push(hits[0] as number);
    }
    if (named.length < own.length) continue;
    const neg = flat.flatMap((_, e) => (successes.includes(exampleOf[e] as number) ? [e] : []));
    const predicate = findPredicate(inner, named, neg, {
      general: true,
      words: words(examples.calls[own[0] as number]?.value as string),
    });
    if (!predicate || predicate.cost > (own.length > 1 ? 7 : 3.6) || neg.length < 2) continue;
    const target: (Json | undefined)[] = flat.map(() => undefined);
    named.forEach((e, k) => {
      target[e] = examples.calls[own[k] as number]?.value as Json;
    });
    const template = findTemplate(inner, target, synthesise);
    if (!template) continue;
    const first = `${list.cel}.filter(x0, ${predicate.cel})[0]`;
    const error = template.text.replace(/\{([^{}]+)\}/g, (_, expr: string) => `{${expr.replace(/\bx0\b/g, first)}}`);
    const truth = examples.calls.map((_, i) => {
      const mine = predicate.truth.filter((_, e) => exampleOf[e] === i);
      return mine.some((value) => value === true)
        ? true
        : mine.some((value) => value === undefined)
          ? undefined
          : false;
    });
    return { when: `${list.cel}.exists(x0, ${predicate.cel})`, error, n: own.length, truth, own };
  }
  return undefined;
}

/** A refusal of an element whose row is not as the rows of all successes, which its words name. */
function overInvariants(
  examples: Examples,
  env: Env,
  own: readonly number[],
  habits: readonly RowInvariant[],
): FittedGuard | undefined {
  for (const { list, cel, truth } of habits) {
    const { env: inner, exampleOf, lists } = env.each(list, "x0");
    const flat = lists.flat();
    const named = own.flatMap((i) => {
      const said = new Set(String(examples.calls[i]?.value).match(/[\w#.-]+/g) ?? []);
      const at = flat.findIndex((item, e) => exampleOf[e] === i && truth[e] === false && mentions(item, said));
      return at < 0 ? [] : [at];
    });
    if (named.length < own.length) continue;
    const target: (Json | undefined)[] = flat.map(() => undefined);
    named.forEach((e, k) => {
      target[e] = examples.calls[own[k] as number]?.value as Json;
    });
    const template = findTemplate(inner, target, synthesise);
    if (
      !template ||
      (template.holes.length === 0 && own.some((i) => repeats(template.text, examples.calls[i]?.args ?? {})))
    )
      continue;
    const first = `${list.cel}.filter(x0, !(${cel}))[0]`;
    return {
      when: `${list.cel}.exists(x0, !(${cel}))`,
      error: template.text.replace(/\{([^{}]+)\}/g, (_, expr: string) => `{${expr.replace(/\bx0\b/g, first)}}`),
      n: own.length,
      truth: examples.calls.map((_, i) => truth.some((value, e) => exampleOf[e] === i && value === false)),
      own,
    };
  }
  return undefined;
}

function mentions(item: Json, said: ReadonlySet<string>): boolean {
  if (isScalar(item)) return said.has(String(item));
  return isObject(item) && Object.values(item).some((value) => typeof value === "string" && said.has(value));
}

/** Guards in an order that gives each example its own refusal: one that holds where another spoke comes after it. */
function ordered(guards: readonly FittedGuard[]): FittedGuard[] {
  const before = (a: FittedGuard, b: FittedGuard) =>
    a.own.filter((i) => b.truth[i] === true).length - b.own.filter((i) => a.truth[i] === true).length;
  const left = [...guards].sort((a, b) => b.n - a.n || byText(a.when, b.when));
  const out: FittedGuard[] = [];
  while (left.length > 0) {
    const next = left.findIndex((guard) => left.every((other) => other === guard || before(other, guard) <= 0));
    out.push(...left.splice(Math.max(0, next), 1));
  }
  return out;
}

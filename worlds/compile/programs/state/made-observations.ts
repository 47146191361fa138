import { byText, same } from "../../values.ts";
import { arg, argumentPaths, constant, type Env, type Expr, evaluate, UNKNOWN } from "../expressions/expr.ts";
import type { Example } from "../expressions/fit.ts";
import { type Creation, itemOf, type Making } from "../simulate.ts";
import { givenKey } from "./given-rows.ts";
import type { Kinds } from "./kinds.ts";
import type { Layout } from "./observations.ts";
import { EXISTS, type FactObservation, relationsOf, rowId, type Timeline } from "./touches.ts";

/** First sights of a column of new rows that a value has to explain. */
const LEAST = 3;
/** Share of all first sights that it has to be, those included that a call in between may have changed. */
const SHARE = 0.5;

interface Made {
  readonly at: number;
  readonly env: Env;
  readonly id: string;
}

interface First extends Example {
  /** Whether a call in between was given the row's key. */
  readonly meddled: boolean;
}

/**
 * Timelines in which new rows are seen as they were made, though no answer showed them then: where the first sights of
 * a column, of rows that no call was given the key of in between, are all one constant or what the call was given. So
 * what changes a row later is told, though nobody looked before.
 */
export function withMadeObservations(
  timelines: readonly Timeline[],
  layout: Layout,
  creations: ReadonlyMap<string, readonly Creation[]>,
  makings: ReadonlyMap<string, readonly Making[]>,
  kinds: Kinds,
): readonly Timeline[] {
  if (creations.size === 0 && makings.size === 0) return timelines;
  const made = timelines.map((timeline) => madeIn(timeline, layout, creations, makings, kinds));
  const firsts = new Map<string, First[]>();
  for (const [t, timeline] of timelines.entries())
    for (const { fact, seen } of timeline.facts.values()) {
      const from = fact.table === undefined ? undefined : made[t]?.get(rowId(fact.table, fact.key));
      const [first] = seen as FactObservation[];
      if (!from || !first || fact.name === EXISTS || first.at < from.at) continue;
      const id = `${from.id}\u001e${fact.name}`;
      const list = firsts.get(id) ?? [];
      const between = timeline.session.calls.slice(from.at + 1, first.at + (first.at > from.at ? 1 : 0));
      const meddled = between.some(
        (call, i) =>
          (from.at + 1 + i < first.at || !layout.readers.has(call.tool)) &&
          call.ok &&
          relationsOf(call, fact, layout, () => ({})).length > 0,
      );
      list.push({ env: from.env, target: first.value, session: t, meddled });
      firsts.set(id, list);
    }
  const known = new Map<string, Expr>();
  for (const [id, of] of firsts) {
    const expr = startOf(of);
    if (expr) known.set(id, expr);
  }
  if (known.size === 0) return timelines;
  return timelines.map((timeline, t) => withObservations(timeline, made[t] ?? new Map(), known));
}

function madeIn(
  { session, observations, first }: Timeline,
  layout: Layout,
  creations: ReadonlyMap<string, readonly Creation[]>,
  makings: ReadonlyMap<string, readonly Making[]>,
  kinds: Kinds,
): Map<string, Made> {
  const out = new Map<string, Made>();
  const facts = { cells: new Map(), tables: new Map() };
  for (const [at, call] of session.calls.entries()) {
    if (!call.ok) continue;
    const act = kinds.act(call);
    for (const [i, making] of (makings.get(act) ?? []).entries()) {
      const key = givenKey(call, making, layout);
      const row = rowId(making.table, key ?? "");
      if (key === undefined || out.has(row) || (first.get(row) ?? at) < at) continue;
      out.set(row, { at, env: { args: call.args, facts }, id: `${act}\u001egiven ${i}` });
    }
    for (const [i, creation] of (creations.get(act) ?? []).entries()) {
      const rows = (observations[at]?.rows ?? []).filter(
        ({ place }) => place.table === creation.table && place.path === creation.path,
      );
      for (const [index, { key }] of rows.entries()) {
        const item = itemOf(call, creation, index);
        const env: Env = { args: call.args, facts, ...(item === undefined ? {} : { item }) };
        out.set(rowId(creation.table, key), { at, env, id: `${act}\u001e${i}` });
      }
    }
  }
  return out;
}

/** What a column of new rows is: a constant, or what the call was given; undefined where sights that nothing meddled with differ. */
function startOf(firsts: readonly First[]): Expr | undefined {
  const clean = firsts.filter(({ meddled }) => !meddled);
  if (clean.length < LEAST) return undefined;
  const items = new Set(
    firsts.flatMap(({ env: { item } }) => (typeof item === "object" && item !== null ? Object.keys(item) : [])),
  );
  const given = argumentPaths(firsts.map(({ env }) => ({ args: env.args }))).map((path) => arg(...path));
  const inItems = [...items].sort(byText).map((name): Expr => ({ op: "item", path: [name] }));
  const tells = (expr: Expr, { env, target }: Example): boolean => {
    const value = evaluate(expr, env);
    return value !== UNKNOWN && same(value, target);
  };
  let best: { readonly expr: Expr; readonly right: number } | undefined;
  for (const expr of [constant(clean[0]?.target ?? null), ...given, ...inItems]) {
    if (!clean.every((first) => tells(expr, first))) continue;
    // Of those that tell what nothing meddled with, the one that was most often seen in spite of meddling.
    const right = firsts.filter((first) => tells(expr, first)).length;
    if (right >= firsts.length * SHARE && right > (best?.right ?? 0)) best = { expr, right };
  }
  return best?.expr;
}

function withObservations(
  timeline: Timeline,
  made: ReadonlyMap<string, Made>,
  known: ReadonlyMap<string, Expr>,
): Timeline {
  const facts = new Map(timeline.facts);
  for (const [id, { fact, seen }] of timeline.facts) {
    const from = fact.table === undefined ? undefined : made.get(rowId(fact.table, fact.key));
    const expr = from && known.get(`${from.id}\u001e${fact.name}`);
    if (!from || !expr || seen.some(({ at }) => at <= from.at)) continue;
    const value = evaluate(expr, from.env);
    if (value !== UNKNOWN) facts.set(id, { fact, seen: [{ at: from.at, value }, ...seen] });
  }
  return { ...timeline, facts };
}

import { isObject, type Json } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { canon, isScalar, same } from "../../values.ts";
import type { Kinds } from "./kinds.ts";
import type { Timeline, Touch } from "./touches.ts";

/** Sessions in which a cell has to be shown after an act, and others without it. */
const LEAST = 3;
/** Share of them that has to show what the act was given. */
const GIVEN = 0.9;
/** Bits of chance that a value has to stand against, beside those of the acts that are tried: as endings that tell a cell. */
const SURE = 8;

/** What a session first shows of a cell, after the last call of each act before. */
interface First {
  readonly value: Json;
  readonly before: ReadonlyMap<string, Call>;
}

/**
 * Acts that set a cell which no answer shows before them: where a session first shows what they were given, or a list
 * with what they answered (the key of what they made), or where all sessions with them first show one value, and none
 * without them.
 */
export function firstObservations(timelines: readonly Timeline[], readers: ReadonlySet<string>, kinds: Kinds): Touch[] {
  const cells = new Map<string, First[]>();
  for (const { session, facts } of timelines)
    for (const { fact, seen } of facts.values()) {
      const [first] = seen;
      if (fact.table !== undefined || !first) continue;
      const before = new Map<string, Call>();
      for (const call of session.calls.slice(0, first.at))
        if (call.ok && !readers.has(call.tool)) before.set(kinds.act(call), call);
      cells.set(fact.name, [...(cells.get(fact.name) ?? []), { value: first.value, before }]);
    }
  const out: Touch[] = [];
  for (const [name, firsts] of cells) {
    const acts = new Set(firsts.flatMap(({ before }) => [...before.keys()]));
    const tried = Math.log2(cells.size * acts.size + 1);
    for (const act of acts)
      if (given(firsts, act) || listed(firsts, act) || apart(firsts, act) >= SURE + tried)
        out.push({ act, table: undefined, name, relation: { id: "cell", key: [] } });
  }
  return out;
}

/** Whether sessions show what an act was given: different values under one name. */
function given(firsts: readonly First[], act: string): boolean {
  const shown = firsts.flatMap(({ value, before }) => {
    const call = before.get(act);
    return call ? [{ value, args: call.args }] : [];
  });
  const names = new Set(shown.flatMap(({ args }) => Object.keys(args)));
  return [...names].some((name) => {
    const hits = shown.filter(({ value, args }) => args[name] !== undefined && same(args[name], value));
    return (
      hits.length >= LEAST &&
      hits.length >= shown.length * GIVEN &&
      new Set(hits.map(({ value }) => canon(value))).size > 1
    );
  });
}

/** Whether sessions show a list with what an act answered and was not given, and seldom without the act. */
function listed(firsts: readonly First[], act: string): boolean {
  const of = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);
  const after = firsts.flatMap(({ value, before }) => {
    const call = before.get(act);
    return call ? [{ entries: of(value), call }] : [];
  });
  const hits = after.flatMap(({ entries, call }) => {
    const given = Object.values(call.args);
    const told = Object.values(isObject(call.value) ? call.value : {}).filter(
      (value) => isScalar(value) && typeof value !== "boolean" && !given.some((one) => same(one, value)),
    );
    const found = told.find((value) => entries.some((entry) => same(entry, value)));
    return found === undefined ? [] : [found];
  });
  const others = firsts.filter(({ before }) => !before.has(act));
  const without = others.filter(({ value }) => of(value).some((entry) => hits.some((hit) => same(hit, entry))));
  return hits.length >= LEAST && hits.length >= after.length * GIVEN && without.length * 2 < others.length;
}

/** Bits of chance against it that all sessions with an act show one value and those without it others; 0 where they do not. */
function apart(firsts: readonly First[], act: string): number {
  const after = firsts.filter(({ before }) => before.has(act));
  const others = firsts.filter(({ before }) => !before.has(act));
  const [one] = after;
  if (!one || after.length < LEAST || others.length < LEAST) return 0;
  if (after.some(({ value }) => !same(value, one.value)) || others.some(({ value }) => same(value, one.value)))
    return 0;
  const share = after.length / firsts.length;
  return -after.length * Math.log2(share) - others.length * Math.log2(1 - share);
}

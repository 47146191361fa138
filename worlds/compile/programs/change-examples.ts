import { type Env, evaluate, keyOf } from "./expressions/expr.ts";
import type { Example } from "./expressions/fit.ts";
import { type Effects, itemOf, madeKey, NO_EFFECTS, type Step } from "./simulate.ts";
import type { Layout } from "./state/observations.ts";
import { EXISTS, type FactObservation, rowId, type Timeline } from "./state/touches.ts";

/** The effects of a call that lead to a fact, by their position. */
export function touching(
  step: Step,
  effects: Effects | undefined,
  table: string | undefined,
  key: string,
  name: string,
): number | undefined {
  if (!step.call.ok || !effects) return undefined;
  const env: Env = { args: step.call.args, facts: step.before };
  // Where several lead to it, the last one is what is left.
  for (let i = effects.changes.length - 1; i >= 0; i--) {
    const change = effects.changes[i];
    if (!change || change.table !== table || change.name !== name) continue;
    if (table === undefined) return i;
    if (keyOf(change.key.map((part) => evaluate(part, env))) === key) return i;
  }
  return undefined;
}

/** For each change of each tool what a fact was shown to be at the next sight after the last call that touches it. */
export function changeExamples(
  timelines: readonly Timeline[],
  steps: readonly (readonly Step[])[],
  effects: ReadonlyMap<string, Effects>,
  layout: Layout,
): Map<string, Example[]> {
  const out = new Map<string, Example[]>();
  for (const [t, { facts }] of timelines.entries()) {
    const session = steps[t] ?? [];
    for (const { fact, seen } of facts.values()) {
      if (fact.name === EXISTS) continue;
      let from = -1;
      for (const { at, value } of seen) {
        for (let i = at; i > from; i--) {
          const step = session[i] as Step;
          const which = touching(step, effects.get(step.act), fact.table, fact.key, fact.name);
          if (which === undefined) continue;
          const row = fact.table === undefined ? undefined : step.before.tables.get(fact.table)?.rows.get(fact.key);
          const key = madeKey(step.observations.rows, effects.get(step.act) ?? NO_EFFECTS, layout);
          const made = key === undefined ? {} : { item: key };
          const env: Env = { args: step.call.args, facts: step.before, row: row ?? {}, ...made };
          const id = `${step.act}\u001e${which}`;
          const list = out.get(id) ?? [];
          list.push({ env, target: value, session: t });
          out.set(id, list);
          break;
        }
        from = at;
      }
    }
  }
  return out;
}

/** For each column of each row that a call made what it was first shown to be, where nothing touched it since. */
export function creationExamples(
  timelines: readonly Timeline[],
  steps: readonly (readonly Step[])[],
  effects: ReadonlyMap<string, Effects>,
): Map<string, Example[]> {
  const out = new Map<string, Example[]>();
  for (const [t, { facts, observations }] of timelines.entries()) {
    const session = steps[t] ?? [];
    const made = new Map<string, { id: string; at: number; env: Env }>();
    for (const [at, step] of session.entries()) {
      if (!step.call.ok) continue;
      for (const [i, creation] of (effects.get(step.act) ?? NO_EFFECTS).creations.entries()) {
        const rows = (observations[at]?.rows ?? []).filter(
          ({ place }) => place.table === creation.table && place.path === creation.path,
        );
        for (const [index, { key }] of rows.entries()) {
          const item = itemOf(step.call, creation, index);
          const env: Env = {
            args: step.call.args,
            facts: step.before,
            row: {},
            ...(item === undefined ? {} : { item }),
          };
          made.set(rowId(creation.table, key), { id: `${step.act}\u001e${i}`, at, env });
        }
      }
    }
    for (const { fact, seen } of facts.values()) {
      if (fact.table === undefined || fact.name === EXISTS) continue;
      const from = made.get(rowId(fact.table, fact.key));
      const [first] = seen as FactObservation[];
      if (!from || !first || first.at < from.at) continue;
      let touched = false;
      for (let i = from.at + 1; i <= first.at && !touched; i++) {
        const step = session[i] as Step;
        touched = touching(step, effects.get(step.act), fact.table, fact.key, fact.name) !== undefined;
      }
      if (touched) continue;
      const id = `${from.id}\u001e${fact.name}`;
      const list = out.get(id) ?? [];
      list.push({ env: from.env, target: first.value, session: t });
      out.set(id, list);
    }
  }
  return out;
}

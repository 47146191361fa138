import { isObject, type Json } from "../../../json.ts";
import type { Call } from "../../observations.ts";
import { isScalar, same } from "../../values.ts";
import type { Facts } from "../expressions/expr.ts";
import type { Kind } from "../state/kinds.ts";
import { createdSets, learnSets } from "./column-changes.ts";
import type { Known } from "./later-values.ts";
import {
  type Act,
  answered,
  answerRow,
  applied,
  type Effect,
  keyArguments,
  type Named,
  type Placed,
  rowOf,
} from "./row-actions.ts";
import { fitShape, NOTHING, type Shape } from "./shapes.ts";
import { type ExportTable, type KeyForm, keyForm, listIn, nextKey } from "./tables.ts";

/** Later readings that come out right that bound what a write does, and the share of them that may come out otherwise. */
const BOUNDED = 3;
const UNBOUNDED = 0.05;

/** Learns what a tool's calls of one kind do, from what later readings show. */
export function learnWrite(tool: string, kind: Kind, known: Known, listed: boolean, every: readonly Placed[]): Act {
  const { sessions, tables } = known;
  const calls = sessions.flatMap((of) => of.filter((one) => one.call.tool === tool && one.kind === kind));
  const candidates: { effect: Effect; row: Named | undefined; prior: number }[] = [];
  for (const table of listed ? tables : []) {
    const form = keyForm(table);
    const made = form ? madeKeys(calls, table, form) : new Map<Placed, string>();
    if (!form || made.size < calls.length * 0.5 || made.size === 0) continue;
    const sets = createdSets(calls, table, made, known);
    const effect: Effect = { kind: "create", table: table.name, form, columns: table.columns, sets };
    candidates.push({ effect, row: undefined, prior: 6 });
  }
  for (const row of listed ? keyArguments(calls, tables, 0.4).slice(0, 2) : []) {
    const sets = learnSets(calls, row, known, every);
    if (sets.length > 0) candidates.push({ effect: { kind: "set", row, sets }, row, prior: 4 });
    candidates.push({ effect: { kind: "remove", row }, row, prior: 0 });
    candidates.push({ effect: { kind: "none" }, row, prior: 0 });
    candidates.push({ effect: { kind: "unclear", row }, row, prior: 1 });
  }
  candidates.push({ effect: { kind: "none" }, row: undefined, prior: 0 });
  let best: { effect: Effect; row: Named | undefined; score: number; bounded: boolean } | undefined;
  for (const { effect, row, prior } of candidates) {
    const base: Act = { tool, kinds: new Set([kind]), row, view: undefined, effect, answer: NOTHING, bounded: false };
    const { right, wrong } = met(base, known);
    const score = prior / 4 + right - wrong;
    const bounded = right - wrong >= BOUNDED && wrong <= right * UNBOUNDED;
    if (!best || score > best.score) best = { effect, row, score, bounded };
  }
  const { effect, row, bounded } = best as NonNullable<typeof best>;
  const answer = writeAnswer(calls, { row, effect }, tables);
  return { tool, kinds: new Set([kind]), row, view: undefined, effect, answer, bounded };
}

/** The keys that calls were given of a table, each next after those there and those given before; none for calls that show none. */
function madeKeys(calls: readonly Placed[], table: ExportTable, form: KeyForm): Map<Placed, string> {
  const out = new Map<Placed, string>();
  let session = -1;
  let made: string[] = [];
  for (const one of calls) {
    if (one.session !== session) made = [];
    session = one.session;
    const next = nextKey([...(one.before.tables.get(table.name)?.rows.keys() ?? []), ...made], form);
    if (!showsKey(one.call.value, next)) continue;
    made.push(next);
    out.set(one, next);
  }
  return out;
}

function showsKey(value: Json, key: string): boolean {
  if (isScalar(value))
    return String(value) === key || (typeof value === "string" && value.split(/[^\w-]+/).includes(key));
  return (
    isObject(value) &&
    Object.values(value).some((part) => (isScalar(part) ? String(part) === key : isObject(part) && showsKey(part, key)))
  );
}

function writeAnswer(
  calls: readonly Placed[],
  act: Pick<Act, "row" | "effect">,
  tables: readonly ExportTable[],
): Shape {
  const name = act.effect.kind === "create" ? act.effect.table : act.row?.table;
  const table = tables.find((one) => one.name === name);
  const examples = calls.map(({ call, before }) => {
    const after = applied(act.effect, call.args, before, tables);
    const row = answerRow(act, call.args, before, after);
    return { value: call.value, env: { args: call.args, facts: after, ...(row ? { row } : {}) } };
  });
  return fitShape(examples, table?.columns ?? [], act.effect.kind === "create" ? (table?.key ?? "") : "", table?.key);
}

/** How many later readings come out as observed under an act, and how many do not. */
function met(act: Act, { sessions, actions, tables, readers, determined }: Known): { right: number; wrong: number } {
  const all = new Map([...actions, [act.tool, act]]);
  let [right, wrong] = [0, 0];
  for (const calls of sessions) {
    const first = calls.findIndex(({ call, kind }) => call.tool === act.tool && act.kinds.has(kind));
    if (first < 0) continue;
    let facts = calls[first]?.before as Facts;
    // After a write that is not understood, what comes out otherwise says nothing against the act.
    let clouded = !determined.has(calls[first]?.call as Call);
    for (const { call, kind } of calls.slice(first)) {
      const does = all.get(call.tool);
      if (call.ok && !readers.has(call.tool) && !does?.kinds.has(kind)) clouded = true;
      if (!does) continue;
      const before = facts;
      if (does.kinds.has(kind)) facts = applied(does.effect, call.args, before, tables);
      if (does.effect.kind !== "none" || does === act || (!does.view && !does.row)) continue;
      const told = answered(does, call.args, before, facts);
      if (told === undefined) {
        if (does.row && does.kinds.has(kind) && !rowOf(before, does.row, call.args) && !clouded) wrong++;
        continue;
      }
      const empty = does.view && (listIn(told)?.list.length ?? 1) === 0;
      const asSeen = empty ? (listIn(call.value)?.list.length ?? 0) === 0 : same(told, call.value);
      if (asSeen) right++;
      else if (!clouded) wrong++;
    }
  }
  return { right, wrong };
}

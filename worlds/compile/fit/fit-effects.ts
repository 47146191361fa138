import type { Step } from "../../behaviour/schema.ts";
import type { Json, JsonObject } from "../../json.ts";
import { KEY_SEPARATOR } from "../../state/keys.ts";
import { found, type Term, UNKNOWN_TEXT } from "../conditions/term.ts";
import type { Env } from "../conditions/terms.ts";
import type { History, Observation } from "../history.ts";
import type { Call } from "../observations.ts";
import { keySteps, keyTerms, solveColumns } from "../tables/columns.ts";
import { byText, same, scalarsOf } from "../values.ts";
import { assignments } from "./assignments.ts";
import { type Examples, observationsAfter } from "./examples.ts";

interface EffectObservation {
  readonly example: number;
  readonly observation: Observation;
  readonly pre: JsonObject;
}

/** Rows of other tables that later reads show changed by the call: one update per table whose row an expression names. */
export function fitEffects(env: Env, examples: Examples, writes: readonly Call[], main: string | undefined): Step[] {
  const byTable = new Map<string, EffectObservation[]>();
  examples.calls.forEach((call, example) => {
    if (!call.ok) return;
    const mine = new Set(
      (examples.history.observations[call.trace] ?? [])
        .filter((sight) => sight.call === call)
        .map((sight) => `${sight.table}\n${sight.key}`),
    );
    for (const observation of observationsAfter(examples.history, call, writes)) {
      const pre = examples.states[example]?.(observation.table, observation.key);
      if (
        !pre ||
        mine.has(`${observation.table}\n${observation.key}`) ||
        isBlurred(examples.history, call, observation, writes)
      )
        continue;
      const list = byTable.get(observation.table) ?? [];
      list.push({ example, observation, pre });
      byTable.set(observation.table, list);
    }
  });
  const out: Step[] = [];
  for (const [table, seen] of [...byTable].sort((a, b) => byText(a[0], b[0])))
    for (const group of groupsByName(env, seen)) {
      const step = fitEffect(env, examples, table, group, main);
      if (step) out.push(step);
    }
  return out;
}

/** Whether another write that names the row stands between the call and the last sight of it: what changed it, evidence does not tell. */
function isBlurred(history: History, call: Call, { table, key }: Observation, writes: readonly Call[]): boolean {
  let last = -1;
  for (const observation of history.observations[call.trace] ?? [])
    if (observation.call.index < call.index && observation.table === table && observation.key === key)
      last = observation.call.index;
  const parts = key.split(KEY_SEPARATOR);
  return writes.some(({ trace, index, args, value }) => {
    if (trace !== call.trace || index <= last || index >= call.index) return false;
    const said = new Set([...scalarsOf(args), ...scalarsOf(value)].map(String));
    return parts.every((part) => said.has(part));
  });
}

/** Sights of one table apart by the expression that names their row: a call may change several rows of a table. */
function groupsByName(env: Env, seen: readonly EffectObservation[]): (readonly EffectObservation[])[] {
  let left = seen.filter((item) => changedColumns(item).length > 0);
  if (new Set(left.map(({ example }) => example)).size === left.length) return [seen];
  const out: EffectObservation[][] = [];
  const names = env.terms.filter((term) => term.cost < 3 && term.vals.some((value) => typeof value === "string"));
  while (left.length > 0 && out.length < 4) {
    let best: Term | undefined;
    let most = 1;
    for (const term of names) {
      const n = left.filter((item) => term.vals[item.example] === item.observation.key).length;
      if (n > most || (n === most && best && term.cost < best.cost)) {
        best = term;
        most = n;
      }
    }
    const name = best;
    if (!name) break;
    out.push(seen.filter((item) => name.vals[item.example] === item.observation.key));
    left = left.filter((item) => name.vals[item.example] !== item.observation.key);
  }
  return out;
}

function changedColumns({ observation, pre }: EffectObservation): string[] {
  return Object.keys(observation.row).filter((column) => !same(observation.row[column], pre[column]));
}

function fitEffect(
  env: Env,
  examples: Examples,
  table: string,
  seen: readonly EffectObservation[],
  main: string | undefined,
): Step | undefined {
  const changed = seen.filter((item) => changedColumns(item).length > 0);
  const entity = examples.history.entities.get(table);
  if (changed.length === 0 || !entity) return undefined;
  const keyOf: (string | undefined)[] = examples.calls.map(() => undefined);
  for (const item of changed) keyOf[item.example] = item.observation.key;
  const keys = keyTerms(env, keyOf, entity.key.length);
  if (
    !keys ||
    (changed.length < 2 && !keys.every(({ cel }) => /^(?:args|it)\.\w+$/.test(cel))) ||
    (table === main && keys.some((key) => key.cel.startsWith('"'))) ||
    (changed.length > 1 && keys.some((key) => key.cel.startsWith('"')))
  )
    return undefined;
  const about = seen.filter((item) => joinVals(keys, item.example) === item.observation.key);
  const rows: (JsonObject | undefined)[] = examples.calls.map((_, i) => {
    const key = joinVals(keys, i);
    return key === undefined ? undefined : examples.states[i]?.(table, key);
  });
  env.add(found(table, keys), rows, 2);
  env.join();
  const columns = [...new Set(about.flatMap(changedColumns))].sort((a, b) => byText(a, b));
  const missed: string[] = [];
  const solved = solveColumns(
    env,
    columns,
    (column) => {
      const target: (Json | undefined)[] = examples.calls.map(() => undefined);
      for (const item of about)
        if (Object.hasOwn(item.observation.row, column)) target[item.example] = item.observation.row[column] as Json;
      return target;
    },
    undefined,
    missed,
  );
  for (const [column, term] of solved)
    if (changed.length < 2 || about.some(({ example }) => term.vals[example] === undefined)) {
      missed.push(column);
      solved.delete(column);
    }
  const told = assignments(
    solved,
    about.map(({ pre }) => pre),
  );
  const set = [...told, ...missed.map((path) => ({ path, op: "=" as const, expr: UNKNOWN_TEXT }))].sort((a, b) =>
    byText(a.path, b.path),
  );
  if (set.length === 0) return undefined;
  // A row that evidence does not show has no state to change: the rest of the write stands.
  const each = {
    name: `its_${table}`,
    in: `[lookup(${JSON.stringify(table)}, ${keys.map((key) => key.cel).join(", ")})].filter(r, r != null)`,
  };
  return { op: "update", table, key: keySteps(entity.key, keys), set, require: [], each };
}

function joinVals(keys: readonly Term[], example: number): string | undefined {
  const values = keys.map((key) => key.vals[example]);
  return values.every((value) => typeof value === "string" || typeof value === "number")
    ? values.map(String).join("\u001f")
    : undefined;
}

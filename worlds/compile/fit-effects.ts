import type { Step } from "../behaviour/schema.ts";
import type { Json, JsonObject } from "../json.ts";
import { assignments } from "./assignments.ts";
import { keySteps, keyTerms, solveColumns } from "./columns.ts";
import { type Examples, sightsAfter } from "./examples.ts";
import type { Sight } from "./history.ts";
import type { Call } from "./observations.ts";
import { found, type Term } from "./term.ts";
import type { Env } from "./terms.ts";
import { byText, same } from "./values.ts";

interface EffectSight {
  readonly example: number;
  readonly sight: Sight;
  readonly pre: JsonObject;
}

/** Rows of other tables that later reads show changed by the call: one update per table whose row an expression names. */
export function fitEffects(env: Env, examples: Examples, writes: readonly Call[], main: string | undefined): Step[] {
  const byTable = new Map<string, EffectSight[]>();
  examples.calls.forEach((call, example) => {
    if (!call.ok) return;
    const mine = new Set(
      (examples.history.sights[call.trace] ?? [])
        .filter((sight) => sight.call === call)
        .map((sight) => `${sight.table}\n${sight.key}`),
    );
    for (const sight of sightsAfter(examples.history, call, writes)) {
      const pre = examples.states[example]?.(sight.table, sight.key);
      if (!pre || mine.has(`${sight.table}\n${sight.key}`)) continue;
      const list = byTable.get(sight.table) ?? [];
      list.push({ example, sight, pre });
      byTable.set(sight.table, list);
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

/** Sights of one table apart by the expression that names their row: a call may change several rows of a table. */
function groupsByName(env: Env, seen: readonly EffectSight[]): (readonly EffectSight[])[] {
  let left = seen.filter((item) => changedColumns(item).length > 0);
  if (new Set(left.map(({ example }) => example)).size === left.length) return [seen];
  const out: EffectSight[][] = [];
  const names = env.terms.filter((term) => term.cost < 3 && term.vals.some((value) => typeof value === "string"));
  while (left.length > 0 && out.length < 4) {
    let best: Term | undefined;
    let most = 1;
    for (const term of names) {
      const n = left.filter((item) => term.vals[item.example] === item.sight.key).length;
      if (n > most || (n === most && best && term.cost < best.cost)) {
        best = term;
        most = n;
      }
    }
    const name = best;
    if (!name) break;
    out.push(seen.filter((item) => name.vals[item.example] === item.sight.key));
    left = left.filter((item) => name.vals[item.example] !== item.sight.key);
  }
  return out;
}

function changedColumns({ sight, pre }: EffectSight): string[] {
  return Object.keys(sight.row).filter((column) => !same(sight.row[column], pre[column]));
}

function fitEffect(
  env: Env,
  examples: Examples,
  table: string,
  seen: readonly EffectSight[],
  main: string | undefined,
): Step | undefined {
  const changed = seen.filter((item) => changedColumns(item).length > 0);
  const entity = examples.history.entities.get(table);
  if (changed.length < 2 || !entity) return undefined;
  const keyOf: (string | undefined)[] = examples.calls.map(() => undefined);
  for (const item of changed) keyOf[item.example] = item.sight.key;
  const keys = keyTerms(env, keyOf, entity.key.length);
  if (
    !keys ||
    (table === main && keys.some((key) => key.cel.startsWith('"'))) ||
    (changed.length > 1 && keys.some((key) => key.cel.startsWith('"')))
  )
    return undefined;
  const about = seen.filter((item) => joinVals(keys, item.example) === item.sight.key);
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
        if (Object.hasOwn(item.sight.row, column)) target[item.example] = item.sight.row[column] as Json;
      return target;
    },
    undefined,
    missed,
  );
  if (solved.size === 0 || missed.length > 0) return undefined;
  if ([...solved.values()].some((term) => about.some(({ example }) => term.vals[example] === undefined)))
    return undefined;
  const set = assignments(
    solved,
    about.map(({ pre }) => pre),
  );
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

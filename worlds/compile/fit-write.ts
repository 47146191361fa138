import type { Step } from "../behaviour/schema.ts";
import type { Json, JsonObject } from "../json.ts";
import { assignments } from "./assignments.ts";
import { argumentEnv, type Examples, keyedTables, sightsAfter } from "./examples.ts";
import { agrees, type Solve } from "./fitting.ts";
import type { Sight } from "./history.ts";
import type { Call } from "./observations.ts";
import { synthesise } from "./synthesis.ts";
import { found, type Term } from "./term.ts";
import type { Env } from "./terms.ts";
import { byText, same } from "./values.ts";

/** What a write was found to do, before its guards: steps in order, and the environment they were found in. */
export interface FittedWrite {
  readonly env: Env;
  readonly before: Step[];
  readonly effects: Step[];
  readonly answer: Step[];
  /** Where `it`, the row that the call is about, lives. */
  readonly table: string | undefined;
  /** Columns that no expression explains. */
  readonly missed: string[];
}

interface Shown {
  readonly table: string;
  readonly key: string;
  readonly row: JsonObject;
}

/** The row that each successful call answers, by example; from the call's own sights. */
function answered(examples: Examples): (Shown | undefined)[] {
  return examples.calls.map((call) => {
    if (!call.ok) return undefined;
    const mine = (examples.history.sights[call.trace] ?? []).filter((sight) => sight.call === call);
    return mine.length === 1 ? mine[0] : undefined;
  });
}

const solve: Solve = synthesise;

/** The key of a row as an expression list over its table's key columns. */
function keyTerms(env: Env, keys: readonly (string | undefined)[], columns: number): Term[] | undefined {
  const parts = Array.from({ length: columns }, (_, c) =>
    solve(
      env,
      keys.map((key) => key?.split("\u001f")[c]),
    ),
  );
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function keySteps(columns: readonly string[], parts: readonly Term[]): { column: string; expr?: string }[] {
  return columns.map((column, i) => {
    const expr = (parts[i] as Term).cel;
    return expr === `args.${column}` ? { column } : { column, expr };
  });
}

function majorityTable(shown: readonly (Shown | undefined)[]): string | undefined {
  const counts = new Map<string, number>();
  for (const row of shown) if (row) counts.set(row.table, (counts.get(row.table) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || byText(a[0], b[0]))[0]?.[0];
}

/** Fits what a tool's successful calls change: the row they answer or name, and rows that later reads show changed. */
export function fitWrite(examples: Examples, writes: readonly Call[]): FittedWrite | undefined {
  const env = argumentEnv(examples);
  const shown = answered(examples);
  const table = majorityTable(shown);
  const before: Step[] = [];
  const effects: Step[] = [];
  const missed: string[] = [];
  const entity = table === undefined ? undefined : examples.history.entities.get(table);
  let answer: Step[] = [];
  let kind: "update" | "insert" | "none" = "none";
  if (entity && table !== undefined) {
    const known = shown.map((row, i) => (row ? examples.states[i]?.(table, row.key) : undefined));
    const told = known.filter(Boolean).length;
    const keys = keyTerms(
      env,
      shown.map((row) => row?.key),
      entity.key.length,
    );
    const named = keys?.every((part) => part.cel !== JSON.stringify(part.vals[0]));
    kind = named && told > 0 ? "update" : "insert";
    if (kind === "update" && keys) {
      addRow(env, examples, table, entity.key.length, keys, before);
      env.join();
      const update = fitUpdate(env, examples, table, entity.key, keys, shown, before, missed);
      if (update) answer.push(update);
    } else {
      env.join();
      env.pick();
      const insert = fitInsert(env, examples, table, entity.key, shown, before, missed);
      if (insert) answer = [insert];
    }
  } else env.join();
  for (const effect of fitEffects(env, examples, writes, kind === "none" ? undefined : table)) effects.push(effect);
  return { env, before, effects, answer, table: kind === "update" ? table : undefined, missed };
}

function addRow(
  env: Env,
  examples: Examples,
  table: string,
  columns: number,
  keys: readonly Term[],
  before: Step[],
): void {
  const vals = examples.calls.map((_, i) => {
    const parts = keys.slice(0, columns).map((part) => part.vals[i]);
    return parts.every((part) => typeof part === "string" || typeof part === "number")
      ? examples.states[i]?.(table, parts.map(String).join("\u001f"))
      : undefined;
  });
  before.push({ op: "let", name: "it", expr: found(table, keys) });
  env.add(
    "it",
    vals,
    1,
    keyedTables(examples.history).find((keyed) => keyed.name === table),
  );
  env.pick();
}

/** Expressions for the changed columns of the target rows; every solved one becomes a name that the others may use. */
function solveColumns(
  env: Env,
  columns: readonly string[],
  targets: (column: string) => (Json | undefined)[],
  before: Step[] | undefined,
  missed: string[],
): Map<string, Term> {
  const solved = new Map<string, Term>();
  let open = [...columns];
  for (let round = 0; round < 3 && open.length > 0; round++) {
    const left: string[] = [];
    for (const column of open) {
      const term = solve(env, targets(column));
      if (!term) {
        left.push(column);
        continue;
      }
      if (before && /[ (]/.test(term.cel) && Array.isArray(term.vals.find((value) => value !== undefined))) {
        const name = `new_${column.replace(/\W/g, "_")}`;
        before.push({ op: "let", name, expr: term.cel });
        const shown = targets(column);
        env.add(
          name,
          term.vals.map((value, i) => value ?? shown[i]),
          1,
        );
        solved.set(column, { ...term, cel: name });
      } else solved.set(column, term);
    }
    if (left.length === open.length) break;
    open = left;
    env.join();
  }
  missed.push(...open.filter((column) => !solved.has(column)));
  return solved;
}

function fitUpdate(
  env: Env,
  examples: Examples,
  table: string,
  key: readonly string[],
  keys: readonly Term[],
  shown: readonly (Shown | undefined)[],
  before: Step[],
  missed: string[],
): Step | undefined {
  const pre = shown.map((row, i) => (row ? examples.states[i]?.(table, row.key) : undefined));
  const columns = new Set<string>();
  shown.forEach((row, i) => {
    const was = pre[i];
    if (row && was)
      for (const column of Object.keys(row.row)) if (!same(row.row[column], was[column])) columns.add(column);
  });
  if (columns.size === 0) return undefined;
  const solved = solveColumns(
    env,
    [...columns].sort((a, b) => byText(a, b)),
    (column) => shown.map((row, i) => (row && pre[i] ? ((row.row[column] ?? null) as Json) : undefined)),
    before,
    missed,
  );
  for (const [column, term] of toldColumns(env, shown, pre, key)) if (!columns.has(column)) solved.set(column, term);
  const set = assignments(
    solved,
    pre.filter((row) => row !== undefined),
  );
  if (set.length === 0) return undefined;
  return { op: "update", table, key: keySteps(key, keys), set, require: [] };
}

/** Columns that an argument of their name always gave, though no example happened to change them. */
function toldColumns(
  env: Env,
  shown: readonly (Shown | undefined)[],
  pre: readonly (JsonObject | undefined)[],
  key: readonly string[],
): [string, Term][] {
  return env.terms.flatMap((term): [string, Term][] => {
    const column = /^args\.(\w+)$/.exec(term.cel)?.[1];
    if (column === undefined || key.includes(column)) return [];
    const about = shown.flatMap((row, i) => (row && pre[i] ? [{ after: row.row[column], told: term.vals[i] }] : []));
    const same = about.every(({ after, told }) => after !== undefined && told !== undefined && agrees(after, told));
    return about.length > 0 && same ? [[column, term]] : [];
  });
}

function fitInsert(
  env: Env,
  examples: Examples,
  table: string,
  key: readonly string[],
  shown: readonly (Shown | undefined)[],
  before: Step[],
  missed: string[],
): Step | undefined {
  const column = key[0];
  if (key.length !== 1 || column === undefined) return undefined;
  const columns = [...new Set(shown.flatMap((row) => (row ? Object.keys(row.row) : [])))]
    .filter((name) => name !== column)
    .sort((a, b) => byText(a, b));
  const template = keyTemplate(env, examples, table, shown);
  if (template === "{new_key}") {
    const keys = shown.map((row) => row?.key);
    before.push({
      op: "let",
      name: "new_key",
      expr: `generate(${JSON.stringify(drawnForm(keys.filter((key) => key !== undefined)))})`,
    });
    env.add("new_key", keys, 1.2);
  }
  const solved = solveColumns(
    env,
    columns,
    (name) => shown.map((row) => (row ? ((row.row[name] ?? null) as Json) : undefined)),
    before,
    missed,
  );
  const set = [...solved]
    .map(([path, term]) => ({ path, op: "=" as const, expr: term.cel }))
    .sort((a, b) => byText(a.path, b.path));
  return { op: "insert", table, set, key: template, require: [] };
}

/** How new keys are made: the same ones in the same order in every trace, the next number after a prefix, or drawn in the observed form. */
function keyTemplate(env: Env, examples: Examples, table: string, shown: readonly (Shown | undefined)[]): string {
  const direct = solve(
    env,
    shown.map((row) => row?.key),
  );
  if (direct && !direct.cel.startsWith('"')) return `{${direct.cel}}`;
  const rank = new Map<number, number>();
  const byRank: Set<string>[] = [];
  examples.calls.forEach((call, i) => {
    const row = shown[i];
    if (!row) return;
    const n = rank.get(call.trace) ?? 0;
    rank.set(call.trace, n + 1);
    const keys = byRank[n] ?? new Set<string>();
    keys.add(row.key);
    byRank[n] = keys;
  });
  const traces = rank.size;
  if (traces > 1 && byRank.every((keys) => keys.size === 1)) {
    const keys = byRank.map((set) => [...set][0] as string);
    return `{known(${JSON.stringify(keys)}.filter(k, lookup(${JSON.stringify(table)}, k) == null).first())}`;
  }
  return `{new_key}`;
}

/** The form of a drawn key: the common prefix of the observed ones, then as many digits or letters as they have. */
function drawnForm(keys: readonly string[]): string {
  const first = keys[0] ?? "";
  let n = 0;
  while (n < first.length && keys.every((key) => key[n] === first[n])) n++;
  const prefix = first.slice(0, n).replace(/\d+$/, "");
  const width = Math.max(1, Math.min(24, first.length - prefix.length));
  const digits = keys.every((key) => /^\d+$/.test(key.slice(prefix.length)));
  return `${prefix.replace(/[{}]/g, "")}{${digits ? "n" : "a"}:${width}}`;
}

interface EffectSight {
  readonly example: number;
  readonly sight: Sight;
  readonly pre: JsonObject;
}

/** Rows of other tables that later reads show changed by the call: one update per table whose row an expression names. */
function fitEffects(env: Env, examples: Examples, writes: readonly Call[], main: string | undefined): Step[] {
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
  const several = left.some((item) => left.some((other) => other !== item && other.example === item.example));
  if (!several) return [seen];
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

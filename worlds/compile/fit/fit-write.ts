import type { Step } from "../../behaviour/schema.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { findTemplate, templateText } from "../conditions/templates.ts";
import { found, literal, member, type Term } from "../conditions/term.ts";
import type { Env } from "../conditions/terms.ts";
import { columnKnowledge } from "../history.ts";
import type { Call } from "../observations.ts";
import { keySteps, keyTerms, solve, solveColumns } from "../tables/columns.ts";
import { shownColumns, viewOf } from "../tables/shown-columns.ts";
import { byText, same } from "../values.ts";
import { assignments } from "./assignments.ts";
import { argumentEnv, type Examples, keyedTables } from "./examples.ts";
import { fitEffects } from "./fit-effects.ts";
import type { Target } from "./fitting.ts";

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
    const mine = (examples.history.observations[call.trace] ?? []).filter((sight) => sight.call === call);
    return mine.length === 1 ? mine[0] : undefined;
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
      const around = update ? fitAround(env, examples, table, shown) : undefined;
      if (update) answer.push(update, ...(around ? [around] : []));
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
  const set = assignments(
    solved,
    pre.filter((row) => row !== undefined),
  );
  if (set.length === 0) return undefined;
  return { op: "update", table, key: keySteps(key, keys), set, require: [], ...answerView(examples, table) };
}

/** What the tool hides of the rows that it answers, where an export has more of them than answers show. */
function answerView({ tool, history }: Examples, table: string): ReturnType<typeof viewOf> {
  if (!history.complete?.has(table)) return {};
  const placed = history.entities.get(table)?.placed.find(({ source }) => source.tool === tool);
  return placed ? viewOf(shownColumns(history, table, placed)) : {};
}

/** An answer that nobody knows, of a call whose effects are known. */
const UNTOLD: Step = { op: "answer", expr: "told(null)" };

/** A value as an expression: of its own, or a text made of such. */
function valueText(env: Env, target: Target): string | undefined {
  const term = solve(env, target);
  if (term || !target.every((value) => value === undefined || typeof value === "string")) return term?.cel;
  const template = findTemplate(env, target, solve);
  return template && templateText(template.text);
}

/** An answer that contains the changed row or parts of it; undefined where it is the row. Unknown words do not stop the effect. */
function fitAround(
  env: Env,
  examples: Examples,
  table: string,
  shown: readonly (Shown | undefined)[],
): Step | undefined {
  const said = examples.calls.map(({ value }, i) => (shown[i] && isObject(value) ? value : undefined));
  const told = said.filter((value) => value !== undefined);
  const [first] = told;
  if (!first) return undefined;
  const names = Object.keys(first);
  const rows = shown.map((row) => row?.row);
  const whole = told.every((value, i) => {
    const row = rows.filter((_, k) => said[k] !== undefined)[i] as JsonObject;
    return Object.keys(value).every((name) => Object.hasOwn(row, name));
  });
  const { always } = columnKnowledge(examples.history, table);
  const part = [...always].some((column) => rows.every((row) => !row || !Object.hasOwn(row, column)));
  if (whole && !part) return undefined;
  if (
    told.some(
      (value) => Object.keys(value).length !== names.length || !names.every((name) => Object.hasOwn(value, name)),
    )
  )
    return UNTOLD;
  const parts: string[] = [];
  for (const name of names) {
    const every = (of: (row: JsonObject) => Json | undefined) =>
      said.every((value, i) => value === undefined || same(value[name], of(rows[i] as JsonObject)));
    const text = every((row) => row)
      ? "row"
      : every((row) => row[name])
        ? member("row", name)
        : valueText(
            env,
            said.map((value) => value?.[name]),
          );
    if (text === undefined) return UNTOLD;
    parts.push(`${literal(name)}: ${text}`);
  }
  return { op: "answer", expr: `{${parts.join(", ")}}` };
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

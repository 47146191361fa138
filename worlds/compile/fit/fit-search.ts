import type { Step } from "../../behaviour/schema.ts";
import type { JsonObject } from "../../json.ts";
import { broaderTests } from "../conditions/broader.ts";
import { type Condition, findConditions, meets, type Pair } from "../conditions/conditions.ts";
import { type Rest, restFilters } from "../conditions/rest-filters.ts";
import { literal } from "../conditions/term.ts";
import { columnKnowledge, type History } from "../history.ts";
import type { Call } from "../observations.ts";
import { queriedRows, type RowQuery, wholeness } from "../tables/complete-rows.ts";
import type { Instance } from "../tables/entities.ts";
import { isClosed, isHoled } from "../tables/missing.ts";
import { type Entity, type Placed, rowOf } from "../tables/tables.ts";
import { byText, isScalar } from "../values.ts";
import type { Candidate } from "./fit-read.ts";

/** A search with what the world must hold for it: the questions that evidence answered, where rows may be missing. */
export interface FittedSearch extends Candidate {
  readonly asked?: {
    readonly table: string;
    readonly key: readonly string[];
    readonly rows: Readonly<Record<string, JsonObject>>;
  };
}

/** Questions, and rows that each left out, that are looked at. */
const ASKED = 200;
const LEFT_OUT = 40;

interface Question {
  readonly call: Call;
  readonly rows: { key: string; row: JsonObject }[];
}

function questionsOf(calls: readonly Call[], entity: Entity, placed: Placed): Question[] {
  const byCall = new Map<Call, { key: string; row: JsonObject }[]>();
  for (const call of calls) if (call.ok) byCall.set(call, []);
  for (const instance of placed.source.instances as Instance[]) {
    const found = rowOf(entity, placed, instance);
    if (found) byCall.get(instance.call)?.push(found);
  }
  return [...byCall].map(([call, rows]) => ({ call, rows }));
}

/** What a question says of the rows that it answered, where they do not show it: the column that its argument asks for. */
function inject(
  history: History,
  table: string,
  conditions: readonly Condition[],
  questions: readonly Question[],
): void {
  const base = history.base[table];
  if (!base) return;
  for (const { arg, path, op } of conditions) {
    const column = path[0];
    if (op !== "==" || path.length !== 1 || column === undefined || variesAtStart(history, table, column)) continue;
    for (const { call, rows } of questions)
      for (const { key } of rows) {
        const row = base[key];
        const value = call.args[arg];
        if (row && value !== undefined && value !== null && !Object.hasOwn(row, column))
          base[key] = { ...row, [column]: value };
      }
  }
}

/** Columns that have one value in every answered row, and another in rows that were left out. */
function constantFilter(
  questions: readonly Question[],
  conditions: readonly Condition[],
  rows: readonly JsonObject[],
): RowQuery["tests"][number] | undefined {
  const answered = questions.flatMap((question) => question.rows.map(({ row }) => row));
  const left = questions.flatMap(({ call, rows: shown }) => {
    const ids = new Set(shown.map(({ row }) => row));
    return rows
      .filter((row) => !ids.has(row) && conditions.every((condition) => meets(condition, row, call.args)))
      .slice(0, 20);
  });
  if (left.length === 0) return undefined;
  const first = answered[0];
  for (const column of Object.keys(first ?? {}).sort(byText)) {
    const value = first?.[column];
    if (!isScalar(value) || answered.length < 3 || !answered.every((row) => row[column] === value)) continue;
    if (left.some((row) => row[column] !== undefined && row[column] !== value))
      return { cel: `row[${literal(column)}] == ${literal(value)}`, column };
  }
  return undefined;
}

/** What tells the rows that questions answered from those that they left out, where an export gave all rows. */
function restOf(
  questions: readonly Question[],
  conditions: readonly Condition[],
  base: Readonly<Record<string, JsonObject>>,
): Rest | undefined {
  const rows = Object.entries(base);
  const answered = questions.flatMap(({ rows: shown }) => shown.map(({ key, row }) => ({ ...base[key], ...row })));
  const step = Math.max(1, Math.ceil(questions.length / ASKED));
  const sample = questions.filter((_, i) => i % step === 0);
  const left = sample.flatMap(({ call, rows: shown }) => {
    const keys = new Set(shown.map(({ key }) => key));
    return rows
      .filter(([key, row]) => !keys.has(key) && conditions.every((condition) => meets(condition, row, call.args)))
      .slice(0, LEFT_OUT)
      .map(([, row]) => row);
  });
  return restFilters(
    answered,
    left,
    rows.map(([, row]) => row),
  );
}

/** Whether the first state lacks a column of rows because sessions of some groups start with another value than those of others. */
function variesAtStart({ own }: History, table: string, column: string): boolean {
  const rows = new Set(own?.flatMap((tables) => Object.values(tables?.[table] ?? {})));
  return [...rows].some((row) => Object.hasOwn(row, column));
}

/** The same for the questions alone that switch something on: what they leave out, others may answer. */
function switchedFilters(
  questions: readonly Question[],
  conditions: ReadonlyMap<string, Condition>,
  base: Readonly<Record<string, JsonObject>>,
): { arg: string; rest: Rest }[] {
  return [...conditions.values()].flatMap(({ arg }) => {
    const on = questions.filter(({ call }) => call.args[arg] === true);
    if (on.length === 0 || !/^[A-Za-z_]\w*$/.test(arg)) return [];
    const rest = restOf(on, [...conditions.values()], base);
    return rest ? [{ arg, rest }] : [];
  });
}

/** The column that sorts every answer of two or more rows: with the fewest ties, key first. */
function orderOf(questions: readonly Question[], key: readonly string[]): { path: string; desc: boolean } | undefined {
  const lists = questions.map(({ rows }) => rows.map(({ row }) => row)).filter((rows) => rows.length > 1);
  let best: { path: string; desc: boolean; apart: number } | undefined;
  for (const desc of [false, true])
    for (const path of [...key, ...Object.keys(lists[0]?.[0] ?? {})]) {
      const apart = distinguishedBy(lists, path, desc);
      if (apart !== undefined && apart > (best?.apart ?? 0)) best = { path, desc, apart };
    }
  return best && { path: best.path, desc: best.desc };
}

/** Neighbours in lists that a column tells apart; undefined where it does not sort them all. */
function distinguishedBy(lists: readonly (readonly JsonObject[])[], path: string, desc: boolean): number | undefined {
  let apart = 0;
  for (const rows of lists)
    for (const [i, row] of rows.entries()) {
      const [a, b] = [rows[i - 1]?.[path], row[path]];
      if (!isScalar(b)) return undefined;
      if (i === 0) continue;
      if (!isScalar(a) || typeof a !== typeof b || (desc ? a < b : a > b)) return undefined;
      if (a !== b) apart++;
    }
  return apart;
}

/** The rows that arguments ask for: filters, order, limit; on partly shown tables only observed questions. */
export function searchRead(
  history: History,
  tool: string,
  table: string,
  placed: Placed,
  calls: readonly Call[],
): FittedSearch | undefined {
  const entity = history.entities.get(table);
  if (!entity || !placed.source.list || placed.source.place.endsWith("[][]")) return undefined;
  const questions = questionsOf(calls, entity, placed);
  const pairs: Pair[] = questions.flatMap(({ call, rows }) =>
    rows.map(({ key, row }) => ({ args: call.args, row: { ...history.base[table]?.[key], ...row } })),
  );
  const args = [...new Set(questions.flatMap(({ call }) => Object.keys(call.args)))].sort(byText);
  const limitArg = args.find(
    (arg) =>
      /limit|max_results|top|count|page_size/i.test(arg) &&
      questions.every(
        ({ call, rows }) =>
          call.args[arg] === undefined || (typeof call.args[arg] === "number" && rows.length <= call.args[arg]),
      ),
  );
  const filters = args.filter((arg) => arg !== limitArg);
  const conditions = findConditions(filters, pairs, "row");
  if (
    filters.some(
      (arg) =>
        !conditions.has(arg) && questions.some(({ call }) => call.args[arg] !== undefined && call.args[arg] !== null),
    )
  )
    return undefined;
  inject(history, table, [...conditions.values()], questions);
  const rows = Object.values(history.base[table] ?? {});
  const tests = [...conditions.values()]
    .sort((a, b) => byText(a.arg, b.arg))
    .map(({ arg, cel, path }) => {
      const optional = questions.some(({ call }) => call.args[arg] === undefined || call.args[arg] === null);
      return { cel: optional ? `(args.${arg} == null || ${cel})` : cel, column: path[0] as string };
    });
  const given = history.complete?.has(table) ?? false;
  // A list that ends where it was to end says nothing of the rows after it.
  const ended = questions.filter(({ call, rows: found }) => found.length !== call.args[limitArg ?? ""]);
  const rest = given ? restOf(ended, [...conditions.values()], history.base[table] ?? {}) : undefined;
  if (given && !rest) return undefined;
  const switched = given ? switchedFilters(ended, conditions, history.base[table] ?? {}) : [];
  const constant = given ? undefined : constantFilter(questions, [...conditions.values()], rows);
  tests.push(...(rest?.tests ?? []), ...(constant ? [constant] : []));
  for (const { arg, rest: own } of switched)
    for (const { cel, column } of own.tests) tests.push({ cel: `(args.${arg} != true || ${cel})`, column });
  const parts = tests.map(({ cel }) => cel);
  const order = orderOf(questions, entity.key);
  const { always, answered } = columnKnowledge(history, table);
  const shown = [...new Set(placed.source.instances.flatMap(({ row }) => Object.keys(row)))].sort(byText);
  const all = new Set([...always, ...rows.flatMap((row) => Object.keys(row))]);
  const blank = [...placed.injected.keys()].filter((column) => shown.includes(column));
  const hidden = blank.length > 0 || [...all].some((column) => !shown.includes(column));
  const needed = new Set([
    ...shown.filter((column) => answered.has(column)),
    ...[...conditions.values()].map(({ path }) => path[0] as string),
  ]);
  const open =
    !given &&
    (!isClosed(history, table) || rows.some((row) => [...needed].some((column) => !Object.hasOwn(row, column))));
  // Where a few rows may be missing, nothing found is no answer unless evidence asked the same.
  const named = parts.filter((part) => !part.startsWith("(args."));
  const unsure = !open && named.length > 0 && isHoled(history, table);
  const asked = open || unsure ? requestedTable(tool, filters, questions) : undefined;
  const steps: Step[] = [];
  if (asked) {
    const same = `lookup(${literal(asked.table)}, ${asked.key.map((arg) => `(args.${arg} == null ? "" : string(args.${arg}))`).join(", ")}) != null`;
    const grounds = [
      ...(unsure ? [`rows(${literal(table)}).exists(row, ${named.join(" && ")})`] : []),
      same,
      ...broaderTests(questions, conditions, asked),
    ];
    steps.push({ op: "let", name: "asked", expr: `(${grounds.join(" || ")} ? true : not_served())` });
  }
  // What some sessions find otherwise is known of their own rows alone.
  const looked = given ? [...needed] : shown.filter((column) => variesAtStart(history, table, column));
  const own = tests.flatMap(({ column }) => (variesAtStart(history, table, column) ? [column] : []));
  const doubts = wholeness({ table, variable: "row", tests, exported: true, varying: own }, rows, looked.sort(byText));
  if (rest && rest.openTests.length > 0) {
    const asked = queriedRows({ table, variable: "row", tests, exported: true });
    doubts.push(`${asked}.all(row, ${rest.openTests.map(({ cel }) => cel).join(" && ")})`);
  }
  for (const { arg, rest: own } of switched) {
    const all = own.openTests.filter(({ cel }) => !rest?.openTests.some((other) => other.cel === cel));
    const rowsAsked = queriedRows({ table, variable: "row", tests, exported: true });
    if (all.length > 0)
      doubts.push(`args.${arg} != true || ${rowsAsked}.all(row, ${all.map(({ cel }) => cel).join(" && ")})`);
  }
  for (const [i, expr] of doubts.entries())
    steps.push({ op: "let", name: `whole_${i + 1}`, expr: `(${expr} ? true : not_served())` });
  steps.push({
    op: "list",
    table,
    ...(parts.length > 0 ? { where: parts.join(" && ") } : {}),
    ...(order ? { order_by: order } : {}),
    ...(limitArg ? { limit: `args.${limitArg}` } : {}),
    ...(hidden ? { view: shown.map((path) => (blank.includes(path) ? { path, expr: "null" } : { path })) } : {}),
  });
  return { steps, how: `search ${table}`, ...(asked ? { asked } : {}) };
}

function requestedTable(tool: string, args: readonly string[], questions: readonly Question[]): FittedSearch["asked"] {
  if (
    args.length === 0 ||
    questions.some(({ call }) => args.some((arg) => typeof call.args[arg] === "object" && call.args[arg] !== null))
  )
    return undefined;
  const rows: Record<string, JsonObject> = {};
  for (const { call } of questions) {
    const row = Object.fromEntries(
      args.map((arg) => [arg, call.args[arg] === undefined || call.args[arg] === null ? "" : String(call.args[arg])]),
    );
    rows[args.map((arg) => row[arg]).join("\u001f")] = row;
  }
  const sorted = Object.fromEntries(
    Object.keys(rows)
      .sort(byText)
      .map((key) => [key, rows[key] as JsonObject]),
  );
  return { table: `asked_${tool.replace(/\W/g, "_")}`, key: args, rows: sorted };
}

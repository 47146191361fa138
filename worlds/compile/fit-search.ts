import type { Step } from "../behaviour/schema.ts";
import type { JsonObject } from "../json.ts";
import { type Condition, findConditions, meets, type Pair } from "./conditions.ts";
import type { Instance } from "./entities.ts";
import { familyTest } from "./families.ts";
import type { Candidate } from "./fit-read.ts";
import { columnKnowledge, type History } from "./history.ts";
import { isClosed, isHoled } from "./missing.ts";
import type { Call } from "./observations.ts";
import { type Entity, type Placed, rowOf } from "./tables.ts";
import { literal } from "./term.ts";
import { byText, isScalar } from "./values.ts";
import { type Asked, wholeness } from "./whole-rows.ts";

/** A search with what the world must hold for it: the questions that evidence answered, where rows may be missing. */
export interface FittedSearch extends Candidate {
  readonly asked?: {
    readonly table: string;
    readonly key: readonly string[];
    readonly rows: Readonly<Record<string, JsonObject>>;
  };
}

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
    if (op !== "==" || path.length !== 1 || column === undefined) continue;
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
): Asked["tests"][number] | undefined {
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

/** The column that every answer of two rows or more is sorted by. */
function orderOf(questions: readonly Question[], key: readonly string[]): { path: string; desc: boolean } | undefined {
  const lists = questions.map(({ rows }) => rows.map(({ row }) => row)).filter((rows) => rows.length > 1);
  const columns = [...key, ...Object.keys(lists[0]?.[0] ?? {})];
  for (const desc of [false, true])
    for (const path of columns) {
      const sorted = lists.every((rows) =>
        rows.every((row, i) => {
          const [a, b] = [i === 0 ? undefined : rows[i - 1]?.[path], row[path]];
          return i === 0
            ? isScalar(b)
            : isScalar(a) && isScalar(b) && typeof a === typeof b && (desc ? a >= b : a <= b);
        }),
      );
      if (sorted && lists.length > 0 && lists.some((rows) => rows[0]?.[path] !== rows.at(-1)?.[path]))
        return { path, desc };
    }
  return undefined;
}

/** The rows of a table that the arguments ask for: filters, order, limit, and, where evidence does not show the whole table, only questions that it answered. */
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
  const constant = constantFilter(questions, [...conditions.values()], rows);
  if (constant) tests.push(constant);
  const parts = tests.map(({ cel }) => cel);
  const order = orderOf(questions, entity.key);
  const { always } = columnKnowledge(history, table);
  const shown = [...new Set(placed.source.instances.flatMap(({ row }) => Object.keys(row)))].sort(byText);
  const all = new Set([...always, ...rows.flatMap((row) => Object.keys(row))]);
  const blank = [...placed.injected.keys()].filter((column) => shown.includes(column));
  const hidden = blank.length > 0 || [...all].some((column) => !shown.includes(column));
  const needed = new Set([
    ...shown.filter((column) => always.has(column)),
    ...[...conditions.values()].map(({ path }) => path[0] as string),
  ]);
  const given = history.complete?.has(table) ?? false;
  const open =
    !given &&
    (!isClosed(history, table) || rows.some((row) => [...needed].some((column) => !Object.hasOwn(row, column))));
  // Where a few rows may be missing, nothing found is no answer unless evidence asked the same.
  const named = parts.filter((part) => !part.startsWith("(args."));
  const unsure = !open && named.length > 0 && isHoled(history, table);
  const asked = open || unsure ? askedTable(tool, filters, questions) : undefined;
  const steps: Step[] = [];
  if (asked) {
    const same = `lookup(${literal(asked.table)}, ${asked.key.map((arg) => `(args.${arg} == null ? "" : string(args.${arg}))`).join(", ")}) != null`;
    const family = familyTest(table, entity.key, questions, conditions, asked, [...needed].sort(byText));
    const grounds = [
      ...(unsure ? [`rows(${literal(table)}).exists(row, ${named.join(" && ")})`] : []),
      same,
      ...(family === undefined ? [] : [family]),
    ];
    steps.push({ op: "let", name: "asked", expr: `(${grounds.join(" || ")} ? true : not_served())` });
  }
  const doubts = given
    ? wholeness({ table, variable: "row", tests, exported: true }, rows, [...needed].sort(byText))
    : [];
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

function askedTable(tool: string, args: readonly string[], questions: readonly Question[]): FittedSearch["asked"] {
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

import type { Step } from "../../../behaviour/schema.ts";
import type { BaseState, Bundle, TableModel } from "../../../bundle.ts";
import { type Json, type JsonObject, setOwn } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";
import type { FittedTool } from "../../fit/fit-tool.ts";
import { arg, type Expr, evaluate } from "../expressions/expr.ts";
import { type Names, type Printing, print } from "../expressions/print.ts";
import { echoOf } from "../expressions/within-text.ts";
import type { Kind } from "../state/kinds.ts";
import { type CompleteLists, questionRows } from "./complete-lists.ts";
import { textRows } from "./domains.ts";
import { askedOf, bindView, changedOf, listText, textsOf } from "./emit-view.ts";
import type { Endings } from "./endings.ts";
import type { Act, Placed } from "./row-actions.ts";
import { fitShape, isOpen, printShape, type Shape, shaped } from "./shapes.ts";
import { type ExportTable, type KeyForm, MADE, RUN, TIE, UNLISTED } from "./tables.ts";

/** A tool as it was learnt over an export's tables. */
export interface BoundTool {
  readonly tool: string;
  readonly act: Act | undefined;
  readonly endings: Endings;
  readonly empty: Expr | undefined;
  readonly support: readonly Expr[];
  readonly calls: readonly Placed[];
}

const LONGEST = 3900;

/** What a row of which nothing is unknown, and that stands in its place, holds besides its columns. */
const PLACED: readonly (readonly [path: string, expr: string])[] = [
  [UNLISTED, "0"],
  [TIE, "null"],
  [RUN, "null"],
];

/** Writes a tool as a behaviour; undefined where nothing of it can be said. */
export function written(
  { tool, act, endings, empty, support, calls }: BoundTool,
  names: Names,
  tables: readonly ExportTable[],
): FittedTool | undefined {
  const { rules } = endings;
  if (!act && rules.length === 0) return undefined;
  const at: Printing = { names };
  const steps: Step[] = [];
  const bind = (name: string, expr: string): string => {
    steps.push({ op: "let", name, expr });
    return name;
  };
  const view = act?.view;
  if (view) bindView(view, names, bind, tool);
  const conditions = rules.map(({ when }, i) => {
    const text = when === empty && view ? "(none_listed)" : print(when, at);
    return bind(`met${i + 1}`, text);
  });
  const ending = bind("ending", `(${conditions.map((name, i) => `${name} ? ${i + 1} : `).join("")}0)`);
  const replies: string[] = [];
  for (const [i, { kind }] of rules.entries()) {
    const reply = replyOf(kind, calls, names);
    if (kind.startsWith("error "))
      steps.push({ op: "refuse", when: `${ending} == ${i + 1}`, template: `{string(${reply})}` });
    else replies.push(`${ending} == ${i + 1} ? ${reply} : `);
  }
  if (!act) {
    steps.push({ op: "answer", expr: `(${replies.join("")}unknown())` });
    return finished(steps, "read");
  }
  const checks = support.map((test) => `(${print(test, at)})`);
  const sure = bind(
    "sure",
    `(${ending} != 0 ? true : ${checks.length === 0 ? "true" : `(${checks.join(" && ")})`} ? true : unknown())`,
  );
  const does = `(${ending} == 0 && ${sure})`;
  const value = act.view ? listText(act.view, names) : effects(act, does, names, tables, bind, steps);
  steps.push({ op: "answer", expr: `(${replies.join("")}${does} ? ${value} : unknown())` });
  return finished(steps, act.effect.kind === "none" ? "read" : "write");
}

function finished(steps: Step[], effect: "read" | "write"): FittedTool | undefined {
  const long = steps.some(
    (step) =>
      Object.values(step).some((value) => typeof value === "string" && value.length > LONGEST) ||
      ("set" in step && step.set.some(({ expr }) => expr.length > LONGEST)),
  );
  return long || steps.length > 50 ? undefined : { behaviour: { v: 1, steps }, effect, how: "export", whole: true };
}

/** Words with what a call was given in them. */
const spoken = (words: string): Shape => ({
  kind: "leaf",
  expr: { op: "text", parts: words.split(/\{([^{}]+)\}/).map((part, i) => (i % 2 === 1 ? arg(part) : part)) },
});

/** The words of calls that end in a kind. */
function replyOf(kind: Kind, calls: readonly Placed[], names: Names): string {
  const examples = calls
    .filter((one) => one.kind === kind)
    .map(({ call, before }): { value: Json; env: { args: JsonObject; facts: Placed["before"] } } => ({
      value: call.ok
        ? call.value
        : (call.parsed.text ?? (typeof call.value === "string" ? call.value : JSON.stringify(call.value))),
      env: { args: call.args, facts: before },
    }));
  const [, words] = /^(?:text|error) (.*)$/s.exec(kind) ?? [];
  const said = words !== undefined && /\{[^{}]+\}/.test(words) && !words.includes("#") && spoken(words);
  const echo = echoOf(examples.map(({ env, value }) => ({ args: env.args, text: value })));
  if (echo) return print(echo, { names });
  const shape = said && examples.every((one) => shaped(said, one.env) === one.value) ? said : fitShape(examples, []);
  return isOpen(shape) ? "unknown()" : printShape(shape, { names });
}

/** Tables beside those of the system, with the rows that a world begins with. */
export function otherTables(
  tables: readonly ExportTable[],
  views: readonly (readonly [tool: string, whole: CompleteLists])[],
): [name: string, rows: Record<string, JsonObject>][] {
  const unlisted = ({ rows }: ExportTable): [string, JsonObject][] =>
    [...rows].flatMap(([n, row]) => (row[UNLISTED] === 1 ? [[n, { n, changed: false }]] : []));
  return [
    ...tables
      .filter(({ shown }) => shown)
      .map((table): [string, Record<string, JsonObject>] => [
        changedOf(table.stored),
        Object.fromEntries(unlisted(table)),
      ]),
    ...views.flatMap(([tool, whole]): [string, Record<string, JsonObject>][] => [
      [askedOf(tool), questionRows(whole)],
      [textsOf(tool), textRows(whole.domains)],
    ]),
  ];
}

/** Steps of what an act does; yields what it answers. */
function effects(
  act: Act,
  does: string,
  names: Names,
  tables: readonly ExportTable[],
  bind: (name: string, expr: string) => string,
  steps: Step[],
): string {
  const { effect, row } = act;
  if (effect.kind === "create") {
    const stored = names.table(effect.table);
    const key = bind("made_key", `(${does} ? ${nextKeyText(effect.form, stored, names.key(effect.table))} : null)`);
    const made = bind(
      "made_after",
      `(size(rows(${literal(stored)})) == 0 ? 0 : rows(${literal(stored)}).map(each, each.${MADE}).max() + 1)`,
    );
    const values = new Map(effect.sets.map(({ column, value }) => [column, print(value, { names })]));
    const columns = effect.columns.filter((column) => names.column(effect.table, column) !== names.key(effect.table));
    const set = columns.map((column) => ({
      path: names.column(effect.table, column),
      op: "=" as const,
      expr: values.get(column) ?? "unknown()",
    }));
    if (tables.some(({ name, shown }) => shown && name === effect.table))
      for (const [path, expr] of PLACED) set.push({ path, op: "=", expr });
    set.push({ path: MADE, op: "=", expr: made }, { path: names.key(effect.table), op: "=", expr: key });
    steps.push({
      op: "insert",
      each: { name: "once", in: `(${does} ? [1] : [])` },
      table: stored,
      set,
      key: "",
      require: [],
    });
    return printShape(act.answer, { names, row: { text: `lookup(${literal(stored)}, ${key})`, table: effect.table } });
  }
  if (!row) return printShape(act.answer, { names });
  const stored = names.table(row.table);
  const key = [{ column: names.key(row.table), expr: print({ op: "arg", path: [row.arg] }, { names }) }];
  const here = `lookup(${literal(stored)}, ${key[0]?.expr})`;
  if (effect.kind === "remove") {
    const held = bind("held", `(${does} ? ${here} : null)`);
    steps.push({ op: "delete", each: { name: "once", in: `(${does} ? [1] : [])` }, table: stored, key, require: [] });
    return printShape(act.answer, { names, row: { text: held, table: row.table } });
  }
  if (effect.kind === "set") {
    const at: Printing = { names, row: { text: here, table: row.table } };
    const table = tables.find(({ name }) => name === row.table);
    // Of a call that is not sure to do this, nobody knows what it does to its row.
    steps.push({
      op: "update",
      each: { name: "unsure", in: `(unknown_as_null(${does}) == null && ${here} != null ? [1] : [])` },
      table: stored,
      key,
      set: (table?.columns ?? [])
        .filter((column) => column !== table?.key)
        .map((column) => ({ path: names.column(row.table, column), op: "=" as const, expr: "unknown()" })),
      require: [],
    });
    if (tables.some(({ name, shown }) => shown && name === row.table))
      steps.push({
        op: "update",
        each: { name: "changed", in: `(${does} && unknown_as_null(${here}.${UNLISTED}) == 1 ? [1] : [])` },
        table: changedOf(stored),
        key: [{ column: "n", expr: `string(${key[0]?.expr})` }],
        set: [{ path: "changed", op: "=" as const, expr: "true" }],
        require: [],
      });
    for (const [i, { column, when, value }] of effect.sets.entries()) {
      const always = evaluate(when, { args: {}, facts: { cells: new Map(), tables: new Map() } }) === true;
      const test = always ? does : `(${does} && ${print(when, at)})`;
      const set = [{ path: names.column(row.table, column), op: "=" as const, expr: print(value, at) }];
      steps.push({
        op: "update",
        each: { name: `once${i}`, in: `(${test} ? [1] : [])` },
        table: stored,
        key,
        set,
        require: [],
      });
    }
  }
  return printShape(act.answer, { names, row: { text: here, table: row.table } });
}

function nextKeyText({ prefix, width, number }: KeyForm, stored: string, key: string): string {
  const rows = `rows(${literal(stored)})`;
  const pattern = `^${prefix.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}([0-9]+)$`;
  const digits = number ? `each.${key}` : `int(regex.extract(each.${key}, ${literal(pattern)}))`;
  const next = `(size(${rows}) == 0 ? 1 : ${rows}.map(each, ${digits}).max() + 1)`;
  if (number) return next;
  const text =
    width === 0
      ? `string(${next})`
      : `(${literal("0".repeat(width))} + string(${next})).substring(size(string(${next})))`;
  return prefix === "" ? text : `(${literal(prefix)} + ${text})`;
}

/** The tables of an export as the world's. */
export function tableModels(tables: readonly ExportTable[], names: Names): TableModel[] {
  return tables.map((table) => ({
    name: table.stored,
    key: [names.column(table.name, table.key)],
    columns: table.columns.map((column) => ({
      name: names.column(table.name, column),
      types: ["null", "boolean", "number", "string", "array", "object"],
      present: 1,
    })),
  }));
}

/** The rows of an export as the world starts with them. */
export function storedRows(tables: readonly ExportTable[], names: Names): Record<string, Record<string, JsonObject>> {
  const out: Record<string, Record<string, JsonObject>> = {};
  for (const table of tables) {
    const rows: Record<string, JsonObject> = {};
    for (const [i, [key, row]] of [...table.rows].entries())
      setOwn(rows, key, {
        ...(table.shown ? { [UNLISTED]: 0, [TIE]: null, [RUN]: null } : {}),
        ...Object.fromEntries(Object.entries(row).map(([column, value]) => [names.column(table.name, column), value])),
        [MADE]: i,
      });
    setOwn(out, table.stored, rows);
  }
  return out;
}

/** The columns that no answer showed of rows that answers showed. */
export function unknownOf(tables: readonly ExportTable[], names: Names): NonNullable<BaseState["unknown"]> {
  const out: NonNullable<BaseState["unknown"]> = {};
  for (const { name, stored, shown, columns, rows } of tables) {
    if (!shown) continue;
    const groups = new Map<string, { columns: string[]; keys: string[] }>();
    for (const [key, row] of rows) {
      const lacking = columns
        .filter((column) => !Object.hasOwn(row, column))
        .map((column) => names.column(name, column));
      if (lacking.length === 0) continue;
      const group = groups.get(lacking.join("\n")) ?? { columns: lacking, keys: [] };
      groups.set(lacking.join("\n"), group);
      group.keys.push(key);
    }
    if (groups.size > 0) setOwn(out, stored, [...groups.values()]);
  }
  return out;
}

type Footprint = NonNullable<Bundle["footprints"]>[string];

/** What calls of a tool may change where they are not answered, or answered without all that they do being known. */
export function footprintOf(bound: BoundTool | undefined, tables: readonly ExportTable[], names: Names): Footprint {
  const act = bound?.act;
  const effect = act?.effect;
  if (effect && effect.kind === "create") return { tables: { [names.table(effect.table)]: { made: true } } };
  if (effect && effect.kind !== "none") {
    const table = tables.find(({ name }) => name === effect.row.table) as ExportTable;
    const every = table.columns.map((column) => names.column(table.name, column));
    if (table.shown) every.push(UNLISTED);
    // A row that nobody knows may be changed into one that lists show.
    const others = table.complete ? {} : { made: true as const };
    const reach =
      effect.kind === "set"
        ? { named: every, ...others }
        : effect.kind === "remove"
          ? { named: "*" as const, ...others }
          : { named: "*" as const, ...others, doubted: { named: every, ...others } };
    return { tables: { [table.stored]: reach } };
  }
  const all = { named: "*", near: "*", others: "*", made: true } as const;
  const doubted = act && !act.bounded ? { doubted: { ...all } } : {};
  return {
    tables: Object.fromEntries(tables.map(({ stored }) => [stored, act?.bounded ? {} : { ...all, ...doubted }])),
  };
}

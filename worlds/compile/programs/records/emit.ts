import type { Step } from "../../../behaviour/schema.ts";
import type { BaseState, Bundle, TableModel } from "../../../bundle.ts";
import { type Json, type JsonObject, setOwn } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";
import type { FittedTool } from "../../fit/fit-tool.ts";
import { type Expr, evaluate } from "../expressions/expr.ts";
import { type Names, type Printing, print } from "../expressions/print.ts";
import type { Kind } from "../state/kinds.ts";
import { type CompleteLists, printCovered, questionRows } from "./complete-lists.ts";
import { textRows } from "./domains.ts";
import { type Endings, viewConditions } from "./endings.ts";
import { given } from "./filters.ts";
import type { Act, Placed } from "./row-actions.ts";
import { fitShape, isOpen, printShape } from "./shapes.ts";
import { type ExportTable, type KeyForm, MADE, RUN, TIE, UNLISTED } from "./tables.ts";
import type { ListView } from "./views.ts";

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
  const shape = fitShape(examples, []);
  return isOpen(shape) ? "unknown()" : printShape(shape, { names });
}

const plain = (tool: string): string => tool.replace(/[^A-Za-z0-9_]+/g, "_");

/** The table of the questions of which a tool's lists showed all rows. */
const askedOf = (tool: string): string => `${plain(tool)}_asked`;

/** The table of the texts that a tool's lists showed to be all there are. */
const textsOf = (tool: string): string => `${plain(tool)}_texts`;

/** The table that says which rows of a table that no list showed were changed. */
const changedOf = (stored: string): string => `${stored}_changed`;

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

function bindView(view: ListView, names: Names, bind: (name: string, expr: string) => string, tool: string): void {
  const { sure, possible } = viewConditions(view);
  const rows = `rows(${literal(names.table(view.table))})`;
  const at: Printing = { names, row: { text: "each", table: view.table } };
  const { whole } = view;
  const here = (test: string): string => (whole ? `each.${UNLISTED} == 0 && ${test}` : test);
  const found = bind("found", `${rows}.filter(each, ${here(print(sure, at))})`);
  let listed = found;
  if (possible) {
    const count = bind("may", `${rows}.count(each, ${here(print(possible, at))})`);
    listed = `(size(${found}) == ${count} ? ${found} : unknown())`;
  }
  if (!whole) {
    bind("listed", listed);
    bind("none_listed", "size(listed) == 0");
    return;
  }
  // A row that no list showed is in none of those that showed all, until a change makes it meet a test.
  const stored = names.table(view.table);
  bind(
    "changed",
    `rows(${literal(changedOf(stored))}).filter(each, each.changed == true).map(each, lookup(${literal(stored)}, each.n)).filter(each, each != null && ${changedTo(view, at)})`,
  );
  bind("other", `changed.exists(each, ${print(sure, at)})`);
  const { limit } = view;
  bind("met", listed);
  const edge =
    limit === undefined
      ? "null"
      : `(size(met) < ${limit} ? null : ${inOrder("met", view, names)}.slice(${limit - 1}, ${limit}).first())`;
  bind("edge", edge);
  // Of rows past the last listed one those alone may stand elsewhere that are tied with it.
  const near = whole.kept ? `(edge == null || each.${MADE} <= edge.${MADE} || each.${TIE} == edge.${TIE})` : "true";
  bind("tied", `met.map(each, each.${TIE} != null && ${near}, [each.${TIE}, each.${RUN}])`);
  const column = (name: string): string => names.column(view.table, name);
  const checks = [
    "!other",
    printCovered(whole, askedOf(tool), textsOf(tool), "edge", names.key(view.table), column, names),
    "size(tied.map(each, each[0]).distinct()) == size(tied.distinct())",
    ...(limit === undefined ? [`size(met) <= ${whole.longest}`] : []),
  ];
  bind("listed", `(${checks.join(" && ")} ? met : unknown())`);
  bind("none_listed", "size(listed) == 0");
}

/** Whether a row of which something is not known is known to meet a test. */
function changedTo({ filters }: ListView, at: Printing): string {
  const tests = filters.flatMap(({ name, atoms }) =>
    atoms.map((atom) => `(${print(given(name), at)} && unknown_as_null(${print(atom, at)}) == true)`),
  );
  return tests.length === 0 ? "false" : `(${tests.join(" || ")})`;
}

/** A list of rows in the order of a view. */
function inOrder(list: string, view: ListView, names: Names): string {
  const by = view.order ? names.column(view.table, view.order.by) : MADE;
  const text = `${list}.sortBy(each, each.${MADE})`;
  if (!view.order) return text;
  return view.order.descending
    ? `${text}.reverse().sortBy(each, each.${by}).reverse()`
    : `${text}.sortBy(each, each.${by})`;
}

function listText(view: ListView, names: Names): string {
  let text = inOrder("listed", view, names);
  if (view.limit !== undefined) text += `.slice(0, ${view.limit})`;
  text += `.map(each, ${printShape(view.item, { names, row: { text: "each", table: view.table } })})`;
  const list = view.field === undefined ? text : `{${literal(view.field)}: ${text}}`;
  // How a list without an entry is written was not seen.
  return view.whole && !view.empties ? `(none_listed ? unknown() : ${list})` : list;
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
      const test =
        evaluate(when, { args: {}, facts: { cells: new Map(), tables: new Map() } }) === true
          ? does
          : `(${does} && ${print(when, at)})`;
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

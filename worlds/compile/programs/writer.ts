import type { Step as BehaviourStep } from "../../behaviour/schema.ts";
import { literal, member } from "../conditions/term.ts";
import { byText } from "../values.ts";
import { type Allocator, drawnText } from "./allocator.ts";
import type { Answer } from "./answers.ts";
import { columnNames, type Learnt } from "./effects.ts";
import { evaluate, keyOf } from "./expressions/expr.ts";
import { CELLS, COUNTERS, MADE } from "./expressions/names.ts";
import { CELL_KEY, type Names, type Printing, print, printed } from "./expressions/print.ts";
import { type Creation, NO_EFFECTS, parentColumn } from "./simulate.ts";
import type { View } from "./state/views.ts";

/** Writes effects and answers of acts; each name that it binds is bound once in a behaviour. */
export class Writer {
  private readonly names: Names;
  private readonly learnt: Learnt;
  private readonly allocators: ReadonlyMap<string, Allocator>;
  private bound = 0;
  /** What rows that a call made are called: the key, or for a list what its rows were made after. */
  private made = new Map<string, { readonly creation: Creation; readonly text: string }>();

  constructor(names: Names, learnt: Learnt, allocators: ReadonlyMap<string, Allocator>) {
    this.names = names;
    this.learnt = learnt;
    this.allocators = allocators;
  }

  private name(): string {
    return `v${++this.bound}`;
  }

  /** The number of the next row of a table. */
  private counter(table: string): string {
    const allocator = this.allocators.get(table);
    const last = `lookup(${literal(COUNTERS)}, ${literal(this.names.table(table))}).next`;
    if (allocator?.kind !== "counter" || allocator.largest === false) return last;
    const removed = [...this.learnt.effects.values()].some(({ removals }) =>
      removals.some((one) => one.table === table),
    );
    if (!allocator.largest && !removed) return last;
    const rows = `rows(${literal(this.names.table(table))})`;
    const key = member("held", this.names.key(table));
    const number = allocator.prefix === "" ? `int(${key})` : `int(${key}.substring(${allocator.prefix.length}))`;
    const largest = `math.greatest([${allocator.first - 1}] + ${rows}.map(held, ${number})) + 1`;
    return allocator.largest ? largest : `(${last} == ${largest} ? ${last} : unknown())`;
  }

  /** Steps of an act's effects: values first, over the state as it was, then what they are put into. */
  effects(act: string, only: string | undefined): BehaviourStep[] {
    const { changes, creations, removals } = this.learnt.effects.get(act) ?? NO_EFFECTS;
    const lets: BehaviourStep[] = [];
    const out: BehaviourStep[] = [];
    const at: Printing = { names: this.names };
    const bind = (expr: string): string => {
      const name = this.name();
      lets.push({ op: "let", name, expr: only === undefined ? expr : `(${only} ? ${expr} : null)` });
      return name;
    };
    this.made = new Map();
    for (const creation of creations) this.create(creation, creations, at, only, bind, out);
    const [sole] = creations;
    const made = sole && creations.length === 1 && sole.list === undefined ? this.made.get(sole.path) : undefined;
    const here: Printing = made ? { ...at, item: { text: made.text } } : at;
    const targets = new Map<
      string,
      { table: string | undefined; key: string[]; set: { path: string; op: "="; expr: string }[] }
    >();
    for (const { table, key, name, value } of changes) {
      const keys = key.map((part) => print(part, at));
      const id = `${table ?? ""} ${keys.join()}`;
      const row = `lookup(${literal(table === undefined ? CELLS : this.names.table(table))}, ${keys.join(", ")})`;
      const target = targets.get(id) ?? { table, key: keys, set: [] };
      targets.set(id, target);
      const said =
        value.op === "unknown"
          ? this.volatileValue(table, name)
          : print(value, table === undefined ? here : { ...here, row: { text: row, table } });
      const text = table === undefined || this.makes(act, table, keys) ? said : `(${row} == null ? null : ${said})`;
      target.set.push({ path: this.names.column(table ?? "", name), op: "=", expr: bind(text) });
    }
    for (const { table, key, set } of targets.values()) {
      if (table !== undefined && this.makes(act, table, key)) out.push(...this.upsert(table, key, only));
      const stored = table === undefined ? CELLS : this.names.table(table);
      const keyNames =
        table === undefined
          ? ["of"]
          : (this.learnt.layout.tables.get(table) ?? []).map((name) => this.names.column(table, name));
      const keys = table === undefined ? [literal(CELL_KEY)] : key;
      const there = table === undefined ? "true" : `lookup(${literal(stored)}, ${keys.join(", ")}) != null`;
      const condition = [only, there].filter((part) => part !== undefined && part !== "true").join(" && ");
      out.push({
        op: "update",
        ...(condition === "" ? {} : { each: { name: this.name(), in: `(${condition} ? [1] : [])` } }),
        table: stored,
        key: keyNames.map((column, i) => ({ column, expr: keys[i] as string })),
        set,
        require: [],
      });
    }
    for (const { table, key } of removals) {
      const stored = this.names.table(table);
      const keys = key.map((part) => print(part, at));
      const there = `lookup(${literal(stored)}, ${keys.join(", ")}) != null`;
      out.push({
        op: "delete",
        each: { name: this.name(), in: `(${only === undefined ? there : `${only} && ${there}`} ? [1] : [])` },
        table: stored,
        key: (this.learnt.layout.tables.get(table) ?? []).map((name, i) => ({
          column: this.names.column(table, name),
          expr: keys[i] as string,
        })),
        require: [],
      });
    }
    return [...lets, ...out];
  }

  /** Whether calls of an act were seen to leave rows that were not there before, under keys that they were given. */
  private makes(act: string, table: string, keys: readonly string[]): boolean {
    let made = 0;
    const changes = (this.learnt.effects.get(act)?.changes ?? []).filter(
      (change) =>
        change.table === table && change.key.every((part, i) => print(part, { names: this.names }) === keys[i]),
    );
    for (const steps of this.learnt.steps)
      for (const { act: of, call, before } of steps) {
        if (of !== act || !before.tables.get(table)?.complete) continue;
        const env = { args: call.args, facts: before };
        for (const { key } of changes) {
          const at = keyOf(key.map((part) => evaluate(part, env)));
          if (typeof at === "string" && !before.tables.get(table)?.rows.has(at)) made++;
        }
        if (made > 1) return true;
      }
    return false;
  }

  /** Makes the row of a key where it is not there; its columns are not known until they are set. */
  private upsert(table: string, key: readonly string[], only: string | undefined): BehaviourStep[] {
    const stored = this.names.table(table);
    const missing = `lookup(${literal(stored)}, ${key.join(", ")}) == null`;
    const keyNames = (this.learnt.layout.tables.get(table) ?? []).map((name) => this.names.column(table, name));
    const columns = [...(columnNames(this.learnt.timelines).get(table) ?? [])].sort(byText);
    const set = [
      ...keyNames.map((path, i) => ({ path, op: "=" as const, expr: key[i] as string })),
      ...columns
        .map((name) => this.names.column(table, name))
        .filter((path) => !keyNames.includes(path))
        .map((path) => ({ path, op: "=" as const, expr: "unknown()" })),
      { path: MADE, op: "=" as const, expr: this.counter(table) },
    ];
    const each = { name: this.name(), in: `(${only === undefined ? missing : `${only} && ${missing}`} ? [1] : [])` };
    return [{ op: "insert", each, table: stored, set, key: "", require: [] }];
  }

  private create(
    creation: Creation,
    all: readonly Creation[],
    at: Printing,
    only: string | undefined,
    bind: (expr: string) => string,
    out: BehaviourStep[],
  ): void {
    const { table } = creation;
    const stored = this.names.table(table);
    const [keyName] = this.learnt.layout.tables.get(table) ?? [];
    const allocator = this.allocators.get(table);
    const base = bind(this.counter(table));
    const item = this.name();
    const number =
      creation.list === undefined
        ? base
        : `(${base} + rows(${literal(stored)}).count(counted, counted.${MADE} >= ${base}))`;
    const here: Printing = creation.list === undefined ? at : { ...at, item: { text: item } };
    const holder = (name: string): string | undefined => {
      for (const other of all)
        if (other !== creation && name === parentColumn(other.table)) return this.made.get(other.path)?.text;
      return undefined;
    };
    const key = allocator ? keyText(allocator, number) : undefined;
    let drawn = creation.list === undefined && key !== undefined ? bind(key) : key;
    // Nobody knows which key comes next where the next one is taken.
    if (creation.list === undefined && drawn !== undefined && allocator?.kind !== "drawn")
      drawn = bind(`(lookup(${literal(stored)}, ${drawn}) == null ? ${drawn} : unknown())`);
    const set: { path: string; op: "="; expr: string }[] = [];
    for (const [name, expr] of creation.columns) {
      if (name === keyName) continue;
      const text = holder(name) ?? (expr.op === "unknown" ? this.volatileValue(table, name) : print(expr, here));
      set.push({
        path: this.names.column(table, name),
        op: "=",
        expr: creation.list === undefined && holder(name) === undefined ? bind(text) : text,
      });
    }
    set.push({ path: MADE, op: "=", expr: number });
    if (keyName !== undefined && drawn !== undefined)
      set.push({ path: this.names.column(table, keyName), op: "=", expr: drawn });
    const list = listOf(creation);
    out.push({
      op: "insert",
      each: { name: item, in: only === undefined ? list : `(${only} ? ${list} : [])` },
      table: stored,
      set,
      key: "",
      require: [],
    });
    this.made.set(creation.path, { creation, text: creation.list === undefined ? (drawn ?? "unknown()") : base });
    const grown = creation.list === undefined ? "1" : `size(${list})`;
    out.push({
      op: "update",
      ...(only === undefined ? {} : { each: { name: this.name(), in: `(${only} ? [1] : [])` } }),
      table: COUNTERS,
      key: [{ column: "of", expr: literal(stored) }],
      set: [{ path: "next", op: "=", expr: `${base} + ${grown}` }],
      require: [],
    });
  }

  /** The value of a column that nothing foretells: a time now, where its values are times; else unknown. */
  private volatileValue(table: string | undefined, name: string): string {
    for (const { facts } of this.learnt.timelines)
      for (const { fact, seen } of facts.values())
        if (fact.table === table && fact.name === name && typeof seen[0]?.value === "string")
          return timeLike(seen[0].value) ?? "unknown()";
    return "unknown()";
  }

  /** An answer over the state that the effects of its act left. */
  answer(answer: Answer, act: string): string {
    void act;
    return this.text(answer, { names: this.names }, 0);
  }

  private text(answer: Answer, at: Printing, depth: number): string {
    switch (answer.kind) {
      case "leaf":
        return print(answer.expr, at);
      case "drawn":
        return drawnText(answer.form);
      case "object":
        return `{${answer.fields.map(([name, of]) => `${literal(name)}: ${this.text(of, at, depth)}`).join(", ")}}`;
      case "row": {
        const row = `lookup(${literal(this.names.table(answer.table))}, ${answer.key.map((part) => print(part, at)).join(", ")})`;
        const inner = this.text(answer.of, { ...at, row: { text: row, table: answer.table } }, depth);
        return `(${row} == null ? unknown() : ${inner})`;
      }
      case "made": {
        const made = this.made.get(answer.path);
        if (!made) return "unknown()";
        const row = `lookup(${literal(this.names.table(made.creation.table))}, ${made.text})`;
        return this.text(answer.of, { ...at, row: { text: row, table: made.creation.table } }, depth);
      }
      case "madeList": {
        const made = this.made.get(answer.path);
        if (!made) return "unknown()";
        const { table } = made.creation;
        const row = `r${depth}`;
        const rows = `rows(${literal(this.names.table(table))}).filter(${row}, ${row}.${MADE} >= ${made.text}).sortBy(${row}, ${row}.${MADE})`;
        return `${rows}.map(${row}, ${this.text(answer.of, { ...at, row: { text: row, table } }, depth + 1)})`;
      }
      case "list":
        return this.listText(answer.view, answer.of, at, depth);
    }
  }

  private listText(view: View, of: Answer, at: Printing, depth: number): string {
    if (!this.names.complete(view.table)) return "unknown()";
    const row = `r${depth}`;
    const holder = at.row;
    const inner: Printing = {
      names: this.names,
      row: { text: row, table: view.table },
      ...(holder ? { item: holder } : {}),
    };
    const conditions = view.where.map((expr, i) => {
      const name = view.given[i];
      const text = print(expr, inner);
      return name === undefined ? text : `(${member("args", name)} == null || ${text})`;
    });
    let rows = `rows(${literal(this.names.table(view.table))})`;
    if (conditions.length > 0) rows += `.filter(${row}, ${conditions.join(" && ")})`;
    const { order } = view;
    const found = rows;
    const ties = order?.then === undefined ? MADE : this.names.column(view.table, order.then);
    rows += `.sortBy(${row}, ${row}.${ties})`;
    if (order && order.newest !== (order.by !== undefined && order.descending)) rows += ".reverse()";
    if (order?.by !== undefined) {
      rows += `.sortBy(${row}, ${row}.${this.names.column(view.table, order.by)})`;
      if (order.descending) rows += ".reverse()";
    }
    const { limit, limitedBy } = view;
    if (limitedBy !== undefined) {
      const asked = member("args", limitedBy);
      rows += `.slice(0, (${asked} == null ? ${limit ?? `size(${found})`} : ${asked}))`;
    } else if (limit !== undefined) rows += `.slice(0, ${limit})`;
    const text = `${rows}.map(${row}, ${this.text(of, inner, depth + 1)})`;
    return order ? text : `(size(${found}) > 1 ? unknown() : ${text})`;
  }
}

/** What a creation makes rows of: an entry for each. */
function listOf({ list, otherwise }: Creation): string {
  if (list === undefined) return "[1]";
  const given = member("args", list);
  return otherwise === undefined ? given : `(${given} == null ? ${literal([...otherwise])} : ${given})`;
}

/** A time now in the form of an observed one; undefined for what is no time. */
function timeLike(value: string): string | undefined {
  const form = /^\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?(Z?)$/.exec(value);
  if (!form) return undefined;
  const fraction = form[2] === undefined ? "" : `.${"0".repeat(form[2].length - 1)}`;
  return `strftime(now, ${literal(`%Y-%m-%d${form[1]}%H:%M:%S${fraction}${form[3]}`)})`;
}

function keyText(allocator: Allocator, number: string): string {
  if (allocator.kind === "sequence") {
    const found = `${printed([...allocator.keys])}[${number}]`;
    return `(${number} < ${allocator.keys.length} ? ${found} : unknown())`;
  }
  if (allocator.kind === "drawn") return drawnText(allocator);
  if (allocator.number) return number;
  const digits =
    allocator.width === 0
      ? `string(${number})`
      : `(${literal("0".repeat(allocator.width))} + string(${number})).substring(size(string(${number})))`;
  return allocator.prefix === "" ? digits : `${literal(allocator.prefix)} + ${digits}`;
}

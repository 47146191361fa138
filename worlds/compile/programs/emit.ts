import type { Step as BehaviourStep } from "../../behaviour/schema.ts";
import type { BaseState, TableModel } from "../../bundle.ts";
import { getOwn, type Json, type JsonObject, setOwn } from "../../json.ts";
import type { FittedTool } from "../fit-tool.ts";
import { literal, member } from "../term.ts";
import { byText, canon } from "../values.ts";
import { type Allocator, learnAllocator, type Making } from "./allocator.ts";
import { type Answer, learnAnswer } from "./answers.ts";
import { columnNames, type Learnt, termsOf } from "./effects.ts";
import { type Expr, evaluate, type Facts, keyOf, type Row, UNKNOWN, type Value } from "./expr.ts";
import { argumentPaths, fitExpression } from "./fit.ts";
import { type Kind, type Kinds, toolOf } from "./kinds.ts";
import { learnOutcomes, type Outcomes } from "./outcomes.ts";
import { CELL_KEY, type Names, type Printing, print, printed } from "./print.ts";
import { type Creation, NO_EFFECTS, parentColumn, type Step } from "./simulate.ts";
import type { ListText } from "./texts.ts";
import type { View } from "./views.ts";

/** Rows by table and key. */
export type Rows = Record<string, Record<string, JsonObject>>;

/** Behaviours of a service's tools over tables of their own. */
export interface Programs {
  readonly tools: ReadonlyMap<string, FittedTool>;
  readonly tables: readonly TableModel[];
  readonly rows: Rows;
  readonly starts: ReadonlyMap<string, Rows>;
  /** Columns that are not known where a row lacks them, by table. */
  readonly unknown: NonNullable<BaseState["unknown"]>;
  /** Fields of answers that nobody foretells, by tool: generated keys and times. */
  readonly volatile: ReadonlyMap<string, readonly string[]>;
}

/** Programs with the names under which tables and columns are stored. */
export interface Emitted extends Programs {
  readonly names: Names;
}

/** The stored tables of cells, and of the numbers that keys of new rows are counted by. */
export const CELLS = "state";
export const COUNTERS = "counters";
/** The column that holds the order in which rows came to be. */
const MADE = "made_as";
const LONGEST = 3900;
const MOST_STEPS = 50;

/** Writes what was learnt as behaviours in the stored language. Tools that cannot be said there are left out. */
export function emit(learnt: Learnt, kinds: Kinds, forms: ReadonlyMap<string, ListText>): Emitted {
  return new Emitter(learnt, kinds, forms).programs();
}

class Emitter {
  private readonly learnt: Learnt;
  private readonly kinds: Kinds;
  private readonly forms: ReadonlyMap<string, ListText>;
  private readonly names: Names;
  private readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly byTool = new Map<string, Step[]>();
  private readonly byAct = new Map<string, Step[]>();
  private readonly allocators = new Map<string, Allocator>();

  constructor(learnt: Learnt, kinds: Kinds, forms: ReadonlyMap<string, ListText>) {
    this.forms = forms;
    this.learnt = learnt;
    this.kinds = kinds;
    this.columns = columnNames(learnt.timelines);
    this.names = namesOf(learnt, this.columns);
    for (const steps of learnt.steps)
      for (const step of steps) {
        push(this.byTool, step.call.tool, step);
        if (step.call.ok) push(this.byAct, step.act, step);
      }
    for (const table of learnt.layout.tables.keys()) {
      const allocator = this.allocatorOf(table);
      if (allocator) this.allocators.set(table, allocator);
    }
  }

  programs(): Emitted {
    const tools = new Map<string, FittedTool>();
    for (const [tool, steps] of [...this.byTool].sort(([a], [b]) => byText(a, b))) {
      const fitted = this.tool(tool, steps);
      if (fitted) tools.set(tool, fitted);
    }
    const rows = this.stored(this.learnt.starts.common);
    const starts = new Map<string, Rows>();
    for (const [group, facts] of [...this.learnt.starts.groups].sort(([a], [b]) => byText(a, b))) {
      const own = differing(rows, this.stored(facts, { facts: this.learnt.starts.common, rows }));
      if (Object.keys(own).length > 0) starts.set(group, own);
    }
    return {
      names: this.names,
      tools,
      tables: this.tables(),
      rows,
      starts,
      unknown: this.unknown(rows, starts),
      volatile: this.volatile(),
    };
  }

  /** Keys that are drawn, and columns of new rows that hold no more than the time, where they stand in an answer. */
  private volatile(): Map<string, readonly string[]> {
    const out = new Map<string, Set<string>>();
    for (const [act, { creations }] of this.learnt.effects)
      for (const { table, path, columns } of creations) {
        const place = this.learnt.layout.places.get(toolOf(act))?.find((one) => one.path === path);
        if (path !== "$" || place?.key.from !== "field") continue;
        const names = out.get(toolOf(act)) ?? new Set<string>();
        if (this.allocators.get(table)?.kind === "drawn") names.add(place.key.name);
        for (const [name, expr] of columns) if (expr.op === "unknown" && name !== place.key.name) names.add(name);
        out.set(toolOf(act), names);
      }
    return new Map([...out].map(([tool, names]) => [tool, [...names].sort(byText)]));
  }

  /** Every column of every row that some session starts with: where a row lacks one, nobody knows it. */
  private unknown(rows: Rows, starts: ReadonlyMap<string, Rows>): NonNullable<BaseState["unknown"]> {
    const out: NonNullable<BaseState["unknown"]> = {};
    const note = (table: string, stored: string): void => {
      const keys = [...new Set([rows, ...starts.values()].flatMap((of) => Object.keys(getOwn(of, stored) ?? {})))].sort(
        byText,
      );
      const columns = [...(this.columns.get(table) ?? [])].sort(byText).map((name) => this.names.column(table, name));
      if (keys.length > 0 && columns.length > 0) setOwn(out, stored, [{ columns, keys }]);
    };
    for (const table of [...this.learnt.layout.tables.keys()].sort(byText)) note(table, this.names.table(table));
    note("", CELLS);
    return out;
  }

  /** Keys that the calls of each session made rows of a table under, in order. */
  private allocatorOf(table: string): Allocator | undefined {
    const perSession: string[][] = [];
    const makings: Making[] = [];
    let numbers = true;
    for (const steps of this.learnt.steps) {
      const made: string[] = [];
      for (const step of steps)
        for (const creation of this.effects(step.act).creations)
          if (step.call.ok && creation.table === table) {
            const last = made.at(-1);
            const held = [...(step.before.tables.get(table)?.rows.keys() ?? [])];
            const begun = made.length;
            for (const { place, key, columns } of step.sights.rows)
              if (place.table === table && place.path === creation.path) {
                made.push(key);
                const [column] = this.learnt.layout.tables.get(table) ?? [];
                if (column !== undefined && typeof getOwn(columns, column) !== "number") numbers = false;
              }
            if (made.length > begun) makings.push({ last, held, made: made.slice(begun) });
          }
      if (made.length > 0) perSession.push(made);
    }
    return learnAllocator(perSession, numbers, makings);
  }

  private effects(act: string) {
    return this.learnt.effects.get(act) ?? NO_EFFECTS;
  }

  private tool(tool: string, steps: readonly Step[]): FittedTool | undefined {
    const acts = [...this.byAct.keys()].filter((act) => toolOf(act) === tool).sort(byText);
    const answers = new Map(acts.map((act) => [act, learnAnswer(act, this.byAct.get(act) ?? [], this.learnt)]));
    const views = [...answers.values()].flatMap((answer) => viewsOf(answer));
    const outcomes = learnOutcomes(tool, steps, this.learnt, this.kinds, views);
    const writer = new Writer(this.names, this.learnt, this.allocators);
    const out = this.endings(outcomes, steps, writer);
    if (!out) return undefined;
    const okKinds = [outcomes.otherwise, ...outcomes.rules.map(({ kind }) => kind)].filter(
      (kind, i, all) => !kind.startsWith("error ") && all.indexOf(kind) === i,
    );
    const forms: string[] = [];
    let writes = false;
    const sole = okKinds.length === 1 && outcomes.unheard.length === 0;
    for (const kind of okKinds) {
      const act = `${tool}\u001d${kind}`;
      const answer = answers.get(act);
      const only = sole ? undefined : this.meets(outcomes, kind);
      const effects = writer.effects(act, only);
      if (effects.length > 0) writes = true;
      out.push(...effects);
      const value = answer ? writer.answer(answer, act) : "unknown()";
      const form = kind === "list" ? this.forms.get(tool) : undefined;
      const text = form ? listText(value, form) : value;
      forms.push(only === undefined ? text : `${only} ? ${text} : `);
    }
    const last = forms.at(-1) ?? "unknown()";
    const expr = sole ? last : `(${forms.join("")}unknown())`;
    out.push({ op: "answer", expr });
    if (out.length > MOST_STEPS || out.some(tooLong)) return undefined;
    return { behaviour: { v: 1, steps: out }, effect: writes ? "write" : "read", how: "program", whole: true };
  }

  /** Steps that tell how a call ends, and end it where that is a refusal. */
  private endings(outcomes: Outcomes, steps: readonly Step[], writer: Writer): BehaviourStep[] | undefined {
    const out: BehaviourStep[] = [];
    if (outcomes.rules.length > 0 || outcomes.unheard.length > 0) {
      const at: Printing = { names: this.names };
      const unheard = outcomes.unheard.map((expr) => print(expr, at)).join(" || ");
      const chain = outcomes.rules
        .map(({ when, kind }) => `${print(when, at)} ? ${this.number(outcomes, kind)} : `)
        .join("");
      out.push({
        op: "let",
        name: "ending",
        expr: `(${chain}${unheard === "" ? "0" : `(${unheard}) ? unknown() : 0`})`,
      });
    }
    const errors = [outcomes.otherwise, ...outcomes.rules.map(({ kind }) => kind)].filter(
      (kind, i, all) => kind.startsWith("error ") && all.indexOf(kind) === i,
    );
    for (const kind of errors) {
      const expr = this.refusal(steps.filter(({ call }) => this.kinds.of(call) === kind));
      const when =
        outcomes.rules.length + outcomes.unheard.length > 0 ? `ending == ${this.number(outcomes, kind)}` : "true";
      const text = print(expr, { names: this.names });
      out.push({ op: "refuse", when, template: `{string(${text})}` });
    }
    void writer;
    return out;
  }

  private number(outcomes: Outcomes, kind: Kind): number {
    return kind === outcomes.otherwise ? 0 : 1 + outcomes.rules.findIndex((rule) => rule.kind === kind);
  }

  private meets(outcomes: Outcomes, kind: Kind): string {
    return `ending == ${this.number(outcomes, kind)}`;
  }

  /** The words of a refusal, as they stand on the wire. */
  private refusal(steps: readonly Step[]): Expr {
    const [first] = steps;
    if (!first) return { op: "unknown" };
    const given = argumentPaths(steps.map(({ call }) => call));
    const terms = termsOf(first.call.tool, given, this.learnt.layout, this.columns, undefined);
    const examples = steps.map(({ call, before, session }) => ({
      env: { args: call.args, facts: before },
      target: wireText(call.parsed.text, call.value),
      session,
    }));
    return fitExpression(examples, terms, undefined, 1)?.expr ?? { op: "unknown" };
  }

  private tables(): TableModel[] {
    const model = (
      name: string,
      key: readonly string[],
      columns: readonly string[],
      internal: boolean,
    ): TableModel => ({
      name,
      key: [...key],
      columns: [...new Set([...key, ...columns])].map((column) => ({
        name: column,
        types: ["null", "boolean", "number", "string", "array", "object"],
        present: 1,
      })),
      ...(internal ? { internal } : {}),
    });
    const out = [...this.learnt.layout.tables]
      .sort(([a], [b]) => byText(a, b))
      .map(([table, key]) =>
        model(
          this.names.table(table),
          key.map((column) => this.names.column(table, column)),
          [...(this.columns.get(table) ?? [])].sort(byText).map((column) => this.names.column(table, column)),
          false,
        ),
      );
    out.push(
      model(
        CELLS,
        ["of"],
        [...(this.columns.get("") ?? [])].sort(byText).map((name) => this.names.column("", name)),
        false,
      ),
    );
    out.push(model(COUNTERS, ["of"], ["next"], true));
    return out;
  }

  /** Facts as rows of the stored state, without what is not known; rows that they share with others are those. */
  private stored(facts: Facts, from?: { readonly facts: Facts; readonly rows: Rows }): Rows {
    const cells: JsonObject = { of: CELL_KEY };
    const put = (into: JsonObject, name: string, value: Value | undefined): void => {
      if (value !== undefined && value !== UNKNOWN) setOwn(into, name, value as Json);
    };
    for (const name of [...(this.columns.get("") ?? [])].sort(byText))
      put(cells, this.names.column("", name), facts.cells.get(name));
    const out: Rows = { [CELLS]: { [CELL_KEY]: cells }, [COUNTERS]: {} };
    for (const [table, keyColumns] of [...this.learnt.layout.tables].sort(([a], [b]) => byText(a, b))) {
      const rows: Record<string, JsonObject> = {};
      const held: ReadonlyMap<string, Row> = facts.tables.get(table)?.rows ?? new Map();
      const columns = [...(this.columns.get(table) ?? [])]
        .sort(byText)
        .filter((column) => !keyColumns.includes(column))
        .map((column) => [column, this.names.column(table, column)] as const);
      const common = from?.facts.tables.get(table)?.rows;
      let i = 0;
      for (const [key, row] of held) {
        const at = i++;
        const known = from && common?.get(key) === row ? rowIn(from.rows, this.names.table(table), key) : undefined;
        if (known && known[MADE] === at) {
          setOwn(rows, key, known);
          continue;
        }
        const stored: JsonObject = {};
        for (const [k, column] of keyColumns.entries()) {
          const value = getOwn(row, column);
          const held = value !== undefined && value !== UNKNOWN ? (value as Json) : (key.split("\u001f")[k] ?? null);
          setOwn(stored, this.names.column(table, column), held);
        }
        for (const [column, name] of columns) put(stored, name, getOwn(row, column));
        stored[MADE] = at;
        setOwn(rows, key, stored);
      }
      setOwn(out, this.names.table(table), rows);
      const allocator = this.allocators.get(table);
      const next = allocator?.kind === "counter" ? Math.max(allocator.first, 0) : held.size;
      setOwn(out[COUNTERS] as Record<string, JsonObject>, this.names.table(table), {
        of: this.names.table(table),
        next,
      });
    }
    return out;
  }
}

function push<T>(into: Map<string, T[]>, key: string, value: T): void {
  const list = into.get(key);
  if (list) list.push(value);
  else into.set(key, [value]);
}

const tooLong = (step: BehaviourStep): boolean =>
  Object.values(step).some((value) => typeof value === "string" && value.length > LONGEST) ||
  ("set" in step && step.set.some(({ expr }) => expr.length > LONGEST));

function wireText(text: string | undefined, value: Json): string {
  return text ?? (typeof value === "string" ? value : JSON.stringify(value));
}

/** The views of an answer's lists that stand in no row. */
function viewsOf(answer: Answer): View[] {
  if (answer.kind === "list") return [answer.view];
  return answer.kind === "object" ? answer.fields.flatMap(([, of]) => viewsOf(of)) : [];
}

const rowIn = (rows: Rows, table: string, key: string): JsonObject | undefined => {
  const of = getOwn(rows, table);
  return of && getOwn(of, key);
};

/** Rows in which one state differs from another, with the columns that do. */
function differing(from: Rows, to: Rows): Rows {
  const out: Rows = {};
  for (const [table, rows] of Object.entries(to))
    for (const [key, row] of Object.entries(rows)) {
      const base = rowIn(from, table, key);
      if (base === row) continue;
      const own = Object.fromEntries(
        Object.entries(row).filter(([name, value]) => canon(base && getOwn(base, name)) !== canon(value)),
      );
      if (Object.keys(own).length === 0) continue;
      const into = getOwn(out, table) ?? {};
      setOwn(into, key, own);
      setOwn(out, table, into);
    }
  return out;
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

function namesOf(learnt: Learnt, columns: ReadonlyMap<string, ReadonlySet<string>>): Names {
  const taken = new Map<string, Map<string, string>>();
  for (const table of ["", ...learnt.layout.tables.keys()]) {
    const of = new Map<string, string>();
    const used = new Set(["of", MADE]);
    for (const column of [
      ...(learnt.layout.tables.get(table) ?? []),
      ...[...(columns.get(table) ?? [])].sort(byText),
    ]) {
      if (of.has(column)) continue;
      const base = PLAIN.test(column) ? column : column.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^(?=\d)|^$/, "c");
      let name = base;
      for (let n = 2; used.has(name); n++) name = `${base}_${n}`;
      used.add(name);
      of.set(column, name);
    }
    taken.set(table, of);
  }
  return {
    table: (table) => (table === CELLS || table === COUNTERS ? `${table}_rows` : table),
    column: (table, column) => taken.get(table)?.get(column) ?? column.replace(/[^A-Za-z0-9_]+/g, "_"),
    complete: (table) => learnt.starts.common.tables.get(table)?.complete ?? false,
    cells: CELLS,
    made: MADE,
    key: (table) => {
      const [name] = learnt.layout.tables.get(table) ?? [];
      return name === undefined ? "id" : (taken.get(table)?.get(name) ?? name);
    },
  };
}

/** Writes effects and answers of acts; each name that it binds is bound once in a behaviour. */
class Writer {
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
    if (allocator?.kind === "counter" && allocator.largest) {
      const rows = `rows(${literal(this.names.table(table))})`;
      const key = member("held", this.names.key(table));
      const number = allocator.prefix === "" ? `int(${key})` : `int(${key}.substring(${allocator.prefix.length}))`;
      return `math.greatest([${allocator.first - 1}] + ${rows}.map(held, ${number})) + 1`;
    }
    return `lookup(${literal(COUNTERS)}, ${literal(this.names.table(table))}).next`;
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
          : print(value, table === undefined ? at : { ...at, row: { text: row, table } });
      const text = table === undefined || this.makes(act, table) ? said : `(${row} == null ? null : ${said})`;
      target.set.push({ path: this.names.column(table ?? "", name), op: "=", expr: bind(text) });
    }
    this.made = new Map();
    for (const creation of creations) this.create(creation, creations, at, only, bind, out);
    for (const { table, key, set } of targets.values()) {
      if (table !== undefined && this.makes(act, table)) out.push(...this.upsert(table, key, only));
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
  private makes(act: string, table: string): boolean {
    let made = 0;
    const changes = (this.learnt.effects.get(act)?.changes ?? []).filter((change) => change.table === table);
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
    const drawn = creation.list === undefined && key !== undefined ? bind(key) : key;
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
    const list = creation.list === undefined ? "[1]" : member("args", creation.list);
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
    rows += `.sortBy(${row}, ${row}.${MADE})`;
    if (order && order.newest !== (order.by !== undefined && order.descending)) rows += ".reverse()";
    if (order?.by !== undefined) {
      rows += `.sortBy(${row}, ${row}.${this.names.column(view.table, order.by)})`;
      if (order.descending) rows += ".reverse()";
    }
    if (view.limit !== undefined) rows += `.slice(0, ${view.limit})`;
    const text = `${rows}.map(${row}, ${this.text(of, inner, depth + 1)})`;
    return order ? text : `(size(${found}) > 1 ? unknown() : ${text})`;
  }
}

/** A list as the text that a tool writes it as. */
function listText(value: string, form: ListText): string {
  const { before, between, head, tail } = form;
  const lines =
    before === ""
      ? value
      : before.includes("#")
        ? `${value}.numbered(${literal(before)})`
        : `${value}.map(entry, ${literal(before)} + entry)`;
  const joined = `${lines}.join(${literal(between)})`;
  return head === "" && tail === "" ? joined : `(${literal(head)} + ${joined} + ${literal(tail)})`;
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
  if (allocator.kind === "drawn") {
    const text = `generate(${literal(`${allocator.prefix}{${allocator.alphabet}:${allocator.width}}`)})`;
    return allocator.number ? `int(${text})` : text;
  }
  if (allocator.number) return number;
  const digits =
    allocator.width === 0
      ? `string(${number})`
      : `(${literal("0".repeat(allocator.width))} + string(${number})).substring(size(string(${number})))`;
  return allocator.prefix === "" ? digits : `${literal(allocator.prefix)} + ${digits}`;
}

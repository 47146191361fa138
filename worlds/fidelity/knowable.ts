import type { BaseState, Bundle, TableModel } from "../bundle.ts";
import type { Call } from "../compile/observations.ts";
import { canon, isScalar, joinKey, scalarsOf } from "../compile/values.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { NestedIds } from "./nested-ids.ts";

/** What a call showed: its answer as data, and whether it is a success. */
type Shown = Pick<Call, "tool" | "args" | "value" | "ok">;

interface RowName {
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
}

function* objects(value: Json, depth = 0): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* objects(item, depth);
  else if (isObject(value)) yield value;
}

function* deepObjects(value: Json): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* deepObjects(item);
  else if (isObject(value)) {
    yield value;
    for (const item of Object.values(value)) yield* deepObjects(item);
  }
}

/** Texts with digits among the arguments: ids, of which a write changes what they name. */
function textsOf(args: JsonObject): string[] {
  return [...scalarsOf(args)].filter((value) => typeof value === "string" && /\d/.test(value)) as string[];
}

/** Which calls a world could know the answer of: those whose every row, named in the arguments or shown in the observed answer, has its current state from the evidence or from earlier calls of the same replay. */
export class Knowledge {
  private readonly tables: readonly TableModel[];
  private readonly base: BaseState;
  private readonly questions = new Set<string>();
  /** `tool\nargument` → the table whose keys its values are. */
  private readonly ids = new Map<string, string>();
  /** Tools whose text answers are keys of a table. */
  private readonly answers = new Map<string, string>();
  private readonly columns = new Map<string, ReadonlySet<string>>();
  private readonly nested: NestedIds;
  private readonly writers: ReadonlySet<string>;
  /** Tools that some training call saw succeed. */
  private readonly observed = new Set<string>();

  constructor(bundle: Bundle, base: BaseState, train: readonly Call[]) {
    this.tables = bundle.tables.filter((table) => !table.internal);
    this.base = base;
    for (const table of this.tables) this.columns.set(table.name, new Set(table.columns.map((column) => column.name)));
    this.writers = new Set(
      Object.entries(bundle.behaviours).flatMap(([tool, { effect }]) => (effect === "write" ? [tool] : [])),
    );
    this.nested = new NestedIds(this.tables, base);
    this.learn(train);
  }

  private learn(train: readonly Call[]): void {
    const hits = new Map<string, { n: number; tables: Map<string, number> }>();
    const count = (id: string, value: Json) => {
      const entry = hits.get(id) ?? { n: 0, tables: new Map<string, number>() };
      entry.n++;
      for (const table of this.tables)
        if (table.key.length === 1 && Object.hasOwn(this.base.tables[table.name] ?? {}, String(value)))
          entry.tables.set(table.name, (entry.tables.get(table.name) ?? 0) + 1);
      hits.set(id, entry);
    };
    const written = new Map<number, Set<string>>();
    for (const call of train) {
      if (!this.touches(call, written.get(call.trace))) this.questions.add(`${call.tool}\n${canon(call.args)}`);
      if (call.ok && this.writers.has(call.tool)) {
        const texts = written.get(call.trace) ?? new Set();
        for (const text of textsOf(call.args)) texts.add(text);
        written.set(call.trace, texts);
      }
      for (const [arg, value] of Object.entries(call.args))
        for (const item of Array.isArray(value) ? value : [value])
          if (isScalar(item)) count(`arg\n${call.tool}\n${arg}`, item);
      if (!call.ok) continue;
      this.observed.add(call.tool);
      if (isScalar(call.value)) count(`answer\n${call.tool}`, call.value);
    }
    for (const [id, { n, tables }] of hits)
      for (const [table, share] of tables)
        if (share >= n * 0.5) {
          if (id.startsWith("arg\n")) this.ids.set(id.slice(4), table);
          else this.answers.set(id.slice(7), table);
        }
    this.nested.learn(train, this.ids);
  }

  /** Whether a call names what was written before it in its trace: its answer is not that of the initial state. */
  private touches(call: Call, written: ReadonlySet<string> | undefined): boolean {
    return written !== undefined && textsOf(call.args).some((text) => written.has(text));
  }

  /** The rows that a call's arguments name. */
  *named(call: Call): Generator<RowName> {
    for (const [arg, value] of Object.entries(call.args)) {
      const table =
        this.ids.get(`${call.tool}\n${arg}`) ??
        this.tables.find((model) => model.key.length === 1 && model.key[0] === arg)?.name;
      if (table === undefined) continue;
      for (const item of Array.isArray(value) ? value : [value])
        if (isScalar(item)) yield { table, key: String(item), columns: [] };
    }
    for (const object of deepObjects(call.args))
      for (const model of this.tables) {
        const values = model.key.map((column) => object[column]);
        if (model.key.length > 1 && values.every(isScalar))
          yield { table: model.name, key: joinKey(values as Json[]), columns: [] };
      }
  }

  /** The rows that a value shows, key columns completed from the arguments. */
  *shown(call: Shown): Generator<RowName & { row: JsonObject }> {
    let value = call.value;
    if (isObject(value)) {
      const lists = Object.values(value).filter((item) => Array.isArray(item) && item.some(isObject));
      if (lists.length === 1 && this.tableOf(value, call.args) === undefined) value = lists[0] as Json;
    }
    for (const row of objects(value)) {
      const found = this.tableOf(row, call.args);
      if (found) yield { ...found, columns: Object.keys(row), row };
    }
    const table = this.answers.get(call.tool);
    if (table !== undefined && isScalar(call.value)) yield { table, key: String(call.value), columns: [], row: {} };
  }

  private tableOf(row: JsonObject, args: JsonObject): { table: string; key: string } | undefined {
    let best: { table: string; key: string; share: number } | undefined;
    for (const model of this.tables) {
      const values = model.key.map((column) => row[column] ?? args[column]);
      if (!values.every(isScalar)) continue;
      const columns = this.columns.get(model.name) ?? new Set();
      const names = Object.keys(row);
      const share = names.filter((name) => columns.has(name)).length / Math.max(1, names.length);
      if (share >= 0.6 && (!best || share > best.share))
        best = { table: model.name, key: joinKey(values as Json[]), share };
    }
    return best;
  }

  /** Whether a call's answer could be known, given the rows that earlier calls of its replay showed (`seen`: table, key and column). */
  knows(call: Call, seen: ReadonlySet<string>, creates: boolean): boolean {
    const has = ({ table, key, columns }: RowName): boolean => {
      const row = this.base.tables[table]?.[key];
      if (columns.length === 0) return row !== undefined || seen.has(`${table}\n${key}`);
      return columns.every(
        (column) => (row !== undefined && Object.hasOwn(row, column)) || seen.has(`${table}\n${key}\n${column}`),
      );
    };
    const stale = ({ table, key }: RowName) => seen.has(`stale\n${table}\n${key}`);
    const named = [...this.named(call)];
    if (named.some(stale) || [...this.shown(call)].some(stale)) return false;
    if (this.questions.has(`${call.tool}\n${canon(call.args)}`)) return true;
    if (!named.every(has) || !this.nested.knows(call, seen)) return false;
    if (!call.ok) return !/not_found/.test(call.answerClass) || named.length > 0;
    if (call.answerClass === "empty" && typeof call.value === "object") return false;
    // Rows of a kind that no evidence ever showed; an answer in words may need none, whoever never heard it.
    if (typeof call.value === "object" && !this.observed.has(call.tool) && !this.placed(call)) return false;
    const args = new Set(named.map(({ table, key }) => `${table}\n${key}`));
    for (const name of this.shown(call)) {
      if (creates && !args.has(`${name.table}\n${name.key}`)) continue;
      if (!(creates ? has({ ...name, columns: [] }) : has(name))) return false;
    }
    return true;
  }

  private placed(call: Call): boolean {
    return !this.shown(call).next().done;
  }

  /** Notes that the world did not follow a write: the rows that it names or shows are no longer as the replay has them. */
  forget(call: Call, seen: Set<string>): void {
    for (const { table, key } of [...this.named(call), ...this.shown(call)]) seen.add(`stale\n${table}\n${key}`);
  }

  /** Remembers the rows of a call that the world answered as observed: their state is the replay's from now on. */
  remember(call: Shown, seen: Set<string>): void {
    if (!call.ok) return;
    for (const { table, key, columns, row } of this.shown(call)) {
      seen.add(`${table}\n${key}`);
      this.nested.remember(table, row, seen);
      for (const column of columns) seen.add(`${table}\n${key}\n${column}`);
    }
  }
}

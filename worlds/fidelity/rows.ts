import type { BaseState, Bundle, TableModel } from "../bundle.ts";
import type { Call } from "../compile/observations.ts";
import { isScalar, joinKey } from "../compile/values.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";

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

/** Which rows calls are about: those that their arguments name, and those that their answers show. */
export class Knowledge {
  private readonly tables: readonly TableModel[];
  private readonly base: BaseState;
  /** `tool\nargument` → the table whose keys its values are. */
  private readonly ids = new Map<string, string>();
  /** Tools whose text answers are keys of a table. */
  private readonly answers = new Map<string, string>();
  private readonly columns = new Map<string, ReadonlySet<string>>();

  constructor(bundle: Bundle, base: BaseState, train: readonly Call[]) {
    this.tables = bundle.tables.filter((table) => !table.internal);
    this.base = base;
    for (const table of this.tables) this.columns.set(table.name, new Set(table.columns.map((column) => column.name)));
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
    for (const call of train) {
      for (const [arg, value] of Object.entries(call.args))
        for (const item of Array.isArray(value) ? value : [value])
          if (isScalar(item)) count(`arg\n${call.tool}\n${arg}`, item);
      if (call.ok && isScalar(call.value)) count(`answer\n${call.tool}`, call.value);
    }
    for (const [id, { n, tables }] of hits)
      for (const [table, share] of tables)
        if (share >= n * 0.5) {
          if (id.startsWith("arg\n")) this.ids.set(id.slice(4), table);
          else this.answers.set(id.slice(7), table);
        }
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
}

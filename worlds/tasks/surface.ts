import type { BaseState, Bundle, ToolBehaviour, ToolDefinition } from "../bundle.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { type Leaf, leaves, nameScore, skeleton } from "./leaves.ts";

/** A parameter of a tool as its schema describes it, references resolved. */
export interface Param {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly description: string;
  /** The closed set of values, when there is one. */
  readonly values?: readonly Json[];
  readonly schema: JsonObject;
}

/** A tool with its parameters. */
export interface ToolView {
  readonly name: string;
  readonly tool: ToolDefinition;
  readonly effect: "read" | "write";
  readonly params: readonly Param[];
}

function deref(schema: Json, root: JsonObject, depth = 0): JsonObject {
  if (!isObject(schema) || depth > 8) return {};
  const ref = schema.$ref;
  if (typeof ref === "string" && ref.startsWith("#/")) {
    let here: Json | undefined = root;
    for (const part of ref.slice(2).split("/")) here = isObject(here) ? here[part] : undefined;
    return deref(here ?? {}, root, depth + 1);
  }
  for (const word of ["anyOf", "oneOf", "allOf"]) {
    const options = schema[word];
    if (!Array.isArray(options)) continue;
    const best = options
      .map((o) => deref(o, root, depth + 1))
      .find((o) => o.type !== "null" && Object.keys(o).length > 0);
    if (best) return { ...schema, ...best };
  }
  return schema;
}

function typeOf(schema: JsonObject): string {
  const type = schema.type;
  if (Array.isArray(type)) return String(type.find((t) => t !== "null") ?? "string");
  return typeof type === "string" ? type : isObject(schema.properties) ? "object" : "string";
}

/** The parameters of an object schema, in its order. */
export function paramsOf(schema: JsonObject, root: JsonObject = schema): Param[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, raw]) => {
    const own = deref(raw, root);
    const items = isObject(own.items) ? { items: deref(own.items, root) } : {};
    const full: JsonObject = { ...own, ...items };
    const values = Array.isArray(own.enum) ? own.enum : own.const === undefined ? undefined : [own.const];
    return {
      name,
      required: required.includes(name),
      type: typeOf(full),
      description: typeof own.description === "string" ? own.description : "",
      schema: full,
      ...(values === undefined ? {} : { values }),
    };
  });
}

/** Every tool that the bundle serves with a behaviour, in the order of the listing. */
export function toolViews(bundle: Bundle): ToolView[] {
  return bundle.tools.flatMap((tool) => {
    const behaviour = bundle.behaviours[tool.name];
    if (!behaviour) return [];
    const schema = tool.inputSchema as JsonObject;
    return [{ name: tool.name, tool, effect: behaviour.effect, params: paramsOf(schema) }];
  });
}

/** A row of the drawn state with its scalars. */
export interface Anchor {
  readonly table: string;
  readonly key: string;
  readonly row: JsonObject;
  readonly leaves: readonly Leaf[];
}

/** The drawn rows of each table, in the order of their keys. */
export function anchorsOf(base: BaseState): Map<string, Anchor[]> {
  return new Map(
    Object.entries(base.tables).map(([table, rows]) => [
      table,
      Object.keys(rows)
        .sort()
        .map((key) => new LazyAnchor(table, key, rows[key] as JsonObject)),
    ]),
  );
}

class LazyAnchor implements Anchor {
  readonly table: string;
  readonly key: string;
  readonly row: JsonObject;
  #leaves: readonly Leaf[] | undefined;

  constructor(table: string, key: string, row: JsonObject) {
    this.table = table;
    this.key = key;
    this.row = row;
  }
  get leaves(): readonly Leaf[] {
    this.#leaves ??= leaves(this.row);
    return this.#leaves;
  }
}

type KeyArguments = ReadonlyMap<string, { readonly table: string; readonly column: string }>;

const keyed = new WeakMap<ToolBehaviour, KeyArguments>();
const NONE: KeyArguments = new Map();

/** Arguments that a behaviour takes as a key's value: argument → table and column. */
export function keyArguments(bundle: Bundle, tool: string): KeyArguments {
  const behaviour = bundle.behaviours[tool];
  if (behaviour === undefined) return NONE;
  const found = keyed.get(behaviour) ?? keysTaken(behaviour);
  keyed.set(behaviour, found);
  return found;
}

function keysTaken({ behaviour }: ToolBehaviour): KeyArguments {
  const found = new Map<string, { table: string; column: string }>();
  for (const step of behaviour.steps ?? []) {
    if (step.op !== "read" && step.op !== "update" && step.op !== "delete") continue;
    for (const part of step.key) {
      const arg = part.expr === undefined ? part.column : /^args\.([A-Za-z_]\w*)$/.exec(part.expr)?.[1];
      if (arg !== undefined && !found.has(arg)) found.set(arg, { table: step.table, column: part.column });
    }
  }
  return found;
}

/** How well a leaf can feed a parameter: by the behaviour's own key, by name, by the example in its description. */
export function feedScore(bundle: Bundle, tool: string, param: Param, table: string, leaf: Leaf): number {
  if (
    param.type === "number" || param.type === "integer"
      ? typeof leaf.value !== "number"
      : typeof leaf.value !== (param.type === "boolean" ? "boolean" : "string")
  )
    return 0;
  const key = keyArguments(bundle, tool).get(param.name);
  if (key?.table === table && key.column === leaf.generic) return 5;
  let score = nameScore(param.name, leaf.name, table);
  if (score > 0 && typeof leaf.value === "string") {
    const example = /such as ['"\u2018\u201c]([^'"\u2019\u201d]+)['"\u2019\u201d]/.exec(param.description)?.[1];
    if (example !== undefined) score += skeleton(example) === skeleton(leaf.value) ? 1 : -0.5;
  }
  if (score > 0 && !leaf.generic.includes("[*]")) score += 0.25;
  return score;
}

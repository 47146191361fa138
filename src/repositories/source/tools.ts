import type { SourceTool } from "../../../chapters/repositories.ts";
import { ToolDefinition } from "../../../worlds/bundle.ts";
import { isObject, type JsonObject } from "../../../worlds/json.ts";
import type { Placed, Project } from "./project.ts";
import { annotationSchema } from "./python-types.ts";
import { dataOf, inputSchema } from "./schemas.ts";
import { type Call, type Expr, expressions, functions, type NamedFunction, type Source } from "./tree.ts";

/** The tools that a project's sources define, in the order they are written; of one name the first. */
export function toolsOf(project: Project): SourceTool[] {
  const found = new Map<string, SourceTool>();
  for (const source of project.sources) {
    if (isTest(source.file)) continue;
    for (const each of [...written(project, source), ...decorated(project, source)])
      if (!found.has(each.tool.name)) found.set(each.tool.name, each);
  }
  return [...found.values()];
}

/** Whether a file is there to test the others. */
export function isTest(file: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__|spec|examples?|fixtures)\/|(?:\.|_)(?:test|spec)\.\w+$|(?:^|\/)test_\w+\.py$/i.test(
    file,
  );
}

function* written(project: Project, source: Source): Generator<SourceTool> {
  for (const expr of expressions(source.body)) {
    const made = expr.t === "call" ? registered(project, expr, source) : listed(project, expr, source);
    if (made) yield made;
  }
}

/** `server.tool("name", …)`, `server.registerTool("name", {…}, …)`, `server.addTool({…})`, `Tool(name=…)`. */
function registered(project: Project, call: Call, source: Source): SourceTool | undefined {
  const called = call.callee.t === "member" ? call.callee.name : call.callee.t === "name" ? call.callee.name : "";
  const at = (expr: Expr): Placed => ({ expr, source });
  if (called === "Tool" && call.named.length > 0) {
    const object: Expr = { t: "object", entries: call.named, spreads: [] };
    return fromObject(project, at(object), call.line);
  }
  const [first, ...rest] = call.args;
  if (!first || call.callee.t !== "member") return undefined;
  if (called === "addTool") return fromObject(project, at(first), call.line);
  if (called !== "tool" && called !== "registerTool") return undefined;
  const name = project.text(at(first));
  if (name === undefined || rest.length === 0) return undefined;
  if (called === "registerTool" && rest[0]) return fromObject(project, at(rest[0]), call.line, name);
  const described = rest[0] && project.text(at(rest[0]));
  const shape = rest.slice(described === undefined ? 0 : 1).map((arg) => project.literal(at(arg)));
  const input = shape[0] && shape[0].expr.t !== "function" ? inputSchema(project, shape[0]) : undefined;
  return tool(source, call.line, { name, description: described, inputSchema: input ?? EMPTY });
}

/** An object that is a tool's definition: it has a name and an input schema. */
function listed(project: Project, expr: Expr, source: Source): SourceTool | undefined {
  if (expr.t !== "object") return undefined;
  const keys = new Set(expr.entries.map(([key]) => key));
  if (!keys.has("name") || !(keys.has("inputSchema") || keys.has("input_schema"))) return undefined;
  return fromObject(project, { expr, source }, lineOf(expr));
}

function fromObject(project: Project, placed: Placed, line: number, given?: string): SourceTool | undefined {
  const { expr, source } = project.literal(placed);
  if (expr.t !== "object") return undefined;
  const get = (...names: string[]): Placed | undefined => {
    const entry = expr.entries.find(([key]) => names.includes(key));
    return entry && { expr: entry[1], source };
  };
  const text = (key: string) => {
    const value = get(key);
    return value && project.text(value);
  };
  const name = given ?? text("name");
  if (name === undefined) return undefined;
  const input = get("inputSchema", "input_schema", "parameters");
  const output = get("outputSchema", "output_schema");
  const annotations = get("annotations");
  const read = output && inputSchema(project, output);
  return tool(source, line, {
    name,
    title: text("title"),
    description: text("description"),
    inputSchema: (input && inputSchema(project, input)) ?? EMPTY,
    ...(read && read.type === "object" ? { outputSchema: read } : {}),
    ...(annotations ? { annotations: dataOf(project, annotations) } : {}),
  });
}

/** Python functions under `@server.tool()`: their names, docstrings and annotated parameters. */
function* decorated(project: Project, source: Source): Generator<SourceTool> {
  for (const { fn } of functions(source.body)) {
    const by = fn.decorators.find((each) => decoratorName(each) === "tool");
    if (!by) continue;
    const named = by.t === "call" ? new Map(by.named) : new Map<string, Expr>();
    const [first] = by.t === "call" ? by.args : [];
    const text = (expr: Expr | undefined) => expr && project.text({ expr, source });
    const annotations = named.get("annotations");
    const made = tool(source, fn.line, {
      name: text(named.get("name") ?? first) ?? fn.name,
      title: text(named.get("title")),
      description: text(named.get("description")) ?? dedented(fn.doc),
      inputSchema: paramsSchema(project, source, fn),
      ...(annotations ? { annotations: hints(project, { expr: annotations, source }) } : {}),
    });
    if (made) yield made;
  }
}

function decoratorName(expr: Expr): string {
  const callee = expr.t === "call" ? expr.callee : expr;
  return callee.t === "member" ? callee.name : callee.t === "name" ? callee.name : "";
}

/** Hints as a literal or as `ToolAnnotations(…)`. */
function hints(project: Project, placed: Placed): unknown {
  const { expr, source } = project.literal(placed);
  if (expr.t !== "call") return dataOf(project, placed);
  return dataOf(project, { expr: { t: "object", entries: expr.named, spreads: [] }, source });
}

function paramsSchema(project: Project, source: Source, { fn }: NamedFunction): JsonObject {
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const { pattern, type, fallback } of fn.params) {
    if (pattern.t !== "bind" || /^(?:self|cls|ctx|context)$/.test(pattern.name)) continue;
    const written = annotationSchema(project, source, type, fallback);
    if (!written) continue;
    properties[pattern.name] = written.schema;
    if (!written.optional) required.push(pattern.name);
  }
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

const EMPTY: JsonObject = { type: "object", properties: {} };

function tool(source: Source, line: number, given: Record<string, unknown>): SourceTool | undefined {
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { annotations, ...rest } = present;
  const parsed = ToolDefinition.safeParse(isObject(annotations) ? { ...rest, annotations } : rest);
  return parsed.success ? { tool: parsed.data, file: source.file, line } : undefined;
}

function dedented(doc: string | undefined): string | undefined {
  return doc
    ?.split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();
}

function lineOf(expr: Expr): number {
  return expr.t === "object" ? (expr.line ?? 1) : 1;
}

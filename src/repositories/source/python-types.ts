import type { JsonObject } from "../../../worlds/json.ts";
import type { Project } from "./project.ts";
import { dataOf, type Written } from "./schemas.ts";
import type { Expr, Source, Stmt } from "./tree.ts";

const PLAIN: Readonly<Record<string, JsonObject>> = {
  str: { type: "string" },
  int: { type: "integer" },
  float: { type: "number" },
  bool: { type: "boolean" },
  dict: { type: "object" },
  Dict: { type: "object" },
  list: { type: "array" },
  List: { type: "array" },
  set: { type: "array" },
  tuple: { type: "array" },
  datetime: { type: "string", format: "date-time" },
  date: { type: "string", format: "date" },
  None: { type: "null" },
};

/** The schema of an annotated parameter; undefined for what the framework hands in itself. */
export function annotationSchema(
  project: Project,
  source: Source,
  type: Expr | undefined,
  fallback: Expr | undefined,
): Written | undefined {
  if (type && /^(?:Context|ServerSession|Request)$/.test(lastName(type))) return undefined;
  const schema = type ? typeSchema(project, source, type, 0) : {};
  const field = fallback?.t === "call" && lastName(fallback.callee) === "Field" ? fallback : undefined;
  if (field) {
    const more = fieldFacts(project, source, field);
    const value = field.args[0] ?? new Map(field.named).get("default");
    const needed = !new Map(field.named).has("default_factory") && (value === undefined || isEllipsis(value));
    return { schema: { ...schema, ...more }, optional: !needed };
  }
  const value = fallback && dataOf(project, { expr: fallback, source });
  const shown = value !== undefined && value !== null ? { default: value as never } : {};
  return { schema: { ...schema, ...shown }, optional: fallback !== undefined };
}

function isEllipsis(expr: Expr): boolean {
  return expr.t === "other" && expr.parts.length === 0;
}

function lastName(expr: Expr): string {
  return expr.t === "name" ? expr.name : expr.t === "member" ? expr.name : expr.t === "item" ? lastName(expr.of) : "";
}

function typeSchema(project: Project, source: Source, type: Expr, depth: number): JsonObject {
  if (depth > 8) return {};
  const inner = (expr: Expr) => typeSchema(project, source, expr, depth + 1);
  if (type.t === "value" && type.value === null) return { type: "null" };
  if (type.t === "text") return PLAIN[type.value] ?? {};
  if (type.t === "other") return either(type.parts.map(inner));
  const name = lastName(type);
  if (type.t !== "item" && !(type.t === "member" && type.of.t === "name" && type.of.name === "Literal"))
    return PLAIN[name] ?? modelSchema(project, source, name, depth);
  // `Literal["a"]` reads like a member of a literal key.
  if (type.t === "member") return { type: "string", enum: [type.name] };
  const by = type.by?.t === "list" ? type.by.items : type.by ? [type.by] : [];
  const [first] = by;
  switch (name) {
    case "Optional":
      return either([...(first ? [inner(first)] : []), { type: "null" }]);
    case "Union":
      return either(by.map(inner));
    case "Literal":
      return { enum: by.flatMap((each) => (each.t === "text" || each.t === "value" ? [each.value] : [])) };
    case "Annotated": {
      const described = by.slice(1).map((each) => {
        if (each.t === "text") return { description: each.value };
        return each.t === "call" && lastName(each.callee) === "Field" ? fieldFacts(project, source, each) : {};
      });
      return Object.assign(first ? inner(first) : {}, ...described) as JsonObject;
    }
    case "list":
    case "List":
    case "Sequence":
    case "set":
      return { type: "array", ...(first ? { items: inner(first) } : {}) };
    case "dict":
    case "Dict":
    case "Mapping":
      return { type: "object", ...(by[1] ? { additionalProperties: inner(by[1]) } : {}) };
    default:
      return {};
  }
}

function either(given: readonly JsonObject[]): JsonObject {
  const [only] = given;
  return given.length === 1 && only ? only : { anyOf: [...given] };
}

/** A class of the project with annotated fields, as an object. */
function modelSchema(project: Project, source: Source, name: string, depth: number): JsonObject {
  const found = project.classNamed(name, source);
  if (!found) return {};
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const field of fieldsOf(found.body)) {
    const written = annotationSchema(project, found.source, field.type, field.value);
    if (!written || depth > 6) continue;
    properties[field.name] = written.schema;
    if (!written.optional) required.push(field.name);
  }
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

function fieldsOf(body: readonly Stmt[]): { name: string; type: Expr; value: Expr | undefined }[] {
  return body.flatMap((stmt) => (stmt.t === "field" ? [{ name: stmt.name, type: stmt.type, value: stmt.value }] : []));
}

const BOUNDS: Readonly<Record<string, string>> = {
  ge: "minimum",
  le: "maximum",
  gt: "exclusiveMinimum",
  lt: "exclusiveMaximum",
  min_length: "minLength",
  max_length: "maxLength",
  pattern: "pattern",
  description: "description",
  default: "default",
};

function fieldFacts(project: Project, source: Source, call: Extract<Expr, { t: "call" }>): JsonObject {
  const out: JsonObject = {};
  for (const [key, expr] of call.named) {
    const value = dataOf(project, { expr, source });
    const name = BOUNDS[key];
    if (name !== undefined && value !== undefined && value !== null) out[name] = value as never;
  }
  return out;
}

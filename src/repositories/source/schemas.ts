import type { JsonObject } from "../../../worlds/json.ts";
import type { Placed, Project } from "./project.ts";
import type { Call, Expr } from "./tree.ts";

/** How deep schemas are followed: a schema that names itself never ends. */
const DEEPEST = 12;
/** A schema as it is written for a parameter, and whether that may be left out. */
export interface Written {
  readonly schema: JsonObject;
  readonly optional: boolean;
}

/** The data an expression is, as far as it is written out; what is not is left out. */
export function dataOf(project: Project, placed: Placed, depth = 0): unknown {
  const { expr, source } = project.literal(placed);
  const inner = (part: Expr) => dataOf(project, { expr: part, source }, depth + 1);
  if (depth > DEEPEST) return undefined;
  if (expr.t === "value") return expr.value;
  if (expr.t === "list") return expr.items.map(inner).filter((item) => item !== undefined);
  if (expr.t !== "object") return project.text({ expr, source });
  const spread = expr.spreads.map(inner).filter((part) => typeof part === "object" && part !== null);
  const own = expr.entries
    .map(([key, value]) => [key, inner(value)] as const)
    .filter(([, value]) => value !== undefined);
  return { ...Object.assign({}, ...spread), ...Object.fromEntries(own) };
}

/** The JSON Schema of an input: a literal one, a zod object, a zod shape, or either through a converter. */
export function inputSchema(project: Project, placed: Placed): JsonObject | undefined {
  const { expr, source } = project.literal(placed);
  if (expr.t === "call") {
    const zod = zodSchema(project, { expr, source });
    if (zod) return zod.schema;
    const [first] = expr.args;
    return first && inputSchema(project, { expr: first, source });
  }
  if (expr.t === "member" && expr.name === "shape") return inputSchema(project, { expr: expr.of, source });
  if (expr.t !== "object") return undefined;
  const isShape =
    expr.entries.length > 0 && expr.entries.every(([, value]) => zodSchema(project, { expr: value, source }));
  if (isShape) return objectSchema(project, { expr, source }, 0);
  const data = dataOf(project, { expr, source });
  return typeof data === "object" && data !== null ? (data as JsonObject) : undefined;
}

/** What a chain of zod calls describes; undefined for anything else. */
export function zodSchema(project: Project, placed: Placed, depth = 0): Written | undefined {
  const { expr, source } = project.literal(placed);
  if (depth > DEEPEST || expr.t !== "call") return undefined;
  const links: Call[] = [];
  let here: Expr = expr;
  while (here.t === "call" && here.callee.t === "member") {
    links.unshift(here);
    here = here.callee.of;
  }
  const [first] = links;
  let made: Written | undefined;
  let rest = links;
  if (first && here.t === "name" && /^(?:z|zod|Zod)$/.test(here.name)) {
    made = base(project, first, { expr, source }, depth);
    rest = links.slice(1);
  } else if (here.t === "name") {
    made = zodSchema(project, project.literal({ expr: here, source }), depth + 1);
  }
  for (const link of rest) made = made && linked(project, made, link, { expr, source }, depth);
  return made;
}

function nameOf(call: Call): string {
  return call.callee.t === "member" ? call.callee.name : "";
}

function base(project: Project, call: Call, { source }: Placed, depth: number): Written | undefined {
  const [first, second] = call.args;
  const of = (expr: Expr | undefined) => (expr ? (zodSchema(project, { expr, source }, depth + 1)?.schema ?? {}) : {});
  const data = (expr: Expr | undefined) => (expr ? dataOf(project, { expr, source }) : undefined);
  const as = (schema: JsonObject): Written => ({ schema, optional: false });
  switch (nameOf(call)) {
    case "string":
      return as({ type: "string" });
    case "email":
    case "uuid":
    case "url":
      return as({ type: "string", format: nameOf(call) === "url" ? "uri" : nameOf(call) });
    case "number":
      return as({ type: "number" });
    case "int":
      return as({ type: "integer" });
    case "boolean":
      return as({ type: "boolean" });
    case "literal":
      return as({ const: (data(first) ?? null) as never });
    case "enum":
    case "nativeEnum": {
      const values = data(first);
      const list = Array.isArray(values) ? values : typeof values === "object" && values ? Object.values(values) : [];
      return as({ type: "string", enum: list as never });
    }
    case "array":
      return as({ type: "array", items: of(first) });
    case "object":
    case "strictObject":
    case "looseObject":
      return as(first ? objectSchema(project, { expr: first, source }, depth) : { type: "object", properties: {} });
    case "record":
      return as({ type: "object", additionalProperties: of(second ?? first) });
    case "union":
    case "discriminatedUnion": {
      const given = first?.t === "list" ? first : second;
      return as({ anyOf: (given?.t === "list" ? given.items : []).map(of) });
    }
    case "optional":
      return { schema: of(first), optional: true };
    case "null":
      return as({ type: "null" });
    case "any":
    case "unknown":
      return as({});
    default:
      // `z.coerce.number()` and the like: what is made of it counts.
      return call.callee.t === "member" ? as({}) : undefined;
  }
}

function linked(project: Project, made: Written, call: Call, { source }: Placed, depth: number): Written {
  const [first] = call.args;
  const value = first && dataOf(project, { expr: first, source });
  const add = (more: JsonObject): Written => ({ ...made, schema: { ...made.schema, ...more } });
  switch (nameOf(call)) {
    case "describe":
      return typeof value === "string" ? add({ description: value }) : made;
    case "optional":
    case "nullish":
      return { ...made, optional: true };
    case "default":
      return {
        optional: true,
        schema: { ...made.schema, ...(value === undefined ? {} : { default: value as never }) },
      };
    case "string":
    case "number":
    case "boolean":
      return add({ type: nameOf(call) });
    case "int":
      return add({ type: "integer" });
    case "email":
    case "uuid":
    case "datetime":
      return add({ format: nameOf(call) === "datetime" ? "date-time" : nameOf(call) });
    case "url":
      return add({ format: "uri" });
    case "min":
    case "max": {
      const end = nameOf(call);
      if (typeof value !== "number") return made;
      if (made.schema.type === "string") return add({ [`${end}Length`]: value });
      if (made.schema.type === "array") return add({ [`${end}Items`]: value });
      return add({ [`${end}imum`]: value });
    }
    case "positive":
      return add({ exclusiveMinimum: 0 });
    case "nonnegative":
      return add({ minimum: 0 });
    case "array":
      return { schema: { type: "array", items: made.schema }, optional: false };
    case "extend":
    case "merge": {
      const more = first ? inputSchema(project, { expr: first, source }) : undefined;
      return more ? { ...made, schema: joined(made.schema, more) } : made;
    }
    case "partial":
      return { ...made, schema: Object.fromEntries(Object.entries(made.schema).filter(([key]) => key !== "required")) };
    case "or":
      return add({
        anyOf: [made.schema, first ? (zodSchema(project, { expr: first, source }, depth + 1)?.schema ?? {}) : {}],
      });
    default:
      return made;
  }
}

function joined(left: JsonObject, right: JsonObject): JsonObject {
  const list = (schema: JsonObject) => (Array.isArray(schema.required) ? schema.required : []);
  const required = [...new Set([...list(left), ...list(right)])];
  return {
    ...left,
    ...right,
    properties: { ...(left.properties as JsonObject), ...(right.properties as JsonObject) },
    ...(required.length > 0 ? { required } : {}),
  };
}

function objectSchema(project: Project, placed: Placed, depth: number): JsonObject {
  const { expr, source } = project.literal(placed);
  if (expr.t !== "object") return { type: "object" };
  const spread = expr.spreads.map((part) => objectSchema(project, { expr: part, source }, depth + 1));
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const [key, value] of expr.entries) {
    const written = zodSchema(project, { expr: value, source }, depth + 1) ?? { schema: {}, optional: false };
    properties[key] = written.schema;
    if (!written.optional) required.push(key);
  }
  const own: JsonObject = { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
  return spread.reduceRight((after, before) => joined(before, after), own);
}

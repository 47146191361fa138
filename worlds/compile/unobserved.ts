import type { ToolBehaviour, ToolDefinition } from "../bundle.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { literal } from "./conditions/term.ts";
import { declaredEffect, effectByName } from "./effects.ts";

const MAX_DEPTH = 8;
/** How many values a shape may hold: schemas that refer to themselves would grow without end. */
const MOST_VALUES = 1000;
/** A longer answer is no shape but a document. */
const LONGEST = 3800;

/** What a gap says of a tool that no call was observed of, and that answers the shape its listing gives. */
export const SHAPE_ONLY = "never observed: it answers the shape of its listing, with nothing of the system in it";

/**
 * What a read answers of which only its listing is known: the shape that its output schema gives, with placeholders for
 * values. Undefined for a write, whose success nobody saw, and where no output schema stands.
 */
export function shapeBehaviour(tool: ToolDefinition): ToolBehaviour | undefined {
  const effect = declaredEffect(tool) ?? effectByName(tool.name);
  const schema = tool.outputSchema as JsonObject | undefined;
  if (effect !== "read" || !schema) return undefined;
  const room = { left: MOST_VALUES };
  const shape = shapeOf(schema, schema, 0, room);
  const expr = literal(shape);
  if (!isObject(shape) || room.left < 0 || expr.length > LONGEST) return undefined;
  return {
    effect: "read",
    behaviour: { v: 1, steps: [{ op: "answer", expr }] },
    rendering: { form: "json", error_flag: true },
    volatile: [],
    support: { seen: 0, reproduced: 0 },
  };
}

const TEXTS: Readonly<Record<string, string>> = {
  date: "2000-01-01",
  "date-time": "2000-01-01T00:00:00Z",
  time: "00:00:00Z",
  email: "name@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** A value that has a schema's shape: its constant, default or first choice, else a placeholder of its type; null where no room is left. */
export function shapeOf(schema: JsonObject, root: JsonObject, depth: number, room = { left: MOST_VALUES }): Json {
  room.left--;
  if (depth > MAX_DEPTH || room.left < 0) return null;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0] as Json;
  const referred = localTarget(schema, root);
  if (referred) return shapeOf(referred, root, depth + 1, room);
  for (const choice of [schema.anyOf, schema.oneOf])
    if (Array.isArray(choice) && isObject(choice[0])) return shapeOf(choice[0], root, depth + 1, room);
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.filter(isObject).map((part) => shapeOf(part, root, depth + 1, room));
    return Object.assign({}, ...parts.filter(isObject), objectShape(schema, root, depth, room)) as JsonObject;
  }
  switch (typeOf(schema)) {
    case "object":
      return objectShape(schema, root, depth, room);
    case "array":
      return listShape(schema, root, depth, room);
    case "string":
      return textShape(schema);
    case "integer":
    case "number":
      return numberShape(schema);
    case "boolean":
      return false;
    default:
      return null;
  }
}

function typeOf(schema: JsonObject): string | undefined {
  const { type } = schema;
  if (Array.isArray(type)) return type.map(String).find((each) => each !== "null") ?? "null";
  if (typeof type === "string") return type;
  return isObject(schema.properties) ? "object" : isObject(schema.items) ? "array" : undefined;
}

function localTarget(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  const ref = typeof schema.$ref === "string" ? schema.$ref : "";
  if (!ref.startsWith("#/")) return undefined;
  let here: Json | undefined = root;
  for (const part of ref.slice(2).split("/"))
    here = isObject(here) && Object.hasOwn(here, part) ? here[part] : undefined;
  return isObject(here) ? here : undefined;
}

function objectShape(schema: JsonObject, root: JsonObject, depth: number, room: { left: number }): JsonObject {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return Object.fromEntries(
    properties.flatMap(([name, of]) => (isObject(of) ? [[name, shapeOf(of, root, depth + 1, room)] as const] : [])),
  );
}

function listShape(schema: JsonObject, root: JsonObject, depth: number, room: { left: number }): Json[] {
  const least = typeof schema.minItems === "number" ? Math.min(schema.minItems, 20) : 1;
  const { items } = schema;
  return isObject(items) ? Array.from({ length: Math.max(1, least) }, () => shapeOf(items, root, depth + 1, room)) : [];
}

function textShape(schema: JsonObject): string {
  const text = TEXTS[String(schema.format ?? "")] ?? "text";
  const least = typeof schema.minLength === "number" ? Math.min(schema.minLength, 200) : 0;
  const most = typeof schema.maxLength === "number" ? schema.maxLength : text.length + least;
  return text.padEnd(least, "x").slice(0, Math.max(least, most));
}

function numberShape(schema: JsonObject): number {
  const { minimum, exclusiveMinimum, maximum } = schema;
  if (typeof minimum === "number" && minimum > 0) return Math.ceil(minimum);
  if (typeof exclusiveMinimum === "number" && exclusiveMinimum >= 0) return Math.floor(exclusiveMinimum) + 1;
  return typeof maximum === "number" && maximum < 0 ? Math.floor(maximum) : 0;
}

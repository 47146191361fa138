import type { Json, JsonObject } from "../../../worlds/json.ts";
import { isObject } from "../../../worlds/json.ts";
import { list, object, text } from "./values.ts";

/** How deep schemas are written out, and how many parts one tool's may have: schemas that name themselves never end. */
const MAX_DEPTH = 12;
const MAX_PARTS = 3000;
/** Members of a parameter or a schema object that say nothing to a caller. */
const DROPPED = new Set([
  "xml",
  "externalDocs",
  "discriminator",
  "example",
  "examples",
  "nullable",
  "readOnly",
  "writeOnly",
  "in",
  "name",
  "required",
  "style",
  "explode",
  "allowEmptyValue",
  "collectionFormat",
  "deprecated",
]);

/** Writes the schemas of one document out: references followed, what a direction never carries left out. */
export class Inliner {
  /** Parts that were too deep, too many or went in a circle, and stand as anything. */
  cut = 0;
  private readonly document: JsonObject;
  private parts = 0;

  constructor(document: JsonObject) {
    this.document = document;
  }

  /** What a value or the reference in its place stands for; undefined where that is no object. References outside the document lead nowhere. */
  target(given: unknown): JsonObject | undefined {
    let here = object(given);
    for (let hops = 0; here && typeof here.$ref === "string" && hops < MAX_DEPTH; hops++) here = this.at(here.$ref);
    return here && typeof here.$ref !== "string" ? here : undefined;
  }

  private at(ref: string): JsonObject | undefined {
    if (!ref.startsWith("#/")) return undefined;
    let here: unknown = this.document;
    for (const part of ref.slice(2).split("/")) {
      const name = decoded(part);
      if (!isObject(here) || !Object.hasOwn(here, name)) return undefined;
      here = here[name];
    }
    return object(here);
  }

  /** A schema written out as JSON Schema, for a request (without what only answers hold) or a response. */
  schema(given: unknown, direction: "request" | "response"): JsonObject {
    this.parts = 0;
    return this.walk(given, direction, 0, []);
  }

  private walk(given: unknown, direction: "request" | "response", depth: number, trail: readonly string[]): JsonObject {
    const ref = text(object(given)?.$ref);
    const schema = this.target(given);
    if (!schema) {
      if (ref !== undefined) this.cut++;
      return {};
    }
    if (depth > MAX_DEPTH || ++this.parts > MAX_PARTS || (ref !== undefined && trail.includes(ref))) {
      this.cut++;
      return typeof schema.type === "string" ? { type: schema.type } : {};
    }
    const below = ref === undefined ? trail : [...trail, ref];
    const inner = (value: unknown) => this.walk(value, direction, depth + 1, below);
    const out: JsonObject = {};
    for (const [name, value] of Object.entries(schema)) {
      if (DROPPED.has(name) || name.startsWith("x-")) continue;
      if (name === "properties" && isObject(value)) out.properties = this.properties(value, direction, inner);
      else if (name === "items" || name === "not") out[name] = inner(value);
      else if (name === "additionalProperties") out[name] = typeof value === "boolean" ? value : inner(value);
      else if ((name === "allOf" || name === "anyOf" || name === "oneOf") && Array.isArray(value))
        out[name] = value.map(inner);
      else out[name] = value as Json;
    }
    const held = object(out.properties);
    const required = list(schema.required).filter(
      (name) => typeof name === "string" && (!held || Object.hasOwn(held, name)),
    );
    if (required.length > 0) out.required = required as Json;
    return nullable(merged(out), schema.nullable === true);
  }

  private properties(
    given: JsonObject,
    direction: "request" | "response",
    inner: (value: unknown) => JsonObject,
  ): JsonObject {
    const other = direction === "request" ? "readOnly" : "writeOnly";
    return Object.fromEntries(
      Object.entries(given)
        .filter(([, value]) => this.target(value)?.[other] !== true)
        .map(([name, value]) => [name, inner(value)]),
    );
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}

/** A schema that is all of several objects as one object. */
function merged(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  const parts = [...allOf, rest].map((part) => object(part) ?? {});
  if (parts.some((part) => part.anyOf !== undefined || part.oneOf !== undefined)) return schema;
  const required = new Set(parts.flatMap((part) => list(part.required).map(String)));
  const properties = Object.assign({}, ...parts.map((part) => object(part.properties) ?? {})) as JsonObject;
  return {
    ...(Object.assign({}, ...parts) as JsonObject),
    ...(Object.keys(properties).length > 0 ? { type: "object", properties } : {}),
    ...(required.size > 0 ? { required: [...required] } : {}),
  };
}

function nullable(schema: JsonObject, may: boolean): JsonObject {
  if (!may) return schema;
  if (typeof schema.type === "string") {
    const { enum: values } = schema;
    return {
      ...schema,
      type: [schema.type, "null"],
      ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
    };
  }
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: "null" }] };
}

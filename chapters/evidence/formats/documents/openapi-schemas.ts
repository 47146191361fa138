import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { isObject } from "../../../../worlds/json.ts";
import { list, object, text } from "../values.ts";

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
  // The reference to a part of a document that is not there any more.
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$defs",
  "definitions",
  "$schema",
]);

/** Members that hold a schema, a list of them, or schemas by name. */
const ONE_SCHEMA = new Set([
  "items",
  "not",
  "additionalProperties",
  "additionalItems",
  "unevaluatedProperties",
  "unevaluatedItems",
  "contains",
  "propertyNames",
  "if",
  "then",
  "else",
]);
const SCHEMA_LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SCHEMA_MAPS = new Set(["patternProperties", "dependentSchemas"]);
/** Until version 3.1 these were flags of the limits beside them. */
const LIMITS: Readonly<Record<string, string>> = { exclusiveMinimum: "minimum", exclusiveMaximum: "maximum" };

function mapped(value: JsonObject, inner: (value: unknown) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
}

/** A limit as a number: one that is a flag takes the place of the limit it speaks of. */
function limit(out: JsonObject, schema: JsonObject, name: string, value: Json): void {
  const plain = LIMITS[name] as string;
  if (typeof value === "number") out[name] = value;
  else if (value === true && typeof schema[plain] === "number") out[name] = schema[plain];
}

/** Writes the schemas of one document out: references followed, what a direction never carries left out. */
export class Inliner {
  /** Parts that were too deep, too many or went in a circle, and stand as anything. */
  cut = 0;
  private readonly document: JsonObject;
  private parts = 0;

  constructor(document: JsonObject) {
    this.document = document;
  }

  /** The object that a value is or refers to within the document; undefined where there is none. */
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

  /** The same with the keys beside a reference, which may change its target since version 3.1. */
  targetWithSiblingKeys(given: unknown): JsonObject | undefined {
    const found = this.target(given);
    const { $ref, ...beside } = object(given) ?? {};
    return found && typeof $ref === "string" && Object.keys(beside).length > 0 ? { ...found, ...beside } : found;
  }

  /** A schema written out as JSON Schema, for a request (without what only answers hold) or a response. */
  schema(given: unknown, direction: "request" | "response"): JsonObject {
    this.parts = 0;
    return this.walk(given, direction, 0, []);
  }

  private walk(given: unknown, direction: "request" | "response", depth: number, trail: readonly string[]): JsonObject {
    const ref = text(object(given)?.$ref);
    const schema = this.targetWithSiblingKeys(given);
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
      else if (ONE_SCHEMA.has(name)) out[name] = typeof value === "boolean" ? value : inner(value);
      else if (SCHEMA_LISTS.has(name) && Array.isArray(value)) out[name] = value.map(inner);
      else if (SCHEMA_MAPS.has(name) && isObject(value)) out[name] = mapped(value, inner);
      else if (name in LIMITS) limit(out, schema, name, value);
      else out[name] = value as Json;
    }
    const held = object(out.properties);
    const required = list(schema.required).filter(
      (name) => typeof name === "string" && (!held || Object.hasOwn(held, name)),
    );
    if (required.length > 0) out.required = required as Json;
    for (const [name, plain] of Object.entries(LIMITS)) if (schema[name] === true) delete out[plain];
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

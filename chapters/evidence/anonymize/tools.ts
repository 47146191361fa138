import type { ValueCleaner } from "./values.ts";

/** Members of a schema that hold words of people, and those that hold values. Properties may have the same names. */
const TEXTS = new Set(["description", "title", "$comment"]);
const VALUES = new Set(["default", "examples", "example", "enum", "const"]);
/** Members whose own members are schemas by name. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Takes up what the texts and the values of a tool's definition give away. */
export function learnTool(cleaner: ValueCleaner, tool: object): void {
  visit(tool, {
    text: (text) => {
      cleaner.learnText(text);
      return text;
    },
    value: (value, property) => {
      cleaner.learn(property === undefined ? value : { [property]: value });
      return value;
    },
  });
}

/** A tool's definition with the texts and values that it shows cleared; names, types and forms stay. */
export function cleanTool<T extends object>(cleaner: ValueCleaner, tool: T): T {
  return visit(tool, {
    text: (text) => cleaner.cleanText(text),
    value: (value, property) =>
      property === undefined
        ? cleaner.clean(value)
        : Object.values(cleaner.clean({ [property]: value }) as Readonly<Record<string, unknown>>)[0],
  }) as T;
}

interface Change {
  readonly text: (text: string) => string;
  /** `property`: the one that the value is of. */
  readonly value: (value: unknown, property: string | undefined) => unknown;
}

function visit(node: unknown, change: Change, property?: string): unknown {
  if (Array.isArray(node)) return node.map((each) => visit(each, change, property));
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, each]) => {
      if (TEXTS.has(name) && typeof each === "string") return [name, change.text(each)];
      if (VALUES.has(name)) return [name, change.value(each, property)];
      return [name, NAMED.has(name) ? namedSchemas(each, change) : visit(each, change, property)];
    }),
  );
}

function namedSchemas(schemas: unknown, change: Change): unknown {
  if (typeof schemas !== "object" || schemas === null) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, visit(schema, change, name)]));
}

/** A schema without the values and the texts it shows. */
export function bareSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bareSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !TEXTS.has(name) && !VALUES.has(name))
      .map(([name, each]) => [name, NAMED.has(name) ? bareSchemas(each) : bareSchema(each)]),
  );
}

function bareSchemas(schemas: unknown): unknown {
  if (typeof schemas !== "object" || schemas === null) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bareSchema(schema)]));
}

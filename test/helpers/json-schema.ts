/** As much of JSON Schema as the registry's own schemas use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** The smallest object that a schema takes: required fields only. */
export function minimal(schema: Schema): Record<string, unknown> {
  return smallest(schema) as Record<string, unknown>;
}

function smallest(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf;
  if (options?.[0]) return smallest(options[0]);
  switch (typesOf(schema)[0]) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, smallest(schema.properties?.[name] ?? {})]),
      );
    case "array":
      return (
        schema.prefixItems?.map(smallest) ??
        Array.from({ length: schema.minItems ?? 0 }, () => smallest(schema.items ?? {}))
      );
    case "string":
      return text(schema);
    case "integer":
    case "number":
      return schema.minimum !== undefined && schema.minimum > -1e15
        ? schema.minimum
        : (schema.exclusiveMinimum ?? 0) + 1;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "x";
  }
}

function text({ minLength = 1, pattern, format }: Schema): string {
  const candidates = [
    "x".repeat(Math.max(1, minLength)),
    "a@example.com",
    "https://example.com/",
    "0".repeat(64),
    "C1",
    "2026-01-01",
    "cc",
    "1",
  ];
  if (format === "uri") return "https://example.com/";
  if (format === "email") return "a@example.com";
  return (pattern ? candidates.find((candidate) => new RegExp(pattern, "u").test(candidate)) : candidates[0]) ?? "x";
}

/** Inputs that are right but for one value of a wrong type, at every level of the schema, with the dotted path of each. */
export function* wrongValues(schema: Schema): Generator<{ args: Record<string, unknown>; path: string }> {
  for (const { path, wrong } of wrongAt(schema, [])) {
    const args = structuredClone(minimal(schema));
    place(args, schema, path, wrong);
    yield { args, path: path.join(".") };
  }
  yield { args: { ...minimal(schema), no_such_field: 1 }, path: "no_such_field" };
}

type Path = readonly (string | number)[];

function* wrongAt(schema: Schema, path: Path): Generator<{ path: Path; wrong: unknown }> {
  if (path.length > 0) {
    const accepted = acceptedTypes(schema);
    const wrong = [7.5, "§", true, [], {}, null].find((value) => accepted && !accepted.has(jsonType(value)));
    if (wrong !== undefined) yield { path, wrong };
  }
  if (schema.anyOf || schema.oneOf) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* wrongAt(property, [...path, name]);
  if (schema.items && !schema.prefixItems) yield* wrongAt(schema.items, [...path, 0]);
}

/** Undefined when anything goes. */
function acceptedTypes(schema: Schema): Set<string> | undefined {
  const options = schema.anyOf ?? schema.oneOf;
  if (options) {
    const all = options.map(acceptedTypes);
    return all.includes(undefined) ? undefined : new Set(all.flatMap((types) => [...(types ?? [])]));
  }
  if (schema.const !== undefined) return new Set([jsonType(schema.const)]);
  if (schema.enum) return new Set(schema.enum.map(jsonType));
  const types = typesOf(schema);
  // 7.5 is refused as an integer too, but it is the type that is to be wrong here.
  return types.length === 0 ? undefined : new Set(types.map((type) => (type === "integer" ? "number" : type)));
}

/** Puts a value at a path, with smallest values for what has to stand around it. */
function place(into: unknown, schema: Schema, [head, ...rest]: Path, value: unknown): void {
  if (head === undefined) return;
  const below = (typeof head === "number" ? schema.items : schema.properties?.[head]) ?? {};
  const holder = into as Record<string | number, unknown>;
  if (rest.length === 0) {
    holder[head] = value;
    return;
  }
  const current = holder[head];
  if (typeof current !== "object" || current === null) holder[head] = smallest(below);
  place(holder[head], below, rest, value);
}

function typesOf(schema: Schema): readonly string[] {
  return schema.type === undefined ? [] : Array.isArray(schema.type) ? schema.type : [schema.type as string];
}

function jsonType(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

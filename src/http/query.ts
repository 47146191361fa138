import type { JsonSchema } from "../../tools/kernel/lean.ts";

type Property = { readonly [key: string]: unknown };

/**
 * Query parameters as the input schema has them: text that reads as a number, a boolean or a list where the schema wants
 * one becomes that; all else stays text, for the strict parse to accept or refuse with its path.
 */
export function coerceQuery(query: URLSearchParams, schema: JsonSchema): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Property>>;
  const values: Record<string, unknown> = Object.create(null);
  for (const name of new Set(query.keys())) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    values[name] = coerceAll(query.getAll(name), property);
  }
  return values;
}

/** One text as one property has it; used for `key=value` on the command line too. */
export function coerceText(text: string, property: Property | undefined): unknown {
  return coerceAll([text], property);
}

function coerceAll(texts: readonly string[], property: Property | undefined): unknown {
  const [first = "", ...more] = texts;
  for (const option of optionsOf(property)) {
    if (option.type === "array") {
      const parts = more.length > 0 ? texts : first === "" ? [] : first.split(",");
      return parts.map((part) => coerceAll([part], option.items as Property | undefined));
    }
    const value = more.length > 0 ? undefined : coerceOne(first, option);
    if (value !== undefined) return value;
  }
  return more.length > 0 ? [...texts] : first;
}

function coerceOne(text: string, { type }: Property): unknown {
  if ((type === "number" || type === "integer") && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "1")) return true;
  if (type === "boolean" && (text === "false" || text === "0")) return false;
  if (type === "object") return parsed(text);
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function optionsOf(property: Property | undefined): readonly Property[] {
  if (!property) return [];
  const options = (property.anyOf ?? property.oneOf) as readonly Property[] | undefined;
  if (options) return options.flatMap(optionsOf);
  return Array.isArray(property.type) ? property.type.map((type: unknown) => ({ ...property, type })) : [property];
}

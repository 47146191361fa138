import { isObject, type Json, type JsonObject } from "../json.ts";
import type { HttpRoute, ParamType } from "./grammar.ts";

/** A value of a path or query as its parameter is read; as it stands where it is none of that type. */
export function typedValue(text: string, type: ParamType | undefined): Json {
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  if (type === "integer" && isInteger(text)) return Number(text);
  if (type === "number" && /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text)) return Number(text);
  return text;
}

/** Whether a text is how a whole number is written, and no other text would be. */
export function isInteger(text: string): boolean {
  return /^(?:0|-?[1-9]\d{0,14})$/.test(text);
}

/** What a request hands to the tool of its route: values of path and query, and the body. */
export function argumentsOf(
  route: Pick<HttpRoute, "params" | "body" | "aliases">,
  path: Readonly<Record<string, string>>,
  query: URLSearchParams,
  body: unknown,
): JsonObject {
  const args: JsonObject = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name).map((value) => typedValue(value, route.params[name]));
    args[name] = values.length === 1 ? (values[0] as Json) : values;
  }
  if (body !== undefined && body !== null && body !== "") {
    if (route.body === "members" && isObject(body)) Object.assign(args, body);
    else args.body = body as Json;
  }
  for (const [name, value] of Object.entries(path))
    args[route.aliases[name] ?? name] = typedValue(value, route.params[name]);
  return args;
}

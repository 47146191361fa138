import { isObject, type JsonObject } from "../../../worlds/json.ts";
import { parsePythonLiteral } from "../../../worlds/python-literal.ts";

/** The value as an object, or undefined. */
export function object(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The value as a list; an empty one when it is none. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in a list; none where it is no list. */
export function objects(value: unknown): JsonObject[] {
  return list(value)
    .map(object)
    .filter((each) => each !== undefined);
}

/** The value as a non-empty string, or undefined. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value as a finite number; numeric strings count. */
export function number(value: unknown): number | undefined {
  const n = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof n === "number" && Number.isFinite(n) ? n : undefined;
}

/** The sum of the numbers among these; undefined where none is one. */
export function sumOf(...values: readonly unknown[]): number | undefined {
  const told = values.flatMap((value) => number(value) ?? []);
  return told.length === 0 ? undefined : told.reduce((all, value) => all + value, 0);
}

/** Tokens that a model was given, cached ones too: Anthropic counts those beside the others, the rest among them. */
export function inputTokensOf(usage: JsonObject | undefined): number | undefined {
  if (number(usage?.input_tokens) === undefined) return number(usage?.prompt_tokens);
  return sumOf(usage?.input_tokens, usage?.cache_creation_input_tokens, usage?.cache_read_input_tokens);
}

/** A string or number as a label. */
export function label(value: unknown): string | undefined {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : text(value);
}

/** The value that a JSON text holds, else the value itself. */
export function fromJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const first = value.trimStart()[0];
  if (first !== "{" && first !== "[" && first !== '"') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The object that a value is, or that its text writes down: as JSON, or as Python prints a dict. */
export function writtenObject(value: unknown): JsonObject | undefined {
  const read = fromJson(value);
  if (typeof read !== "string") return object(read);
  const words = read.trim();
  return words.startsWith("{") ? object(parsePythonLiteral(words)) : undefined;
}

const ZONED = /(?:[zZ]|[+-]\d\d:?\d\d)$/;

/** Unix seconds of an ISO 8601 text (UTC where it names no zone), or of a number of s, ms, µs or ns since 1970. */
export function seconds(value: unknown): number | undefined {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value)) {
    const iso = value.replace(" ", "T");
    const ms = Date.parse(ZONED.test(iso) || iso.length <= 10 ? iso : `${iso}Z`);
    return Number.isNaN(ms) ? undefined : ms / 1000;
  }
  const n = number(value);
  if (n === undefined || n <= 0) return undefined;
  if (n > 1e17) return n / 1e9;
  if (n > 1e14) return n / 1e6;
  return n > 1e11 ? n / 1e3 : n;
}

/** The object without its undefined fields; itself where it has none. */
export function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = fields as Record<string, unknown>;
  const keys = Object.keys(given);
  let kept = given;
  if (keys.some((key) => given[key] === undefined)) {
    // Made anew: an object that fields were deleted from is several times slower to read and to write as JSON.
    kept = {};
    for (const key of keys) if (given[key] !== undefined) kept[key] = given[key];
  }
  return kept as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** Labels that have a value. */
export function labels(fields: Record<string, unknown>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(fields)) {
    const known = label(value);
    if (known !== undefined) kept[key] = known;
  }
  return kept;
}

/** Ids that a provider makes anew for each call; short ones are counted again in each session, or in each turn. */
export function isOwnId(id: string | undefined): id is string {
  return id !== undefined && id.length >= 12 && /\d/.test(id) && /[a-z]/i.test(id);
}

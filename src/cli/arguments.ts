import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { AppError } from "../../chapters/errors.ts";
import { didYouMean } from "../../tools/kernel/suggest.ts";
import { coerceQuery } from "../http/query.ts";

/** What a tool's arguments are held to: its input schema. */
interface InputSchema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** The command line was written wrongly: nothing was asked of the service. */
export class UsageError extends AppError {
  constructor(reason: string, names: readonly string[] = []) {
    super("bad_request", reason, { names });
    this.name = "UsageError";
  }
}

const PAIR = /^([\w.-]+)(:?=)([\s\S]*)$/;

/**
 * A tool's arguments from the words of a command line: `key=text` as the schema has the key, `key:=JSON` as it is, each
 * with `@FILE` (or `@-`, standard input) for what a file holds, and `@@` for a text that begins with `@`. A key that is
 * given twice is a list. A file that is no text is sent as base64. Throws UsageError.
 */
export function argumentsOf(pairs: readonly string[], { properties = {} }: InputSchema): Record<string, unknown> {
  const texts = new URLSearchParams();
  const values: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [, key, sign, given] = PAIR.exec(pair) ?? [];
    if (key === undefined || given === undefined)
      throw new UsageError("Arguments are written key=value, key:=JSON or key=@FILE; this is none:", [pair]);
    if (!Object.hasOwn(properties, key)) throw new UsageError(unknownKey(key, Object.keys(properties)));
    const text = content(given);
    const value = sign === ":=" ? json(key, text) : plain(text, properties[key]);
    if (key in values || (value !== undefined && texts.has(key)))
      throw new UsageError(`${key} is given twice, once as JSON: write the whole of it as ${key}:=JSON.`);
    if (value === undefined) texts.append(key, text);
    else values[key] = value;
  }
  return { ...coerceQuery(texts, { type: "object", properties }), ...values };
}

function unknownKey(key: string, known: readonly string[]): string {
  const takes = known.length === 0 ? "It takes none." : `It takes: ${known.join(", ")}.`;
  return `The tool takes no ${key}.${didYouMean(key, known)} ${takes}`;
}

function content(given: string): string {
  if (given.startsWith("@@")) return given.slice(1);
  if (!given.startsWith("@")) return given;
  const path = given.slice(1);
  try {
    const bytes = readFileSync(path === "-" ? 0 : path);
    return isUtf8(bytes) ? bytes.toString("utf8") : bytes.toString("base64");
  } catch {
    throw new UsageError("There is no such file to read:", [path]);
  }
}

function json(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${key}:= takes JSON, and this is none. In most shells it stands in single quotes.`);
  }
}

/** What needs no reading by the schema: text where text is taken, structure where only that is; undefined for the rest. */
function plain(text: string, property: unknown): unknown {
  const types = typesOf(property);
  const structured = types.includes("array") || types.includes("object");
  if (structured && types.includes("string")) return text;
  if (!structured || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function typesOf(property: unknown): readonly unknown[] {
  const { type, anyOf, oneOf } = Object(property) as Record<string, unknown>;
  const options = (anyOf ?? oneOf) as readonly unknown[] | undefined;
  return options ? options.flatMap(typesOf) : [type].flat();
}

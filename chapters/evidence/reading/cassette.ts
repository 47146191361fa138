import { badRequest } from "../../errors.ts";
import { list, object } from "../formats/values.ts";

/** Whether a text begins as a YAML recording of HTTP exchanges. */
export function isCassette(head: Buffer): boolean {
  return /^\ufeff?(?:(?:#[^\n]*|---\s*|version:[^\n]*|)\r?\n)*(?:interactions|http_interactions):\s*(?:\r?\n|$)/.test(
    head.toString("utf8"),
  );
}

/** The recorded exchanges in the recorders' JSON form (`request`, `response`). Throws AppError for broken YAML. */
export async function recordedExchanges(text: string): Promise<readonly unknown[]> {
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    // Binary bodies come as bytes; nothing else of the language is wanted.
    value = parse(text, { schema: "yaml-1.1", maxAliasCount: 100 });
  } catch {
    throw badRequest("The recording is not valid YAML.");
  }
  const recording = object(value);
  return list(recording?.interactions ?? recording?.http_interactions).map(withText);
}

/** The value with bytes as text in base64, so that it can be written as JSON. */
function withText(value: unknown): unknown {
  if (value instanceof Uint8Array) return { base64_string: Buffer.from(value).toString("base64") };
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(withText);
  const fields = object(value);
  return fields ? Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, withText(each)])) : value;
}

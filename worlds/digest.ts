import { hash } from "node:crypto";

function write(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) {
    let out = "[";
    for (let i = 0; i < value.length; i++) out += i === 0 ? write(value[i]) : `,${write(value[i])}`;
    return `${out}]`;
  }
  const record = value as Record<string, unknown>;
  let out = "";
  for (const key of Object.keys(record).sort()) {
    const member = record[key];
    if (member === undefined) continue;
    out += `${out === "" ? "" : ","}${JSON.stringify(key)}:${write(member)}`;
  }
  return `{${out}}`;
}

/** Canonical JSON (RFC 8785), without `undefined` members; a lone surrogate stays escaped instead of being refused. */
export function canonicalJson(value: unknown): string {
  return write(value);
}

/** Lower-case hexadecimal SHA-256 of bytes, or of a text's in UTF-8. */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

/** SHA-256 of a value's canonical JSON. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

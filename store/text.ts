import { hash } from "node:crypto";
import canonicalize from "canonicalize";

/**
 * What becomes of text that a database cannot hold. PostgreSQL has no U+0000 in text and neither engine has lone
 * surrogates, so in plain columns (ids, names, notes) each of them is kept as U+FFFD, on both engines, when written
 * and when looked for. JSON keeps U+0000, since it is escaped there.
 */
export function columnText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\uFFFD") : whole;
}

/** Canonical JSON (RFC 8785). Lone surrogates, which it has no form for, become U+FFFD; undefined members are left out. */
export function canonicalText(value: unknown): string {
  const text = canonical(value);
  if (text === undefined) throw new TypeError("a value that JSON has no form for cannot be stored");
  return text;
}

/** Most values hold no lone surrogate, at which the library throws: only then is the value looked through for one. */
function canonical(value: unknown): string | undefined {
  try {
    return canonicalize(value);
  } catch (cause) {
    if (isWellFormed(value)) throw cause;
    return canonicalize(wellFormed(value));
  }
}

/** Lower-case hexadecimal SHA-256 of bytes, or of a text's UTF-8. */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

// JSON.stringify writes a lone surrogate, and nothing else, as \ud800 to \udfff; text that holds those six characters
// itself only costs a copy.
const ESCAPED_SURROGATE = /\\ud[89a-f][0-9a-f]{2}/;

function isWellFormed(value: unknown): boolean {
  return !ESCAPED_SURROGATE.test(JSON.stringify(value) ?? "");
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), wellFormed(member)]));
}

/** Longest JSON text of a field that is kept as it is for lookups, in characters. */
const LOOKUP_MAX = 200;

/** A field's value as it is looked up by: its JSON text, or a digest of it when long, so that every index entry is short. */
export function lookupText(value: string | number | boolean): string {
  const text = canonicalText(value);
  return text.length <= LOOKUP_MAX ? text : `sha256:${sha256(text)}`;
}

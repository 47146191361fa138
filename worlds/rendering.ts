import type { Rendering } from "./bundle.ts";
import type { Json, JsonObject } from "./json.ts";

/** Non-ASCII characters as `\uXXXX`, code unit by code unit, as Python's json module writes them. */
function escapeAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** JSON with a blank after each comma and colon, as Python's json module writes it. */
function spacedJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(", ")}]`;
  return `{${Object.keys(value)
    .map((key) => `${JSON.stringify(key)}: ${spacedJson(value[key] as Json)}`)
    .join(", ")}}`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\p{C}\p{Z}]/gu, (char) => {
    if (char === " ") return char;
    const known = ESCAPES[char];
    if (known !== undefined) return known;
    const code = char.codePointAt(0) as number;
    const hex = code.toString(16);
    return code <= 0xff
      ? `\\x${hex.padStart(2, "0")}`
      : code <= 0xffff
        ? `\\u${hex.padStart(4, "0")}`
        : `\\U${hex.padStart(8, "0")}`;
  });
  return quote + (quote === "'" ? body.replaceAll("'", "\\'") : body) + quote;
}

function pythonRepr(value: Json): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return pythonText(value);
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  return `{${Object.keys(value)
    .map((key) => `${pythonText(key)}: ${pythonRepr(value[key] as Json)}`)
    .join(", ")}}`;
}

/** A row that a call changed: `before` is what it was. */
export interface ChangedRow {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** How JSON is spaced, and what was written so before: parts of rows that changes left alone, and names as they open a member. */
interface JsonStyle {
  readonly write: (value: Json) => string;
  readonly comma: string;
  readonly colon: string;
  readonly parts: WeakMap<object, string>;
  readonly names: Map<string, string>;
}

const style = (write: JsonStyle["write"], comma: string, colon: string): JsonStyle => {
  return { write, comma, colon, parts: new WeakMap(), names: new Map() };
};
const COMPACT = style((value) => JSON.stringify(value), ",", ":");
const SPACED = style(spacedJson, ", ", ": ");
/** Names are of columns: few and short. Others are not worth keeping. */
const KEPT_NAMES = { count: 10_000, length: 100 };

function opening(name: string, { names, colon }: JsonStyle): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const text = JSON.stringify(name) + colon;
  if (names.size >= KEPT_NAMES.count) names.clear();
  if (name.length <= KEPT_NAMES.length) names.set(name, text);
  return text;
}

/** A changed row as JSON: what it shares with the row it was is written once, for all worlds. */
function changedRow({ before, after }: ChangedRow, how: JsonStyle): string {
  let out = "";
  for (const name of Object.keys(after)) {
    const value = after[name] as Json;
    out += out === "" ? opening(name, how) : how.comma + opening(name, how);
    if (typeof value === "number") out += value;
    else if (typeof value !== "object" || value === null) out += JSON.stringify(value);
    else if (value === before[name]) out += kept(how.parts, value, how.write);
    else out += how.write(value);
  }
  return `{${out}}`;
}

function kept(texts: WeakMap<object, string>, value: object & Json, write: (value: Json) => string): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = write(value);
  texts.set(value, text);
  return text;
}

/** Writes values as one tool's results look on the wire; the text of a frozen row is kept with the row. */
export class Renderer {
  private readonly rendering: Rendering;
  private readonly style: JsonStyle;
  private readonly texts = new WeakMap<object, string>();

  constructor(rendering: Rendering) {
    this.rendering = rendering;
    this.style = rendering.spaced ? SPACED : COMPACT;
  }

  /** The value with its wrapper keys around it, outermost first. */
  wrap(value: Json): Json {
    const { wrap } = this.rendering;
    if (wrap === undefined || wrap.length === 0) return value;
    let out = value;
    for (const key of wrap.toReversed()) out = Object.freeze({ [key]: out }) as JsonObject;
    return out;
  }

  /** Text stays as it is; other values are written in the form. `keep` a frozen value's text when it may be needed again. */
  text(value: Json, keep: boolean): string {
    if (typeof value === "string") return value;
    if (!keep || typeof value !== "object" || value === null) return this.write(value);
    return kept(this.texts, value, (written) => this.write(written));
  }

  /** The text of a changed row in its wrapper: the same as `text` of it, but what the change left as it was is written once. */
  changedText(row: ChangedRow): string {
    const { form, indent = 0, wrap = [], ascii = false } = this.rendering;
    if (form === "python" || indent > 0) return this.write(this.wrap(row.after));
    let text = changedRow(row, this.style);
    for (const key of wrap.toReversed()) text = `{${opening(key, this.style)}${text}}`;
    return ascii ? escapeAscii(text) : text;
  }

  private write(value: Json): string {
    const { form, indent = 0, ascii = false } = this.rendering;
    if (form === "python") return pythonRepr(value);
    const text = indent > 0 ? JSON.stringify(value, null, indent) : this.style.write(value);
    return ascii ? escapeAscii(text) : text;
  }
}

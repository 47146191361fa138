import type { Rendering } from "./bundle.ts";
import type { Json, JsonObject } from "./json.ts";

/** Non-ASCII characters as `\uXXXX`, code unit by code unit, as Python's json module writes them. */
function escapeAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** JSON as `JSON.stringify` writes it. */
const compactJson = (value: Json): string => JSON.stringify(value);

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

const KEPT_NAMES = 1000;

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
  private readonly json: (value: Json) => string;
  private readonly comma: string;
  private readonly colon: string;
  private readonly texts = new WeakMap<object, string>();
  /** What stands unchanged within changed rows, as JSON before it is escaped. */
  private readonly parts = new WeakMap<object, string>();
  /** Field names as they open a member. */
  private readonly names = new Map<string, string>();

  constructor(rendering: Rendering) {
    this.rendering = rendering;
    this.json = rendering.spaced ? spacedJson : compactJson;
    [this.comma, this.colon] = rendering.spaced ? [", ", ": "] : [",", ":"];
  }

  /** The value with its wrapper keys around it, outermost first. */
  wrap(value: Json): Json {
    const { wrap } = this.rendering;
    if (wrap === undefined || wrap.length === 0) return value;
    let out = value;
    for (const key of wrap.toReversed()) out = Object.freeze({ [key]: out }) as JsonObject;
    return out;
  }

  /** A text stands as it is whatever the form; anything else is written in the form. `keep` a frozen value's text when it may be asked for again. */
  text(value: Json, keep: boolean): string {
    if (typeof value === "string") return value;
    if (!keep || typeof value !== "object" || value === null) return this.write(value);
    return kept(this.texts, value, (written) => this.write(written));
  }

  /** The text of a changed row in its wrapper: the same as `text` of it, but what the change left as it was is written once. */
  changedText(row: ChangedRow): string {
    const { form, indent = 0, wrap = [], ascii = false } = this.rendering;
    if (form === "python" || indent > 0) return this.write(this.wrap(row.after));
    let text = this.members(row);
    for (const key of wrap.toReversed()) text = `{${JSON.stringify(key)}${this.colon}${text}}`;
    return ascii ? escapeAscii(text) : text;
  }

  private members({ before, after }: ChangedRow): string {
    let out = "";
    for (const name of Object.keys(after)) {
      const value = after[name] as Json;
      out += out === "" ? this.name(name) : this.comma + this.name(name);
      if (typeof value === "number") out += value;
      else if (typeof value !== "object" || value === null) out += JSON.stringify(value);
      else if (value === before[name]) out += kept(this.parts, value, this.json);
      else out += this.json(value);
    }
    return `{${out}}`;
  }

  private name(name: string): string {
    const known = this.names.get(name);
    if (known !== undefined) return known;
    const text = JSON.stringify(name) + this.colon;
    if (this.names.size >= KEPT_NAMES) this.names.clear();
    this.names.set(name, text);
    return text;
  }

  private write(value: Json): string {
    const { form, indent = 0, ascii = false } = this.rendering;
    if (form === "python") return pythonRepr(value);
    const text = indent > 0 ? JSON.stringify(value, null, indent) : this.json(value);
    return ascii ? escapeAscii(text) : text;
  }
}

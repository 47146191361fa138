import type { Rendering } from "./bundle.ts";
import type { Json, JsonObject } from "./json.ts";

/** Non-ASCII characters as `\uXXXX`, code unit by code unit, as Python's json module writes them. */
function escapeAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

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

/** Writes values as one tool's results look on the wire; the text of a frozen row is kept with the row. */
export class Renderer {
  private readonly rendering: Rendering;
  private readonly texts = new WeakMap<object, string>();

  constructor(rendering: Rendering) {
    this.rendering = rendering;
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
    const known = this.texts.get(value);
    if (known !== undefined) return known;
    const text = this.write(value);
    this.texts.set(value, text);
    return text;
  }

  private write(value: Json): string {
    const { form, indent = 0, spaced = false, ascii = false } = this.rendering;
    if (form === "python") return pythonRepr(value);
    const text = indent > 0 ? JSON.stringify(value, null, indent) : spaced ? spacedJson(value) : JSON.stringify(value);
    return ascii ? escapeAscii(text) : text;
  }
}
